/*
 * false_runtime.c - a program that has the symbols and strings of an OCaml 5.3 runtime, and whose structures lie.
 * Usage: false_runtime MODE [DIRECTORY]; prints its pid when all is in place, and waits.  Status 77: MODE is not possible here.
 *
 *   plain       ten fibers that wait, with one frame each
 *   own_parent  C that OCaml called from a fiber that has no frame and is its own parent
 *   spin        runs what is taken for OCaml code, on the stack of such a fiber
 *   table       a frame table of sixteen million descriptors, which are one memory mapped again and again
 *   list        a list of frame tables that leads back to its begin
 *   tables      sixty thousand frame tables, all of them the same
 *   parents     a fiber with a hundred thousand parents
 *   pool        a pool of fibers that is the next one of itself
 *   many        half a million fibers with the same frame
 *   groups      twenty thousand fibers, hardly two of which have stacks of the same depth
 *   large       a list of five million large blocks
 *   large_ring  a list of three large blocks that leads back to its begin
 *   rights      a heap that nobody may read
 *   cut         a heap in a file that has become shorter
 *   most        counters and sizes that no program has
 *   moving      two threads that write numbers all over the domain's state and a pool
 *   silent      the domain's state is in a page of a file system that does not answer (DIRECTORY is where it is mounted for a moment)
 *   slow        its pool of fibers is in pages of one that takes 130 ms for each
 *   silent_ring, silent_mount: a ring in a file of such a file system, which answers all but reads, or nothing
 *   other_ring: one that is read, of another user than root
 *   silent_program: the program is a file of one, and runs as `served`
 *   unbrought   the domain's state is in a page that userfaultfd would have to bring
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define WORDS(bytes) ((bytes) / 8)

/* What a version is concluded from. */
extern const char *const strings[];
const char *const strings[] = {"OCAML_RUNTIME_EVENTS_DIR", "Couldn't open ring buffer loc",
    "maximum length for event name exceeded", "OCAMLRUNPARAM: max_domains(d) must be at least 1"};
extern struct version {
	uint64_t release_header, major, minor, patch, extra, text_header;
	char text[8];
} version;
struct version version = {0x1300, 11, 7, 1, 1, 1 << 10 | 0x3fc, {'5', '.', '3', '.', '0', 0, 0, 2}};

/* The variables of the runtime. */
extern uint64_t caml_major_cycles_completed, all_domains, caml_params, caml_minor_collections_count,
    caml_compactions_count, caml_num_domains_running, caml_minor_heaps_start, caml_minor_heaps_end,
    thread_table, caml_frametable[4], caml_global_heap_state[3], pool_freelist[128], orphaned_alloc_stats[8];
uint64_t caml_major_cycles_completed, all_domains, caml_params, caml_minor_collections_count,
    caml_compactions_count, caml_num_domains_running = 1, caml_minor_heaps_start, caml_minor_heaps_end,
			    thread_table, caml_frametable[4], caml_global_heap_state[3] = {0, 0x100, 0x200},
			    pool_freelist[128], orphaned_alloc_stats[8];
extern struct descriptors {
	int32_t count, mask;
	uint64_t table, list;
} current_frame_descrs;
struct descriptors current_frame_descrs;

/* Functions of the runtime and of OCaml; each has a place that a call returns to. */
extern char at_call[], at_start[], at_runstack[], at_work[], work[];
#define FUNCTION(symbol, label)                                                                              \
	".globl " symbol "\n.type " symbol ", @function\n" symbol ":\n nop\n nop\n" label                    \
	": nop\n jmp " symbol "\n.size " symbol ", .-" symbol "\n"
#define EDGE(symbol) ".globl " symbol "\n.type " symbol ", @function\n" symbol ":\n nop\n"
__asm__(".text\n" EDGE("caml_system__code_begin") FUNCTION("caml_c_call", "at_call") FUNCTION(
    "caml_start_program", "at_start") FUNCTION("caml_runstack", "at_runstack") EDGE("caml_system__code_end")
	EDGE("camlFalse.code_begin") "work:\n" FUNCTION("camlFalse.work_1", "at_work")
	    EDGE("camlFalse.code_end"));

static uint64_t *state, *heap, *pool;
static unsigned fibers; /* in the pool */

static void *map(size_t size)
{
	void *at =
	    mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (at == MAP_FAILED)
		exit(1);
	return at;
}

static uint64_t address(const void *p)
{
	return (uint64_t)(uintptr_t)p;
}

