/*
 * test_target_system.c - samples of a process: its own files and those of its threads, from made-up trees and
 * of this test itself.
 */
#include <grp.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <time.h>

#include "target/system_parse.h"
#include "target/system_tree.h"

#define SECOND UINT64_C(1000000000)

/* Parse a list of processors; how many there are, or -1. */
static int cpus(const char *text)
{
	struct system_cpus set;

	return system_parse_cpus(text, strlen(text), &set) ? (int)system_cpus_count(&set, NULL) : -1;
}

TEST(test_lists_of_processors)
{
	struct system_cpus some, online;

	CHECK_INT(cpus("0\n"), 1);
	CHECK_INT(cpus("0-3,8,10-11\n"), 7);
	CHECK_INT(cpus("0-8191"), 8192);
	CHECK_INT(cpus("0-8192"), -1);
	CHECK_INT(cpus("3-1"), -1);
	CHECK_INT(cpus(""), -1);
	CHECK_INT(cpus("\n"), -1);
	CHECK_INT(cpus("0-"), -1);
	CHECK_INT(cpus("0 1"), -1);
	CHECK(system_parse_cpus("2-9", 3, &some) && system_parse_cpus("0-3", 3, &online));
	CHECK_INT(system_cpus_count(&some, &online), 2);
}

TEST(test_numbers_of_groups)
{
	uint64_t value, period;

	CHECK(system_parse_limit("max\n", 4, &value) && value == SYSTEM_NO_LIMIT);
	CHECK(system_parse_limit("-1\n", 3, &value) && value == SYSTEM_NO_LIMIT);
	CHECK(system_parse_limit("1048576\n", 8, &value) && value == 1048576);
	CHECK(!system_parse_limit("12x\n", 4, &value));
	CHECK(system_parse_cpu_max("50000 100000\n", 13, &value, &period));
	CHECK_INT(system_quota_cores(value, period), 500);
	CHECK(system_parse_cpu_max("max 100000\n", 11, &value, &period) && value == SYSTEM_NO_LIMIT);
	CHECK(!system_parse_cpu_max("max\n", 4, &value, &period));
	CHECK(!system_parse_cpu_max("5 0\n", 4, &value, &period));
	CHECK_INT(system_quota_cores(UINT64_MAX - 1, 1), UINT64_MAX);
	CHECK(system_parse_keyed("a 1\nab 2\n", 9, "ab", &value) && value == 2);
	CHECK(!system_parse_keyed("abc 2\n", 6, "ab", &value));
	CHECK(!system_parse_keyed("ab 99999999999999999999\n", 24, "ab", &value));
	static const char pressure[] = "some avg10=0.41 avg60=7.57 avg300=13.97 total=626\n"
				       "full avg10=0.00 avg60=0.00 avg300=0.00 total=4\n";
	CHECK(system_parse_pressure(pressure, sizeof pressure - 1, "some", &value) && value == 626);
	CHECK(system_parse_pressure(pressure, sizeof pressure - 1, "full", &value) && value == 4);
	CHECK(!system_parse_pressure(pressure, 40, "some", &value));
	CHECK(system_parse_load("12.34 1 1\n", 10, &value) && value == 12340);
	CHECK(!system_parse_load("12\n", 3, &value));
	struct system_cpus second = {.bits = {1 << 1}};
	static const char stat[] =
	    "cpu  9 9 9 9\ncpu0 1 1 1 1 1 1 1 1\ncpu1 10 20 30 40 50 60 70 80 9 9\nintr 1\n";
	CHECK(system_parse_ran(stat, sizeof stat - 1, &second, 1, &value) && value == 270);
	CHECK(!system_parse_ran(stat, sizeof stat - 1, &second, 2, &value));
	CHECK(!system_parse_ran(stat, 40, &second, 1, &value)); /* cut short within its line */
}

