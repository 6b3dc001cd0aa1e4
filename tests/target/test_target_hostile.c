/*
 * test_target_hostile.c - a program that names its symbols as OCaml's runtime
 * does, and points anywhere.
 *
 * The target is this test itself.  The symbols are made in assembly, so that no
 * sanitizer changes their size.
 */
#include <linux/userfaultfd.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/thread.h"
#include "support/test.h"
#include "target/answer.h"
#include "target/effort.h"
#include "target/runtime.h"
#include "target/runtime_threads.h"

/* clang-format off */
#define VARIABLE(name, bytes) \
	".balign 8\n.type " name ", %object\n.size " name ", " #bytes "\n" name ": .zero " #bytes "\n"
__asm__(".pushsection .data\n"
	VARIABLE("all_domains", 8)
	VARIABLE("caml_params", 8)
	VARIABLE("caml_num_domains_running", 8)
	VARIABLE("caml_minor_collections_count", 8)
	VARIABLE("caml_major_cycles_completed", 8)
	VARIABLE("caml_compactions_count", 8)
	VARIABLE("orphaned_alloc_stats", 32)
	VARIABLE("pool_freelist", 624)
	VARIABLE("all_of_it", 65536)
	".popsection\n"
	/* Offsets that no release has. */
	".equ domain_field_caml_c_stack, 100000\n"
	".equ domain_field_caml_local_roots, -1\n");
/* clang-format on */
extern volatile uint64_t all_domains __attribute__((visibility("hidden")));
extern volatile uint64_t caml_params __attribute__((visibility("hidden")));
extern volatile uint64_t caml_num_domains_running __attribute__((visibility("hidden")));
extern volatile uint64_t all_of_it[8192] __attribute__((visibility("hidden")));

static uint64_t state = 88172645463325252u;