/* Memory of which one mebibyte is there, and mapped again and again.  *first is where it is written. */
static char *map_again(size_t size, char **first)
{
	enum { PIECE = 1 << 20 };
	char *at = map(size);
	int fd = memfd_create("again", 0);

	if (fd < 0 || ftruncate(fd, PIECE) != 0)
		exit(1);
	for (size_t done = 0; done < size; done += PIECE)
		if (mmap(at + done, PIECE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) ==
		    MAP_FAILED)
			exit(1);
	close(fd);
	*first = at;
	return at;
}

/* A frame table with the four places. */
static void make_table(void)
{
	const struct {
		const char *place;
		uint16_t size;
	} rows[] = {{at_work, 16}, {at_start, 0xffff}, {at_runstack, 0xffff}, {at_call, 0xffff}};
	char *table = map(4096);

	*(uint64_t *)(void *)table = sizeof(rows) / sizeof(rows[0]);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const uint64_t place = address(rows[i].place);
		memcpy(table + 8 + 16 * i, &place, 8);
		memcpy(table + 16 + 16 * i, &rows[i].size, 2);
	}
	caml_frametable[0] = address(table);
	current_frame_descrs.count = 4;
}

/* One domain, its heap and a pool for continuations. */
static void make_domain(void)
{
	uint64_t *params = map(65536), *element = map(264 * 128);
	char *minor = map(1 << 20), *pools = map(1 << 17);

	params[20] = 128;
	caml_params = address(params);
	all_domains = address(element);
	state = map(65536);
	heap = map(65536);
	pool = (uint64_t *)(void *)(pools + (-address(pools) & 32767));
	element[1] = address(state);
	element[14] = element[15] = element[20] = 1;
	element[21] = (uint64_t)syscall(SYS_gettid);
	element[31] = caml_minor_heaps_start = state[2] = address(minor);
	element[32] = caml_minor_heaps_end = state[1] = state[3] = address(minor) + (1 << 20);
	state[9] = address(map(4096));
	state[34] = WORDS(1 << 20);
	state[35] = address(heap);
	heap[2] = address(pool);
	heap[131] = pool[2] = address(state);
	pool[3] = 2;
}

/* Another pool behind the last one. */
static void next_pool(void)
{
	char *pools = map(1 << 16);
	uint64_t *next = (uint64_t *)(void *)(pools + (-address(pools) & 32767));

	next[2] = address(state);
	next[3] = 2;
	pool[0] = address(next);
	pool = next;
	fibers = 0;
}

/* Hold a stack by a continuation in the pool. */
static void hold(const uint64_t *stack)
{
	if (fibers == 1364)
		next_pool();
	uint64_t *block = pool + 4 + 3 * fibers++;

	block[0] = 2 << 10 | 245;
	block[1] = address(stack) + 1;
	block[2] = 1;
}

/* A fiber of `depth` frames whose stack begins at `s`; `parent` 0: it waits for its continuation. */
static uint64_t *make_fiber(uint64_t *s, size_t depth, uint64_t parent)
{
	uint64_t *at = s + 16;

	s[0] = address(at);
	for (size_t i = 0; i < depth; i++, at += 2)
		*at = address(at_work);
	*at++ = address(at_runstack); /* its base follows, and behind that where its parent is */
	s[2] = address(at + 4);
	at[7] = parent;
	return s;
}

/* Say that C was entered from a fiber. */
static void enter_c(uint64_t *link, const uint64_t *fiber)
{
	link[3] = address(at_call);
	link[4] = state[5] = address(fiber);
	link[5] = fiber[0];
	state[8] = address(link + 4);
}

/* ---- files and pages that nobody brings ---- */

/* What a served file system does not answer. */
enum silence { SPEAKS, SPEAKS_SLOWLY, SILENT_READS, SILENT };
static volatile sig_atomic_t silence;

static void fall_silent(int signal)
{
	(void)signal;
	silence = SILENT;
}

static void answer(int to, uint64_t unique, int error, const void *data, size_t len)
{
	static char out[sizeof(struct fuse_out_header) + (1 << 18)];
	const struct fuse_out_header header = {
	    .len = (uint32_t)(sizeof(header) + len), .error = -error, .unique = unique};

	memcpy(out, &header, sizeof(header));
	if (len > 0)
		memcpy(out + sizeof(header), data, len);
	/* Who asked may be gone. */
	if (write(to, out, header.len) != (ssize_t)header.len && errno != ENOENT)
		_exit(1);
}