TEST(test_own_files)
{
	struct tree tree;

	system_tree_create(&tree);
	struct sampler *sampler = system_sampler(&tree);
	CHECK(sampler_due(sampler, 5));
	const struct system_sample *s = sampler_take(sampler, 5 * SECOND);
	CHECK(!sampler_due(sampler, 6 * SECOND - 1) && sampler_due(sampler, 6 * SECOND));
	CHECK_KNOWN(s, SYSTEM_CPU_USER, 2500000000);
	CHECK_KNOWN(s, SYSTEM_CPU_SYSTEM, 500000000);
	CHECK_KNOWN(s, SYSTEM_MINOR_FAULTS, 1000);
	CHECK_KNOWN(s, SYSTEM_MAJOR_FAULTS, 7);
	CHECK_KNOWN(s, SYSTEM_THREAD_COUNT, 1);
	CHECK_KNOWN(s, SYSTEM_RESIDENT, 2048 * 1024);
	CHECK_KNOWN(s, SYSTEM_SWAP, 16 * 1024);
	CHECK_KNOWN(s, SYSTEM_HUGE, 4 * 1024);
	CHECK_KNOWN(s, SYSTEM_AFFINITY, 3000); /* the processor 6 is not online */
	CHECK_KNOWN(s, SYSTEM_CORES, 3000);
	CHECK_KNOWN(s, SYSTEM_MACHINE_CORES, 4000);
	CHECK_KNOWN(s, SYSTEM_MACHINE_MEMORY, INT64_C(8000000) * 1024);
	CHECK_KNOWN(s, SYSTEM_LOAD, 1250);
	CHECK_KNOWN(s, SYSTEM_MACHINE_RUN, 80000000);
	CHECK_UNKNOWN(s, SYSTEM_QUOTA, SYSTEM_NO_CGROUP);
	CHECK_UNKNOWN(s, SYSTEM_MEMORY_LIMIT, SYSTEM_NO_CGROUP);
	CHECK_UNKNOWN(s, SYSTEM_PRESSURE_CPU, SYSTEM_OTHER_KERNEL);
	CHECK_INT(s->thread_count, 1);
	CHECK_STR(s->threads[0].comm, "worker 77");
	CHECK_INT(s->threads[0].run.value, 1000);
}

TEST(test_process_that_is_not_there)
{
	struct tree tree;

	system_tree_create(&tree);
	struct sampler *sampler = sampler_create(
	    &(struct sampler_options){.proc_root = tree.root, .sys_root = tree.base, .pid = 4});
	const struct system_sample *s = sampler_take(sampler, SECOND);
	CHECK_UNKNOWN(s, SYSTEM_CPU_USER, SYSTEM_ENDED);
	CHECK_UNKNOWN(s, SYSTEM_RESIDENT, SYSTEM_ENDED);
	CHECK_UNKNOWN(s, SYSTEM_QUOTA, SYSTEM_ENDED);
	CHECK_UNKNOWN(s, SYSTEM_WAIT, SYSTEM_ENDED);
	CHECK_UNKNOWN(s, SYSTEM_CORES, SYSTEM_ENDED);
	CHECK_KNOWN(s, SYSTEM_LOAD, 1250);
	CHECK_INT(s->threads_known, SYSTEM_ENDED);
	sampler_destroy(sampler);
}

/* A process that ends gives up its memory before it is a zombie: it never had none. */
TEST(test_process_that_ends)
{
	struct tree tree;

	system_tree_create(&tree);
	put(&tree, "proc/77/status",
	    "VmRSS:\t0 kB\nRssAnon:\t0 kB\nVmSwap:\t0 kB\nCpus_allowed_list:\t0-1\n");
	struct sampler *sampler = system_sampler(&tree);
	const struct system_sample *s = sampler_take(sampler, SECOND);
	CHECK_UNKNOWN(s, SYSTEM_RESIDENT, SYSTEM_ENDED);
	CHECK_UNKNOWN(s, SYSTEM_ANON, SYSTEM_ENDED);
	CHECK_UNKNOWN(s, SYSTEM_SWAP, SYSTEM_ENDED);
	CHECK_KNOWN(s, SYSTEM_AFFINITY, 2000);
}

TEST(test_nonsense_is_not_known)
{
	struct tree tree;

	system_tree_create(&tree);
	put(&tree, "proc/77/stat", "77 nonsense\n");
	put(&tree, "proc/77/status", "VmRSS: x\nCpus_allowed_list:\t9-1\n");
	put(&tree, "proc/77/task/77/schedstat", "-1 2 3\n");
	put(&tree, "proc/loadavg", "load\n");
	put(&tree, "sys/devices/system/cpu/online", "?\n");
	struct sampler *sampler = system_sampler(&tree);
	const struct system_sample *s = sampler_take(sampler, SECOND);
	static const enum system_value_id ids[] = {SYSTEM_CPU_USER, SYSTEM_RESIDENT, SYSTEM_SWAP,
	    SYSTEM_AFFINITY, SYSTEM_CORES, SYSTEM_LOAD, SYSTEM_MACHINE_CORES, SYSTEM_WAIT, SYSTEM_RUN};
	for (unsigned i = 0; i < sizeof ids / sizeof ids[0]; i++)
		CHECK_UNKNOWN(s, ids[i], SYSTEM_OTHER_KERNEL);
	CHECK_KNOWN(s, SYSTEM_FORCED, 0);
}