static uint64_t next(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

/* An address, most of them in the words that are read. */
static uint64_t anywhere(void *page)
{
	uint64_t n = next();

	switch (n % 8) {
	case 0:
		return n;
	case 1:
		return (uintptr_t)page + n / 8 % 8192; /* its second half is not there */
	case 2:
		return UINT64_MAX - n / 8 % 4096;
	default:
		return (uintptr_t)all_of_it + n / 8 % 8192 * 8;
	}
}

static struct runtime *open_self(const char *version)
{
	struct version of;
	const char *why;

	CHECK(version_from_text(version, VERSION_FROM_OPTION, &of));
	struct runtime *runtime = runtime_create(NULL, getpid(), &of, &why);
	if (runtime == NULL)
		CHECK_STR(why, "the symbols in its program are not those of its OCaml release");
	return runtime;
}

TEST(test_anywhere)
{
	static struct runtime_sample sample;
	struct runtime *runtime = open_self("5.3.0");
	struct runtime_threads *threads = runtime_threads_create(NULL, getpid());
	void *pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(runtime != NULL && threads != NULL && pages != MAP_FAILED);
	CHECK_INT(munmap((char *)pages + 4096, 4096), 0);
	CHECK_INT(runtime_layout(runtime)->field[RUNTIME_C_STACK], 64);
	CHECK(runtime_variable(runtime, RUNTIME_ALL_DOMAINS) == (uintptr_t)&all_domains);
	struct memory_reader memory = runtime_memory(runtime);
	for (int round = 0; round < 20000; round++) {
		for (int i = 0; i < 8; i++) {
			uint64_t small = next() % 600;

			all_of_it[next() % 8192] = next() % 2 == 0 ? anywhere(pages) : small;
		}
		if (round % 16 == 0)
			all_domains = anywhere(pages);
		if (round % 64 == 0)
			caml_params = anywhere(pages);
		caml_num_domains_running = next() % 4;
		if (runtime_sample(runtime, 1, &sample) == 0)
			runtime_threads_check(threads, &memory, &sample);
		CHECK(sample.domain_count <= RUNTIME_DOMAINS_MAX);
		for (unsigned i = 0; i < sample.domain_count; i++)
			CHECK(sample.domains[i].young_used_words <= sample.domains[i].minor_heap_words);
	}
	runtime_threads_destroy(threads);
	runtime_destroy(runtime);
	CHECK(open_self("5.2.0") == NULL);
}

/* A process that ends while it is read, and whose memory may not be read: a
 * message says what to do. */
TEST(test_ends)
{
	static struct runtime_sample sample;
	struct version of;
	const char *why;
	int to[2];
	char byte;

	CHECK(version_from_text("5.3.0", VERSION_FROM_OPTION, &of));
	CHECK_INT(pipe(to), 0);
	all_domains = 0;
	pid_t child = fork();
	if (child == 0) {
		close(to[1]);
		_exit(read(to[0], &byte, 1) == 0 ? 0 : 1);
	}
	struct runtime *runtime = runtime_create(NULL, child, &of, &why);
	CHECK(runtime != NULL);
	CHECK_INT(runtime_sample(runtime, 1, &sample), 0);
	close(to[0]);
	close(to[1]);
	CHECK_INT(waitpid(child, NULL, 0), child);
	CHECK(runtime_sample(runtime, 2, &sample) != 0);
	CHECK_INT(sample.ts, 0);
	runtime_destroy(runtime);
	CHECK(runtime_create(NULL, child, &of, &why) == NULL);
	CHECK_STR(why, "there is no such process");
}

/* Pages that only a handler can bring, which never does: reading them fails, and does not wait. */
TEST(test_memory_that_does_not_answer)
{
	struct uffdio_api api = {.api = UFFD_API};
	struct variables variables;
	uint64_t word;
	int to[2];
	char byte = 1;

	uint64_t *pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(pages != MAP_FAILED && pipe(to) == 0);
	pages[0] = 42;
	pid_t child = fork();
	if (child == 0) {
		struct uffdio_register at = {
		    .range = {(uintptr_t)pages + 4096, 4096}, .mode = UFFDIO_REGISTER_MODE_MISSING};
		int fd = (int)syscall(SYS_userfaultfd, 0);

		byte = fd >= 0 && ioctl(fd, UFFDIO_API, &api) == 0 && ioctl(fd, UFFDIO_REGISTER, &at) == 0;
		CHECK_INT(write(to[1], &byte, 1), 1);
		pause();
		_exit(0);
	}
	CHECK_INT(read(to[0], &byte, 1), 1);
	if (byte) { /* else the kernel has none, or not for us */
		CHECK_INT(variables_open(&variables, NULL, child), 0);
		struct variables_place place = {(uintptr_t)pages, sizeof(word), &word};
		CHECK_INT(variables_read(&variables, &place, 1), 0);
		CHECK_INT(word, 42);
		place.address += 4096;
		CHECK_INT(variables_read(&variables, &place, 1), EFAULT);
		variables_close(&variables);
	}
	CHECK_INT(kill(child, SIGKILL), 0);
	CHECK_INT(waitpid(child, NULL, 0), child);
}

#define SECOND UINT64_C(1000000000)

/* How many processes were asked to read what may not answer. */
static unsigned asked;

int __real_answer_within(answer_work *work, const void *ctx, int in, int out);
int __wrap_answer_within(answer_work *work, const void *ctx, int in, int out);

int __wrap_answer_within(answer_work *work, const void *ctx, int in, int out)
{
	asked++;
	return __real_answer_within(work, ctx, in, out);
}

/* Pages of a file on no device, which somebody might serve, are brought many at once: a process for each page takes seconds for a
 * large table.  Hours without a wait leave an allowance of no more than seconds of them. */
TEST(test_pages_are_brought_together)
{
	enum { PAGES = 64, PAGE = 4096 };
	static unsigned char written[PAGES * PAGE], seen[PAGES * PAGE];
	struct variables variables;
	const int fd = memfd_create("pages", MFD_CLOEXEC);

	memset(written, 'x', sizeof(written));
	CHECK(fd >= 0);
	CHECK_INT(write(fd, written, sizeof(written)), sizeof(written));
	unsigned char *pages = mmap(NULL, sizeof(written), PROT_READ, MAP_SHARED, fd, 0);
	unsigned char *others = mmap(NULL, sizeof(written), PROT_READ, MAP_SHARED, fd, 0);
	CHECK(pages != MAP_FAILED && others != MAP_FAILED);
	pid_t child = fork();
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pause();
		_exit(0);
	}
	CHECK_INT(variables_open(&variables, NULL, child), 0);
	struct variables_place place = {(uintptr_t)pages, sizeof(seen), seen};
	asked = 0;
	CHECK_INT(variables_read(&variables, &place, 1), 0);
	CHECK(asked > 0 && asked <= PAGES / 8);
	CHECK_INT(memcmp(seen, written, sizeof(seen)), 0);
	place = (struct variables_place){(uintptr_t)others, 1, seen};
	variables.waited = 1000 * SECOND;
	variables.settled -= 36000 * SECOND;
	CHECK_INT(variables_read(&variables, &place, 1), 0);
	variables.waited = 1000 * SECOND;
	place.address += sizeof(written) / 2;
	CHECK_INT(variables_read(&variables, &place, 1), ETIMEDOUT);
	variables_close(&variables);
	CHECK_INT(kill(child, SIGKILL), 0);
	CHECK_INT(waitpid(child, NULL, 0), child);
	munmap(pages, sizeof(written));
	munmap(others, sizeof(written));
	close(fd);
}

static void *spend(void *told)
{
	struct effort effort = {.work = UINT64_MAX};
	char byte = 0;

	CHECK_INT(write(*(int *)told, &byte, 1), 1);
	while (effort_spend(&effort, UINT64_C(1) << 20))
		;
	CHECK_STR(effort.over, "it was stopped");
	return NULL;
}

/* A thread that would look at something for ever is ended by whom it works for. */
TEST(test_look_given_up)
{
	pthread_t thread;
	sigset_t term;
	char byte;
	int to[2];

	CHECK_INT(pipe(to), 0);
	CHECK_INT(thread_start(&thread, spend, &to[1]), 0);
	CHECK_INT(read(to[0], &byte, 1), 1);
	thread_end(thread);
	/* The signal was for that thread alone. */
	CHECK_INT(sigpending(&term), 0);
	CHECK(!sigismember(&term, SIGTERM));
}