/* Serve a file system of one file, whose bytes are those of another, under every name. */
static void serve(int fd, int bytes)
{
	static uint64_t in[1 << 15];
	static char data[1 << 18];
	struct stat st;
	const uint64_t size = fstat(bytes, &st) == 0 ? (uint64_t)st.st_size : 65536;
	const struct fuse_attr file = {.ino = 2, .size = size, .mode = S_IFREG | 0755, .nlink = 1},
			       root = {.ino = 1, .mode = S_IFDIR | 0755, .nlink = 1};
	struct fuse_in_header header;
	ssize_t n;

	while (
	    (n = read(fd, in, sizeof(in))) >= (ssize_t)sizeof(header) || errno == EINTR || errno == ENOENT) {
		if (n < (ssize_t)sizeof(header) || silence == SILENT)
			continue;
		memcpy(&header, in, sizeof(header));
		const struct fuse_init_out init = {.major = 7, .minor = 31, .max_write = 65536};
		const struct fuse_entry_out entry = {.nodeid = 2, .attr = file};
		const struct fuse_attr_out attr = {.attr = header.nodeid == 1 ? root : file};
		const struct fuse_open_out opened = {.fh = 1};
		struct fuse_read_in asked;
		switch (header.opcode) {
		case FUSE_INIT:
			answer(fd, header.unique, 0, &init, sizeof(init));
			break;
		case FUSE_LOOKUP:
			answer(fd, header.unique, 0, &entry, sizeof(entry));
			break;
		case FUSE_GETATTR:
			answer(fd, header.unique, 0, &attr, sizeof(attr));
			break;
		case FUSE_OPEN:
			answer(fd, header.unique, 0, &opened, sizeof(opened));
			break;
		case FUSE_READ:
			memcpy(&asked, (const char *)in + sizeof(header), sizeof(asked));
			if (silence == SPEAKS_SLOWLY)
				usleep(130000);
			n = silence <= SPEAKS_SLOWLY
				? pread(bytes, data, asked.size < sizeof(data) ? asked.size : sizeof(data),
				      (off_t)asked.offset)
				: -1;
			if (n >= 0)
				answer(fd, header.unique, 0, data, (size_t)n);
			break;
		case FUSE_FORGET:
		case FUSE_INTERRUPT:
			break;
		default:
			answer(fd, header.unique, ENOSYS, NULL, 0);
		}
	}
}

/* Mount that file system, which a child serves as long as we live.  The child's pid. */
static pid_t mount_served(const char *directory, const char *bytes, enum silence how)
{
	char text[256];
	int fd = open("/dev/fuse", O_RDWR | O_CLOEXEC);

	snprintf(text, sizeof(text), "fd=%d,rootmode=40000,user_id=%d,group_id=%d,allow_other", fd,
	    (int)getuid(), (int)getgid());
	if (fd < 0 || mount("silent", directory, "fuse", MS_NOSUID | MS_NODEV, text) != 0)
		exit(99);
	const pid_t child = fork();
	if (child == 0) {
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		(void)close(STDOUT_FILENO);
		silence = (sig_atomic_t)how;
		signal(SIGUSR1, fall_silent);
		serve(fd, open(bytes, O_RDONLY | O_CLOEXEC));
		_exit(0);
	}
	(void)close(fd);
	return child;
}

/* Memory of a file of that file system, which is there for a moment. */
static void *map_from(const char *directory, const char *bytes, enum silence how, void *to, size_t size)
{
	char text[256];

	(void)mount_served(directory, bytes, how);
	snprintf(text, sizeof(text), "%s/file", directory);
	int file = open(text, O_RDONLY);
	void *at = mmap(to, size, PROT_READ, MAP_PRIVATE | (to != NULL ? MAP_FIXED : 0), file, 0);
	(void)umount2(directory, MNT_DETACH);
	if (file < 0 || at == MAP_FAILED)
		exit(1);
	return at;
}

/* Have mounts of our own, which end with us. */
static void leave_mounts(void)
{
	if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
		exit(99);
}

/* A ring in a file of that file system. */
static void map_served_ring(const char *directory, const char *bytes, enum silence how)
{
	char text[256];

	leave_mounts();
	const pid_t server = mount_served(directory, bytes, how == SPEAKS ? SPEAKS : SILENT_READS);
	snprintf(text, sizeof(text), "%s/%d.events", directory, getpid());
	int file = open(text, O_RDWR);
	if (file < 0 || mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) == MAP_FAILED)
		exit(1);
	if (how == SILENT)
		kill(server, SIGUSR1);
}