/* What threads had before sampling began is no part of the sums; what a new one has is. */
TEST(test_sums_of_threads)
{
	struct tree tree;
	const struct system_sample *s;

	system_tree_create(&tree);
	put_thread(&tree, 78, 1, 7000, 700);
	put_process(&tree, 2, 250, 50);
	struct sampler *sampler = system_sampler(&tree);
	s = sampler_take(sampler, SECOND);
	CHECK_KNOWN(s, SYSTEM_RUN, 0);
	CHECK_KNOWN(s, SYSTEM_WAIT, 0);
	put_thread(&tree, 77, 100, 1600, 510);
	put_thread(&tree, 78, 1, 7100, 707);
	s = sampler_take(sampler, 2 * SECOND);
	CHECK_KNOWN(s, SYSTEM_RUN, 700);
	CHECK_KNOWN(s, SYSTEM_WAIT, 17);
	CHECK_INT(s->threads[1].tid, 78);
	put_thread(&tree, 60, 1, 30, 3);
	put_process(&tree, 3, 250, 50);
	s = sampler_take(sampler, 3 * SECOND);
	CHECK_KNOWN(s, SYSTEM_RUN, 730);
	CHECK_KNOWN(s, SYSTEM_WAIT, 20);
	CHECK_KNOWN(s, SYSTEM_FORCED, 20);
	CHECK_INT(s->thread_count, 3);
	CHECK_INT(s->threads[0].tid, 60);
	/* A thread that ends takes nothing of the sums with it. */
	char dir[512];
	snprintf(dir, sizeof dir, "%s/proc/77/task/78", tree.base);
	CHECK_INT(nftw(dir, tree_remove_one, 16, FTW_DEPTH | FTW_PHYS), 0);
	put_process(&tree, 2, 250, 50);
	s = sampler_take(sampler, 4 * SECOND);
	CHECK_INT(s->thread_count, 2);
	CHECK_KNOWN(s, SYSTEM_RUN, 730);
}

/* A file of an old thread that can be read later than its others: what it had before sampling began is no part either. */
TEST(test_sums_of_a_file_that_comes_late)
{
	struct tree tree;

	system_tree_create(&tree);
	put_thread(&tree, 78, 1, 7000, 700);
	put(&tree, "proc/77/task/78/schedstat", "-1 2 3\n");
	put_process(&tree, 2, 250, 50);
	struct sampler *sampler = system_sampler(&tree);
	(void)sampler_take(sampler, SECOND);
	put_thread(&tree, 78, 1, 3600 * SECOND, 700);
	const struct system_sample *s = sampler_take(sampler, 2 * SECOND);
	CHECK_KNOWN(s, SYSTEM_RUN, 0);
	CHECK_KNOWN(s, SYSTEM_WAIT, 0);
	put_thread(&tree, 78, 1, 3600 * SECOND + 5, 707);
	s = sampler_take(sampler, 3 * SECOND);
	CHECK_KNOWN(s, SYSTEM_RUN, 5);
	CHECK_KNOWN(s, SYSTEM_WAIT, 7);
}

/* Zeros from a kernel that does not count are not taken for a measurement. */
TEST(test_schedstat_that_does_not_count)
{
	struct tree tree;

	system_tree_create(&tree);
	put(&tree, "proc/77/task/77/schedstat", "0 0 0\n");
	struct sampler *sampler = system_sampler(&tree);
	const struct system_sample *s = sampler_take(sampler, SECOND);
	CHECK_UNKNOWN(s, SYSTEM_WAIT, SYSTEM_OTHER_KERNEL);
	CHECK_INT(s->threads[0].wait.known, SYSTEM_OTHER_KERNEL);
}

/* What the reader of the rings itself waited, where the kernel counts it. */
TEST(test_reader_waits)
{
	struct tree tree;

	system_tree_create(&tree);
	struct sampler *sampler = system_sampler(&tree);
	CHECK_UNKNOWN(sampler_take(sampler, SECOND), SYSTEM_READER_WAIT, SYSTEM_OTHER_KERNEL);
	put(&tree, "proc/self/schedstat", "0 0 0\n");
	sampler = system_sampler(&tree);
	CHECK_UNKNOWN(sampler_take(sampler, SECOND), SYSTEM_READER_WAIT, SYSTEM_OTHER_KERNEL);
	put(&tree, "proc/self/schedstat", "900 77 3\n");
	const struct system_value *wait = &sampler_take(sampler, 2 * SECOND)->values[SYSTEM_READER_WAIT];
	CHECK_INT(wait->known, SYSTEM_KNOWN);
	CHECK_INT(wait->value, 77);
}

