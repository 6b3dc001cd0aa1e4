/*
 * test_producer.c - the life of a producer: its file, its environment, pauses, threads' slots, forks.
 */
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "support/producer_fixture.h"

TEST(test_file)
{
	char path[4096], want[160];
	uint64_t words[8];
	struct stat st;

	mode_t mask = umask(0);
	struct rtev_producer *p = make_started(small(5));
	umask(mask);
	OK(rtev_producer_path(p, path, sizeof(path)));
	snprintf(want, sizeof(want), "%s/%ld.events", dir, (long)getpid());
	CHECK_STR(path, want);
	CHECK_INT(rtev_producer_path(p, path, strlen(want)), RTEV_E_PATH);
	CHECK_INT(files(), 1);
	CHECK_INT(stat(want, &st), 0);
	CHECK_INT(st.st_mode & 07777, 0600);
	CHECK_INT(st.st_size, 64 + 80 * 4 + 8 * 4 * 32 + 8192 * 128);
	load(want, words, 8);
	CHECK_INT(words[0], 1);
	CHECK_INT(words[1], 4);
	CHECK_INT(words[2], 80);
	CHECK_INT(words[3], 8 * 32);
	CHECK_INT(words[4], 32);
	CHECK_INT(words[5], 64);
	CHECK_INT(words[6], 64 + 80 * 4);
	CHECK_INT(words[7], 64 + 80 * 4 + 8 * 4 * 32);
	rtev_producer_destroy(p);
	CHECK_INT(files(), 0);

	struct rtev_producer_options old = small(5);
	old.layout = RTEV_LAYOUT_5_0;
	p = make_started(old);
	CHECK_INT(stat(want, &st), 0);
	CHECK_INT(st.st_size, 64 + 80 * 4 + 8 * 4 * 32);
	load(want, words, 8);
	CHECK_INT(words[7], 0);
	rtev_producer_destroy(p);
}

/* The defaults are those of OCaml 5.3. */
TEST(test_defaults)
{
	struct rtev_producer *p;
	struct rtev_cursor *cursor;
	struct rtev_ring_info info = {.size = sizeof(info)};
	char cwd[4096], path[4096];

	CHECK(getcwd(cwd, sizeof(cwd)) != NULL);
	CHECK_INT(chdir(dir), 0);
	OK(rtev_producer_create(&p, NULL));
	/* The directory is that of the creation. */
	CHECK_INT(chdir(cwd), 0);
	OK(rtev_producer_start(p, rtev_producer_main(p)));
	OK(rtev_producer_path(p, path, sizeof(path)));
	CHECK_INT(strncmp(path, dir, strlen(dir)), 0);
	OK(rtev_cursor_open_producer(&cursor, p, NULL));
	rtev_cursor_info(cursor, &info);
	CHECK_INT(info.domains, 128);
	CHECK_INT(info.ring_words, 65536);
	CHECK_INT(info.file_bytes, 68167744);
	CHECK(info.has_names);
	CHECK_INT(rtev_cursor_release(cursor), RTEV_RELEASE_5_3);
	OK(rtev_cursor_close(cursor));
	rtev_producer_destroy(p);
	rtev_producer_destroy(NULL);
}

/* A file larger than the process may write is a status, raises no signal, and leaves nothing. */
TEST(test_file_size_limit)
{
	struct rlimit old, low;
	struct rtev_producer *p;
	struct rtev_producer_options options = small(5);

	CHECK_INT(getrlimit(RLIMIT_FSIZE, &old), 0);
	low = old;
	low.rlim_cur = 4096;
	OK(rtev_producer_create(&p, &options));
	CHECK_INT(setrlimit(RLIMIT_FSIZE, &low), 0);
	CHECK_INT(rtev_producer_start(p, rtev_producer_main(p)), RTEV_E_SPACE);
	CHECK_INT(setrlimit(RLIMIT_FSIZE, &old), 0);
	CHECK_INT(files(), 0);
	CHECK(!rtev_domain_active(rtev_producer_main(p)));
	OK(rtev_producer_start(p, rtev_producer_main(p)));
	CHECK_INT(files(), 1);
	rtev_producer_destroy(p);
}