/* Have all pages of the program in memory for good.  Sanitizers make mlock a call that does nothing, and mlockall would be of
 * their shadow, too. */
static bool lock_program(void)
{
	char line[512], program[256];
	const ssize_t len = readlink("/proc/self/exe", program, sizeof(program) - 1);
	FILE *maps = fopen("/proc/self/maps", "re");
	bool locked = len > 0 && maps != NULL;

	program[len > 0 ? len : 0] = '\0';
	while (locked && fgets(line, sizeof(line), maps) != NULL) {
		unsigned long from, to;
		if (strstr(line, program) != NULL && sscanf(line, "%lx-%lx r", &from, &to) == 2)
			locked = syscall(SYS_mlock, from, to - from) == 0;
	}
	if (maps != NULL)
		fclose(maps);
	return locked;
}

/* Become a program of that file system, which falls silent once that runs. */
static void become_served(const char *directory)
{
	char text[256], server[32];

	leave_mounts();
	snprintf(server, sizeof(server), "%d", (int)mount_served(directory, "/proc/self/exe", SPEAKS));
	snprintf(text, sizeof(text), "%s/file", directory);
	execl(text, text, "served", server, (char *)NULL);
	exit(1);
}

static void *map_unbrought(void)
{
	struct uffdio_api api = {.api = UFFD_API};
	void *at = map(65536);
	struct uffdio_register pages = {.range = {address(at), 65536}, .mode = UFFDIO_REGISTER_MODE_MISSING};
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);

	if (fd < 0 || ioctl(fd, UFFDIO_API, &api) != 0 || ioctl(fd, UFFDIO_REGISTER, &pages) != 0)
		exit(99);
	return at;
}

/* ---- modes ---- */

static void *write_all_over(void *at)
{
	for (uint64_t n = 0;;) {
		for (size_t i = 0; i < 4096; i++, n++)
			((volatile uint64_t *)at)[i] = (n * 0x9e3779b97f4a7c15u) >> (n % 64);
		usleep(1000);
	}
	return NULL;
}

/* A list of large blocks of a word each; `ring`: which leads back to its begin. */
static void make_large(uint64_t count, bool ring)
{
	uint64_t *at = map(count * 32);

	for (uint64_t i = 0; i < count; i++) {
		at[4 * i] = address(state);
		at[4 * i + 1] = i + 1 < count ? address(at + 4 * (i + 1)) : ring ? address(at) : 0;
		at[4 * i + 2] = 1 << 10;
	}
	heap[128] = address(at);
	heap[139] = count;
}

/* Fibers; `deeper`: each of another depth. */
static void make_fibers(size_t count, bool deeper)
{
	const size_t words = 32 + (deeper ? 2 * 2000 : 2);
	uint64_t *stacks = map(8 * words * count);

	for (size_t i = 0; i < count; i++)
		hold(make_fiber(stacks + words * i, deeper ? 100 + i % 1900 : 1, 0));
}

static void make_tables(unsigned count)
{
	uint64_t *nodes = map(16 * count);

	for (unsigned i = 0; i < count; i++) {
		nodes[2 * i] = caml_frametable[0];
		nodes[2 * i + 1] = i + 1 < count ? address(nodes + 2 * (i + 1)) : 0;
	}
	current_frame_descrs.list = address(nodes);
}