/* Many threads are read in turns, and each comes round. */
TEST(test_many_threads_take_turns)
{
	enum { THREADS = 40 };
	struct tree tree;
	const struct system_sample *s = NULL;

	system_tree_create(&tree);
	put_process(&tree, THREADS, 250, 50);
	for (int i = 0; i < THREADS; i++)
		put_thread(&tree, 77 + i, 1, 1000, 100);
	struct sampler *sampler = system_sampler(&tree);
	s = sampler_take(sampler, SECOND);
	CHECK(s->in_turns);
	CHECK_INT(s->thread_count, SYSTEM_THREADS_AT_ONCE);
	s = sampler_take(sampler, 2 * SECOND);
	s = sampler_take(sampler, 3 * SECOND);
	CHECK_INT(s->thread_count, THREADS);
	for (int i = 0; i < THREADS; i++)
		put_thread(&tree, 77 + i, 1, 1010, 101);
	s = sampler_take(sampler, 4 * SECOND);
	s = sampler_take(sampler, 5 * SECOND);
	s = sampler_take(sampler, 6 * SECOND);
	CHECK_KNOWN(s, SYSTEM_RUN, THREADS * 10);
	CHECK_KNOWN(s, SYSTEM_WAIT, THREADS);
	/* The one that goes on to run is read each time, whoever's turn it is. */
	for (unsigned i = 1; i <= 6; i++) {
		put_thread(&tree, 77, 1, 1010 + 100 * i, 101 + 7 * i);
		s = sampler_take(sampler, (6 + i) * SECOND);
	}
	for (unsigned i = 7; i <= 12; i++) {
		put_thread(&tree, 77, 1, 1010 + 100 * i, 101 + 7 * i);
		s = sampler_take(sampler, (6 + i) * SECOND);
		CHECK_KNOWN(s, SYSTEM_RUN, THREADS * 10 + 100 * i);
		CHECK_KNOWN(s, SYSTEM_WAIT, THREADS + 7 * i);
	}
}

/* More threads than are kept: none is read beyond the table, and nothing of one that comes in late is taken
 * for new. */
TEST(test_more_threads_than_are_kept)
{
	struct tree tree;
	const struct system_sample *s = NULL;

	system_tree_create(&tree);
	put_process(&tree, SYSTEM_THREADS + 20, 250, 50);
	for (int i = 0; i < SYSTEM_THREADS + 20; i++)
		put_thread(&tree, 77 + i, 1, 1000, 100);
	struct sampler *sampler = system_sampler(&tree);
	for (uint64_t i = 1; i <= SYSTEM_THREADS / SYSTEM_THREADS_AT_ONCE; i++)
		s = sampler_take(sampler, i * SECOND);
	CHECK_INT(s->thread_count, SYSTEM_THREADS);
	/* One of those that are kept ends, so another one gets its place. */
	int32_t ended = s->threads[0].tid;
	char dir[512];
	snprintf(dir, sizeof dir, "%s/proc/77/task/%d", tree.base, (int)ended);
	CHECK_INT(nftw(dir, tree_remove_one, 16, FTW_DEPTH | FTW_PHYS), 0);
	put_process(&tree, SYSTEM_THREADS + 19, 250, 50);
	s = sampler_take(sampler, 99 * SECOND);
	CHECK_INT(s->thread_count, SYSTEM_THREADS - 1);
	/* A count that changes has them listed again. */
	put_process(&tree, SYSTEM_THREADS + 18, 250, 50);
	for (uint64_t i = 0; i <= SYSTEM_THREADS / SYSTEM_THREADS_AT_ONCE; i++)
		s = sampler_take(sampler, (i + 100) * SECOND);
	CHECK_INT(s->thread_count, SYSTEM_THREADS);
	for (unsigned i = 0; i < s->thread_count; i++)
		CHECK(s->threads[i].tid != ended);
	CHECK_KNOWN(s, SYSTEM_RUN, 0);
}