/* What stands in the way under the file's name. */
TEST(test_name_taken)
{
	char path[160], victim[160], text[8] = "victim";
	struct rtev_producer_options options = small(5);
	struct rtev_producer *p;
	struct stat st;

	snprintf(path, sizeof(path), "%s/%ld.events", dir, (long)getpid());
	snprintf(victim, sizeof(victim), "%s/victim", dir);
	int fd = open(victim, O_WRONLY | O_CREAT | O_EXCL, 0644);
	CHECK_INT(write(fd, text, 6), 6);
	close(fd);
	CHECK_INT(symlink(victim, path), 0);
	p = make_started(options);
	CHECK_INT(lstat(path, &st), 0);
	CHECK(S_ISREG(st.st_mode));
	CHECK_INT(stat(victim, &st), 0);
	CHECK_INT(st.st_size, 6);

	/* Somebody else's file under that name is not ours to remove. */
	CHECK_INT(rename(victim, path), 0);
	rtev_producer_destroy(p);
	CHECK_INT(stat(path, &st), 0);
	CHECK_INT(st.st_size, 6);
	CHECK_INT(unlink(path), 0);

	CHECK_INT(mkdir(path, 0700), 0);
	p = make(options);
	CHECK_INT(rtev_producer_start(p, rtev_producer_main(p)), RTEV_E_NOT_REGULAR);
	CHECK_INT(files(), 1);
	CHECK(!rtev_domain_active(rtev_producer_main(p)));
	OK(rtev_domain_begin(rtev_producer_main(p), RTEV_PHASE_MINOR));
	CHECK_INT(rmdir(path), 0);
	OK(rtev_producer_start(p, rtev_producer_main(p)));
	rtev_producer_destroy(p);

	options.dir = "/nonexistent/dir";
	CHECK_INT(rtev_producer_create(&p, &options), RTEV_E_NOENT);
	CHECK(p == NULL);
}

TEST(test_options)
{
	struct rtev_producer *p;
	struct rtev_producer_options options;

	options = small(RTEV_RING_EXPONENT_MIN - 1);
	CHECK_INT(rtev_producer_create(&p, &options), RTEV_E_INVALID);
	options = small(RTEV_RING_EXPONENT_MAX + 1);
	CHECK_INT(rtev_producer_create(&p, &options), RTEV_E_INVALID);
	options = small(5);
	options.domains = RTEV_DOMAINS_MAX + 1;
	CHECK_INT(rtev_producer_create(&p, &options), RTEV_E_INVALID);
	options = small(5);
	options.release = RTEV_RELEASE_COUNT;
	CHECK_INT(rtev_producer_create(&p, &options), RTEV_E_INVALID);
	options = small(5);
	options.size = sizeof(options) + 8;
	CHECK_INT(rtev_producer_create(&p, &options), RTEV_E_INVALID);
}

TEST(test_environment)
{
	struct rtev_producer_options options = {
	    .size = sizeof(options), .dir = "/nonexistent", .exponent = 5};
	struct rtev_producer *p;
	char path[4096];

	options.environment = true;
	setenv(RTEV_ENV_DIR, dir, 1);
	p = make(options);
	CHECK_INT(rtev_producer_path(p, path, sizeof(path)), RTEV_E_NO_CURRENT_RING);
	rtev_producer_destroy(p);

	/* Presence counts, not the value. */
	setenv(RTEV_ENV_START, "", 1);
	p = make(options);
	OK(rtev_producer_path(p, path, sizeof(path)));
	rtev_producer_destroy(p);
	CHECK_INT(files(), 0);

	setenv(RTEV_ENV_PRESERVE, "", 1);
	p = make(options);
	OK(rtev_producer_path(p, path, sizeof(path)));
	rtev_producer_destroy(p);
	CHECK_INT(files(), 1);
	CHECK_INT(unlink(path), 0);

	/* Who does not ask for the environment is not subject to it. */
	options.environment = false;
	CHECK_INT(rtev_producer_create(&p, &options), RTEV_E_NOENT);
	unsetenv(RTEV_ENV_START);
	unsetenv(RTEV_ENV_PRESERVE);
	unsetenv(RTEV_ENV_DIR);
}