/* The heap is the begin of a file that was longer. */
static void cut_heap(void)
{
	int fd = memfd_create("cut", 0);

	if (fd < 0 || ftruncate(fd, 65536) != 0)
		exit(1);
	state[35] = address(mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
	pool[0] = state[35] + 32768;
	if (ftruncate(fd, 0) != 0)
		exit(1);
}

/* Have the pool come from a slow server. */
static void serve_pool(const char *directory)
{
	char text[64];
	const int bytes = memfd_create("pool", 0);

	make_fibers(10, false);
	if (bytes < 0 || write(bytes, pool, 32768) != 32768)
		exit(1);
	snprintf(text, sizeof(text), "/proc/self/fd/%d", bytes);
	(void)map_from(directory, text, SPEAKS_SLOWLY, pool, 32768);
}

static void make_mode(const char *mode, const char *directory)
{
	pthread_t thread;

	if (strcmp(mode, "tables") == 0)
		make_tables(60000);
	if (strcmp(mode, "parents") == 0) {
		const uint64_t *parent = NULL;
		for (unsigned i = 0; i < 100000; i++)
			parent = make_fiber(map(4096), 1, address(parent));
		hold(parent);
	}
	if (strcmp(mode, "pool") == 0) {
		make_fibers(1000, false);
		pool[0] = address(pool);
	}
	if (strcmp(mode, "many") == 0)
		make_fibers(500000, false);
	if (strcmp(mode, "groups") == 0)
		make_fibers(20000, true);
	if (strcmp(mode, "large") == 0)
		make_large(5000000, false);
	if (strcmp(mode, "large_ring") == 0)
		make_large(3, true);
	if (strcmp(mode, "rights") == 0)
		state[35] =
		    address(mmap(NULL, 65536, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
	if (strcmp(mode, "cut") == 0)
		cut_heap();
	if (strcmp(mode, "most") == 0) {
		((uint64_t *)(uintptr_t)caml_params)[20] = UINT64_C(1) << 60;
		heap[132] = heap[133] = state[48] = UINT64_MAX;
		caml_num_domains_running = UINT64_C(1) << 62;
		caml_major_cycles_completed = caml_minor_collections_count = UINT64_C(1) << 55;
	}
	if (strcmp(mode, "moving") == 0) {
		make_fibers(1000, false);
		if (pthread_create(&thread, NULL, write_all_over, pool) != 0 ||
		    pthread_create(&thread, NULL, write_all_over, state) != 0)
			exit(1);
	}
	if (strcmp(mode, "silent") == 0)
		((uint64_t *)(uintptr_t)all_domains)[1] =
		    address(map_from(directory, "", SILENT_READS, NULL, 65536));
	if (strcmp(mode, "slow") == 0)
		serve_pool(directory);
	if (strcmp(mode, "silent_ring") == 0)
		map_served_ring(directory, "", SILENT_READS);
	if (strcmp(mode, "other_ring") == 0) {
		map_served_ring(directory, "", SPEAKS);
		if (setresuid(65534, 65534, 65534) != 0 || prctl(PR_SET_DUMPABLE, 1) != 0)
			exit(1);
	}
	if (strcmp(mode, "silent_mount") == 0)
		map_served_ring(directory, "", SILENT);
	if (strcmp(mode, "silent_program") == 0)
		become_served(directory);
	if (strcmp(mode, "served") == 0 && (!lock_program() || kill(atoi(directory), SIGUSR1) != 0))
		exit(1);
	if (strcmp(mode, "unbrought") == 0)
		((uint64_t *)(uintptr_t)all_domains)[1] = address(map_unbrought());
}

static void ready(void)
{
	printf("%d\n", getpid());
	fflush(stdout);
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "plain";
	volatile uint64_t link[16] = {0};
	char *first;

	(void)prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
	make_domain();
	make_table();
	if (strcmp(mode, "plain") == 0)
		for (int i = 0; i < 10; i++)
			hold(make_fiber(map(4096), 1, 0));
	if (strcmp(mode, "own_parent") == 0) {
		uint64_t *s = map(4096);
		enter_c((uint64_t *)(uintptr_t)link, make_fiber(s, 0, address(s)));
	}
	if (strcmp(mode, "table") == 0) {
		char *table = map_again((size_t)257 << 20, &first);
		for (size_t at = 0; at < 1 << 20; at += 16)
			memcpy(first + at, &(const uint64_t[]){0x1000 + at, 0xffff}, 16);
		*(uint64_t *)(void *)(table + (1 << 20) - 8) = 1 << 24;
		caml_frametable[1] = address(table + (1 << 20) - 8);
	}
	if (strcmp(mode, "list") == 0) {
		uint64_t *node = map(4096);
		node[0] = caml_frametable[0];
		node[1] = current_frame_descrs.list = address(node);
	}
	if (strcmp(mode, "spin") == 0) {
		uint64_t *s = map(65536);
		(void)make_fiber(s, 0, address(s));
		state[5] = address(s);
		state[8] = address((const void *)(uintptr_t)link);
		ready();
		__asm__ volatile("mov %0, %%r14\n mov %1, %%rsp\n jmp work" ::"r"(state), "r"(s[0])
				 : "memory");
	}
	make_mode(mode, argc > 2 ? argv[2] : "");
	ready();
	for (;;)
		sleep(1000);
}