/* Take a sample as another user, where we are root: who may not read says so. */
TEST(test_denied)
{
	struct tree tree;
	char path[512];

	system_tree_create(&tree);
	CHECK_INT(chmod(tree.base, 0755), 0);
	CHECK_INT(chmod(tree.root, 0755), 0);
	snprintf(path, sizeof path, "%s/self", tree.root);
	CHECK_INT(chmod(path, 0755), 0);
	static const char *const files[] = {"status", "cgroup", "task/77/schedstat", "task/77/status"};
	for (unsigned i = 0; i < sizeof files / sizeof files[0]; i++) {
		snprintf(path, sizeof path, "%s/77/%s", tree.root, files[i]);
		CHECK_INT(chmod(path, 0), 0);
	}
	pid_t child = fork();
	CHECK(child >= 0);
	if (child == 0) {
		if (geteuid() == 0 && setuid(65534) != 0)
			_exit(1);
		struct sampler *sampler = system_sampler(&tree);
		const struct system_sample *s = sampler_take(sampler, SECOND);
		CHECK_KNOWN(s, SYSTEM_CPU_USER, 2500000000);
		CHECK_UNKNOWN(s, SYSTEM_RESIDENT, SYSTEM_DENIED);
		CHECK_UNKNOWN(s, SYSTEM_CORES, SYSTEM_DENIED);
		CHECK_UNKNOWN(s, SYSTEM_QUOTA, SYSTEM_DENIED);
		CHECK_UNKNOWN(s, SYSTEM_WAIT, SYSTEM_DENIED);
		CHECK_UNKNOWN(s, SYSTEM_FORCED, SYSTEM_DENIED);
		CHECK_INT(s->thread_count, 1);
		_exit(0);
	}
	int status;
	CHECK_INT(waitpid(child, &status, 0), child);
	CHECK_INT(status, 0);
}

enum { NO_MOUNT = 3 }; /* we may not mount */

/* Where we may mount: what the kernel hides from us is not taken for ended. */
TEST(test_hidden_process)
{
	char dir[] = "/tmp/rtevtop-test-XXXXXX";
	pid_t target = getpid();

	CHECK(mkdtemp(dir) != NULL);
	pid_t child = fork();
	CHECK(child >= 0);
	if (child == 0) {
		if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
		    mount("proc", dir, "proc", 0, "hidepid=2") != 0 || setgroups(0, NULL) != 0 ||
		    setgid(65534) != 0 || setuid(65534) != 0)
			_exit(NO_MOUNT);
		struct sampler *sampler =
		    sampler_create(&(struct sampler_options){.proc_root = dir, .pid = target});
		const struct system_sample *s = sampler_take(sampler, SECOND);
		CHECK_UNKNOWN(s, SYSTEM_CPU_USER, SYSTEM_DENIED);
		CHECK_UNKNOWN(s, SYSTEM_QUOTA, SYSTEM_DENIED);
		CHECK_UNKNOWN(s, SYSTEM_WAIT, SYSTEM_DENIED);
		CHECK_INT(s->values[SYSTEM_LOAD].known, SYSTEM_KNOWN);
		_exit(0);
	}
	int status;
	CHECK_INT(waitpid(child, &status, 0), child);
	CHECK(WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == NO_MOUNT));
	CHECK_INT(rmdir(dir), 0);
}

/* Nanoseconds of a clock. */
static int64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* Use a processor for 150 ms. */
static void *work(void *arg)
{
	int64_t until = clock_ns(CLOCK_THREAD_CPUTIME_ID) + 150000000;

	while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < until)
		;
	return arg;
}

/* The real /proc, of this test itself: what the kernel tells the process is what the sampler found. */
TEST(test_this_process)
{
	struct sampler *sampler = sampler_create(&(struct sampler_options){.pid = getpid()});
	const struct system_sample *s = sampler_take(sampler, SECOND);
	struct system_sample *first = malloc(sizeof *first);
	uint64_t user, system, run;
	pthread_t thread;

	CHECK(first != NULL);
	*first = *s;
	CHECK_INT(pthread_create(&thread, NULL, work, NULL), 0);
	work(NULL);
	/* The other thread has ended when its time is looked at: only the process's own counts it. */
	CHECK_INT(pthread_join(thread, NULL), 0);
	s = sampler_take(sampler, 2 * SECOND);
	CHECK(system_grown(first, s, SYSTEM_CPU_USER, &user));
	CHECK(system_grown(first, s, SYSTEM_CPU_SYSTEM, &system));
	CHECK_NEAR(s->values[SYSTEM_CPU_USER].value + s->values[SYSTEM_CPU_SYSTEM].value,
	    clock_ns(CLOCK_PROCESS_CPUTIME_ID), 60e6);
	CHECK(user + system >= 280000000);
	if (s->values[SYSTEM_RUN].known == SYSTEM_KNOWN) {
		CHECK(system_grown(first, s, SYSTEM_RUN, &run));
		CHECK(run >= 140000000 && run <= user + system + 20000000);
	}
	CHECK_INT(s->values[SYSTEM_AFFINITY].known, SYSTEM_KNOWN);
	CHECK(s->values[SYSTEM_AFFINITY].value >= 1000);
	CHECK(s->values[SYSTEM_RESIDENT].value > 0);
	free(first);
	sampler_destroy(sampler);
}