TEST(test_pause)
{
	struct rtev_producer *p = make_started(small(8));
	struct rtev_domain *d = rtev_producer_main(p), *other;
	struct recorder c = {.unstamped = true};

	OK(rtev_producer_attach(p, &other));
	OK(rtev_producer_resume(p, d));
	OK(rtev_domain_begin(d, RTEV_PHASE_MINOR));
	OK(rtev_producer_pause(p, d));
	OK(rtev_producer_pause(p, other));
	CHECK(!rtev_domain_active(d));
	CHECK(!rtev_domain_active(other));
	OK(rtev_domain_end(d, RTEV_PHASE_MINOR));
	OK(rtev_domain_begin(other, RTEV_PHASE_MAJOR));
	rtev_domain_alloc(d, 1, 1);
	OK(rtev_producer_resume(p, other));
	CHECK(rtev_domain_active(d));
	OK(rtev_domain_alloc_flush(d));
	OK(rtev_domain_begin(d, RTEV_PHASE_MAJOR));
	CHECK_STR(read_ring(&c, p), "0 lifecycle ring_start PID\n"
				    "0 begin minor\n"
				    "0 lifecycle ring_pause 0\n"
				    "0 alloc 0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0\n"
				    "0 begin major\n"
				    "1 lifecycle domain_spawn PID\n"
				    "1 lifecycle ring_resume 0\n");
	/* A new start does not inherit the pause. */
	OK(rtev_producer_pause(p, d));
	OK(rtev_producer_stop(p, d));
	OK(rtev_producer_start(p, d));
	CHECK(rtev_domain_active(d));
	recorder_clear(&c);
	rtev_producer_destroy(p);
}

TEST(test_stop)
{
	struct rtev_producer_options options = small(8);
	options.preserve = true;
	struct rtev_producer *p = make_started(options);
	struct rtev_domain *d = rtev_producer_main(p), *other;
	struct rtev_cursor *cursor;
	struct recorder c = {.unstamped = true};
	char path[4096];

	OK(rtev_producer_attach(p, &other));
	OK(rtev_producer_path(p, path, sizeof(path)));
	OK(rtev_cursor_open_producer(&cursor, p, NULL));
	OK(rtev_producer_stop(p, other));
	OK(rtev_producer_stop(p, other));
	CHECK(!rtev_domain_active(d));
	OK(rtev_domain_begin(d, RTEV_PHASE_MINOR));
	CHECK_INT(rtev_producer_path(p, path, sizeof(path)), RTEV_E_NO_CURRENT_RING);
	struct rtev_cursor *none;
	CHECK_INT(rtev_cursor_open_producer(&none, p, NULL), RTEV_E_NO_CURRENT_RING);
	/* A cursor lives on. */
	CHECK_STR(recorder_text(&c, cursor), "0 lifecycle ring_start PID\n"
					     "1 lifecycle domain_spawn PID\n"
					     "1 lifecycle ring_stop 0\n");
	OK(rtev_cursor_close(cursor));
	CHECK_INT(files(), 1);
	OK(rtev_producer_start(p, d));
	CHECK_INT(files(), 1);
	/* The other domain finds the new ring by itself. */
	OK(rtev_domain_begin(other, RTEV_PHASE_MINOR));
	CHECK_STR(read_ring(&c, p), "0 lifecycle ring_start PID\n1 begin minor\n");
	recorder_clear(&c);
	rtev_producer_destroy(p);
	CHECK_INT(unlink(path), 0);
}

TEST(test_slots)
{
	struct rtev_producer *p = make_started(small(8));
	struct rtev_domain *d[4], *more;
	struct recorder c = {.unstamped = true};

	for (unsigned i = 1; i < 4; i++) {
		OK(rtev_producer_attach(p, &d[i]));
		CHECK_INT(rtev_domain_slot(d[i]), i);
	}
	CHECK_INT(rtev_producer_attach(p, &more), RTEV_E_DOMAINS);
	rtev_domain_alloc(d[2], 5, 3);
	rtev_domain_detach(d[2]);
	rtev_domain_detach(d[1]);
	/* The main domain stays, whatever is said. */
	rtev_domain_detach(rtev_producer_main(p));
	rtev_domain_detach(NULL);
	OK(rtev_producer_attach(p, &more));
	CHECK_INT(rtev_domain_slot(more), 1);
	OK(rtev_domain_begin(more, RTEV_PHASE_MINOR));
	OK(rtev_producer_attach(p, &more));
	CHECK_INT(rtev_domain_slot(more), 2);
	OK(rtev_domain_alloc_flush(more));
	CHECK_STR(read_ring(&c, p), "0 lifecycle ring_start PID\n"
				    "1 lifecycle domain_spawn PID\n"
				    "1 lifecycle domain_terminate PID\n"
				    "1 lifecycle domain_spawn PID\n"
				    "1 begin minor\n"
				    "2 lifecycle domain_spawn PID\n"
				    "2 lifecycle domain_terminate PID\n"
				    "2 lifecycle domain_spawn PID\n"
				    "2 alloc 0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0\n"
				    "3 lifecycle domain_spawn PID\n");
	recorder_clear(&c);
	rtev_producer_destroy(p);
}

/* Whatever others write to the file, the writer goes on. */
TEST(test_scribbled)
{
	struct rtev_producer *p = make_started(small(6));
	struct rtev_domain *d = rtev_producer_main(p);
	char path[4096];
	uint64_t state = 1;

	OK(rtev_producer_path(p, path, sizeof(path)));
	int fd = open(path, O_RDWR);
	size_t words = (64 + 80 * 4) / 8 + 64;
	uint64_t *map = mmap(NULL, words * 8, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	CHECK(map != MAP_FAILED);
	close(fd);
	for (int round = 0; round < 20000; round++) {
		for (int i = 0; i < 8; i++) {
			state = state * 6364136223846793005u + 1442695040888963407u;
			/* Anywhere, headers of rings and words; zeros and noise. */
			map[8 + (state >> 33) % (words - 8)] = state >> 63 ? 0 : state * 31;
		}
		OK(rtev_domain_begin(d, RTEV_PHASE_MINOR));
		OK(rtev_domain_counter(d, RTEV_COUNTER_MINOR_PROMOTED, round));
		OK(rtev_domain_alloc_flush(d));
		if (round % 1000 == 0) {
			/* A slot taken over takes its indexes from the file. */
			struct rtev_domain *other;
			OK(rtev_producer_attach(p, &other));
			for (int i = 0; i < 100; i++)
				OK(rtev_domain_begin(other, RTEV_PHASE_MINOR));
			rtev_domain_detach(other);
		}
	}
	munmap(map, words * 8);
	rtev_producer_destroy(p);
}

/* Whether the kernel wipes for a child what it is asked to (emulators of user programs say that they do). */
static bool kernel_wipes(void)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	int status;
	char *page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(page != MAP_FAILED);
	page[0] = 1;
	CHECK_INT(madvise(page, size, MADV_WIPEONFORK), 0);
	pid_t pid = fork();
	CHECK(pid >= 0);
	if (pid == 0)
		_exit(page[0]);
	CHECK_INT(waitpid(pid, &status, 0), pid);
	munmap(page, size);
	return status == 0;
}

/* A child that has not said that it was forked records nowhere and can't begin. */
static void child_before(struct rtev_producer *p, const struct rtev_user *u, struct rtev_domain *old)
{
	struct rtev_domain *d;
	char path[4096];

	OK(rtev_domain_begin(old, RTEV_PHASE_MAJOR));
	OK(rtev_domain_user_unit(rtev_producer_main(p), u));
	OK(rtev_producer_pause(p, old));
	CHECK(!rtev_domain_active(old));
	CHECK_INT(rtev_producer_attach(p, &d), RTEV_E_INVALID);
	CHECK_INT(rtev_producer_start(p, old), RTEV_E_INVALID);
	OK(rtev_producer_stop(p, old));
	rtev_domain_detach(old);
	CHECK_INT(rtev_producer_path(p, path, sizeof(path)), RTEV_E_NO_CURRENT_RING);
}

/* What a child does that has a ring of its own. */
static void child_after(struct rtev_producer *p, const struct rtev_user *u)
{
	struct recorder c = {.unstamped = true};
	struct rtev_domain *d;

	OK(rtev_producer_forked(p));
	d = rtev_producer_main(p);
	OK(rtev_domain_user_unit(d, u));
	CHECK_STR(read_ring(&c, p), "0 lifecycle ring_start PID\n"
				    "0 lifecycle fork_child 0\n"
				    "0 unit before.fork\n");
	OK(rtev_producer_attach(p, &d));
	CHECK_INT(rtev_domain_slot(d), 1);
	CHECK_INT(files(), 2);
	recorder_clear(&c);
	rtev_producer_destroy(p);
	CHECK_INT(files(), 1);
}

TEST(test_fork)
{
	struct rtev_producer *p = make_started(small(8));
	struct rtev_domain *d = rtev_producer_main(p), *other;
	const struct rtev_user *u = user(p, "before.fork", RTEV_USER_UNIT);
	struct recorder c = {.unstamped = true};
	bool wiped = kernel_wipes();
	int status;

	if (!wiped)
		printf("not tried: what a child does before it says that it was forked (MADV_WIPEONFORK)\n");
	OK(rtev_producer_attach(p, &other));
	fflush(stdout);
	for (int forked = 0; forked < 2; forked++) {
		pid_t pid = fork();
		CHECK(pid >= 0);
		if (pid == 0) {
			if (forked == 0 && wiped)
				child_before(p, u, other);
			if (forked == 0)
				child_after(p, u);
			else if (wiped)
				rtev_producer_destroy(p); /* without a ring of its own */
			_exit(0);
		}
		OK(rtev_domain_lifecycle(d, RTEV_LIFECYCLE_FORK_PARENT, 7));
		CHECK_INT(waitpid(pid, &status, 0), pid);
		CHECK_INT(status, 0);
		CHECK_INT(files(), 1);
	}
	CHECK_STR(read_ring(&c, p), "0 lifecycle ring_start PID\n"
				    "0 lifecycle fork_parent 7\n0 lifecycle fork_parent 7\n"
				    "1 lifecycle domain_spawn PID\n");
	recorder_clear(&c);
	rtev_producer_destroy(p);

	/* Nothing started, nothing to start anew. */
	p = make(small(8));
	pid_t pid = fork();
	CHECK(pid >= 0);
	if (pid == 0) {
		if (wiped)
			CHECK_INT(rtev_producer_start(p, rtev_producer_main(p)), RTEV_E_INVALID);
		OK(rtev_producer_forked(p));
		CHECK(!rtev_domain_active(rtev_producer_main(p)));
		rtev_producer_destroy(p);
		_exit(0);
	}
	CHECK_INT(waitpid(pid, &status, 0), pid);
	CHECK_INT(status, 0);
	rtev_producer_destroy(p);
}

int main(void)
{
	fixture_begin();
	test_run();
	fixture_end();
	return 0;
}
