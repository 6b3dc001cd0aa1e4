/*
 * test_sampler.c - the kernel's samples of a child's threads, read later or as they are taken: rates, threads that come, end,
 * and are too many, and refusals; and records that make no sense.
 */
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "code/sampler_private.h"
#include "core/clock.h"
#include "support/forbid.h"
#include "support/test.h"

/* ---- a child with threads ---- */

static volatile uint64_t sink;

__attribute__((noinline)) static void burn(void)
{
	for (;;)
		for (unsigned i = 0; i < 1000000; i++)
			sink += i;
}

static void *burner(void *unused)
{
	burn();
	return NULL;
}

/* Run now on one processor, now on another, for bursts without a rhythm that are shorter than the time between two samples. */
static void *mover(void *unused)
{
	unsigned chance = 1;
	cpu_set_t all, one;

	if (sched_getaffinity(0, sizeof(all), &all) != 0)
		_exit(1);
	for (unsigned cpu = 0;; cpu = (cpu + 1) % CPU_SETSIZE) {
		if (!CPU_ISSET(cpu, &all))
			continue;
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		(void)sched_setaffinity(0, sizeof(one), &one);
		chance = chance * 1664525u + 1013904223u;
		for (unsigned i = 0; i < chance >> 12; i++)
			sink += i;
	}
	return NULL;
}

static void *sleeper(void *unused)
{
	while (pause() != 0)
		;
	return NULL;
}

struct child {
	pid_t pid;
	int order, answer;
};

static void start(void *(*routine)(void *))
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, routine, NULL) != 0)
		_exit(1);
}

/* Carry out orders: b burns in a further thread, m moves about in one, s sleeps in one. */
static struct child child_start(void)
{
	int orders[2], answers[2];
	char order;
	struct child c;

	CHECK(pipe(orders) == 0 && pipe(answers) == 0);
	c.pid = fork();
	if (c.pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(orders[1]);
		while (read(orders[0], &order, 1) == 1) {
			start(order == 'b' ? burner : order == 'm' ? mover : sleeper);
			if (write(answers[1], &order, 1) != 1)
				_exit(1);
		}
		_exit(0);
	}
	close(orders[0]);
	close(answers[1]);
	c.order = orders[1];
	c.answer = answers[0];
	return c;
}

static void child_order(struct child *c, char order)
{
	CHECK(write(c->order, &order, 1) == 1 && read(c->answer, &order, 1) == 1);
}

static void child_end(struct child *c)
{
	kill(c->pid, SIGKILL);
	waitpid(c->pid, NULL, 0);
	close(c->order);
	close(c->answer);
}

/* ---- what is sampled ---- */

struct seen {
	uint64_t count, first, last, previous;
	int32_t tids[256];
	unsigned threads, bad, in_burn, burning;
	pid_t pid;
};

static void see(void *ctx, const struct perf_sample *s)
{
	struct seen *seen = ctx;
	unsigned i = 0;

	while (i < seen->threads && seen->tids[i] != s->at.tid)
		i++;
	if (i == seen->threads && i < 256)
		seen->tids[seen->threads++] = s->at.tid;
	seen->count++;
	if (seen->first == 0)
		seen->first = s->ts;
	seen->last = s->ts;
	seen->bad +=
	    !s->at.whole || s->at.stack == NULL || s->at.sp == 0 || s->at.ip == 0 || s->ts > monotonic_now();
	/* The code is that of this program: a fork has it where we have it. */
	seen->in_burn += s->at.ip >= (uintptr_t)burn && s->at.ip < (uintptr_t)burn + 256;
}

static struct code_sampler *sampler_of(pid_t pid, unsigned hz, unsigned threads)
{
	const struct code_sampler_options options = {.pid = pid, .hz = hz, .threads = threads};
	struct code_refusal refusal;
	struct code_sampler *s = code_sampler_create(&options, &refusal);

	if (refusal.error == EACCES || refusal.error == EPERM || refusal.error == ENOSYS ||
	    refusal.error == ENOENT || refusal.error == EOPNOTSUPP)
		SKIP("%s", refusal.why);
	CHECK(s != NULL);
	return s;
}

/* Read until there are so many samples. */
static void read_until(struct code_sampler *s, struct seen *seen, uint64_t count)
{
	while (seen->count < count) {
		nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
		code_sampler_read(s, monotonic_now(), see, seen);
	}
}

TEST(samples_are_of_the_code_and_have_registers_and_stack)
{
	struct child c = child_start();
	struct seen seen = {0};
	struct code_sampler_totals t;

	child_order(&c, 'b');
	struct code_sampler *s = sampler_of(c.pid, 499, 0);
	read_until(s, &seen, 100);
	code_sampler_totals(s, &t);
	CHECK_INT(t.hz, 499);
	CHECK_INT(t.samples, seen.count);
	CHECK_INT(t.malformed, 0);
	CHECK_INT(t.threads, 2);
	CHECK_INT(t.left_out, 0);
	CHECK_INT(seen.bad, 0);
	CHECK_INT(seen.threads, 1); /* the other one waits for orders */
	CHECK(seen.in_burn > seen.count * 9 / 10);
	code_sampler_destroy(s);
	child_end(&c);
}

TEST(new_threads_are_followed_and_ended_ones_forgotten)
{
	struct child c = child_start();
	struct seen seen = {0};
	struct code_sampler_totals t;
	struct code_sampler *s = sampler_of(c.pid, 499, 0);
	size_t count;

	child_order(&c, 'b');
	child_order(&c, 'b');
	while (seen.threads < 2)
		read_until(s, &seen, seen.count + 1);
	code_sampler_threads(s, &count);
	CHECK_INT(count, 3);
	child_end(&c);
	/* The process is gone: nothing more comes, and nothing breaks. */
	uint64_t later = monotonic_now();
	for (unsigned i = 0; i < 4; i++)
		code_sampler_read(s, later += 2000000000, see, &seen);
	code_sampler_totals(s, &t);
	CHECK_INT(t.malformed, 0);
	code_sampler_destroy(s);
}

TEST(of_two_hundred_threads_the_busy_ones_are_sampled)
{
	struct child c = child_start();
	struct seen seen = {0};
	struct code_sampler_totals t;

	for (unsigned i = 0; i < 198; i++)
		child_order(&c, 's');
	child_order(&c, 'b'); /* last: of the highest number */
	struct code_sampler *s = sampler_of(c.pid, 499, 8);
	uint64_t later = monotonic_now();
	while (seen.count < 10) {
		nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
		code_sampler_read(s, later += 6000000000, see, &seen);
	}
	code_sampler_totals(s, &t);
	CHECK_INT(t.threads, 8);
	CHECK_INT(t.left_out, 192);
	code_sampler_destroy(s);

	/* With room for all none is left out. */
	s = sampler_of(c.pid, 99, 0);
	code_sampler_totals(s, &t);
	CHECK(t.threads + t.left_out == 200 && t.threads > 20);
	code_sampler_destroy(s);
	child_end(&c);
}

/* Where descriptors run out, that is why threads are left out. */
TEST(threads_are_left_out_for_want_of_descriptors)
{
	enum { LIMIT = 64, FREE = 3 };
	struct child c = child_start();
	struct code_sampler_totals t;
	struct rlimit all, few;
	int taken[LIMIT], count = 0;

	child_order(&c, 's');
	child_order(&c, 's');
	CHECK_INT(getrlimit(RLIMIT_NOFILE, &all), 0);
	few = (struct rlimit){.rlim_cur = LIMIT, .rlim_max = all.rlim_max};
	CHECK_INT(setrlimit(RLIMIT_NOFILE, &few), 0);
	struct code_sampler *s = sampler_of(c.pid, 99, 0);
	code_sampler_totals(s, &t);
	CHECK_INT(t.files, 0);
	code_sampler_destroy(s);
	while (count < LIMIT && (taken[count] = dup(0)) >= 0)
		count++;
	for (int i = 0; i < FREE; i++)
		close(taken[--count]);
	s = sampler_of(c.pid, 99, 0);
	code_sampler_totals(s, &t);
	CHECK_INT(t.files, EMFILE);
	CHECK(t.left_out > 0);
	code_sampler_destroy(s);
	while (count > 0)
		close(taken[--count]);
	CHECK_INT(setrlimit(RLIMIT_NOFILE, &all), 0);
	child_end(&c);
}

/* ---- readers ---- */

#define HZ 250
#define PERIOD (1000000000 / HZ)
#define PLACES 4

struct visits {
	struct code_sampler *sampler;
	uint64_t count, still, missed, bad;
	uint64_t first, last;	 /* processor time of the thread at the first sample, and at the last */
	unsigned placed[PLACES]; /* samples that lie so far within their period */
};

/* A visit by a reader, which has the lock: whoever has it is alone with the counts. */
static void visited(void *ctx, const struct perf_sample *s)
{
	struct visits *v = ctx;

	v->count++;
	v->still += s->at.still;
	v->missed += s->at.missed;
	v->bad += (s->at.still && s->at.missed) || !s->at.whole || s->fd < 0;
	v->first = v->count == 1 ? s->count : v->first;
	v->last = s->count;
	v->placed[s->count % PERIOD * PLACES / PERIOD]++;
}

/* Wait until so many samples were visited: of none of the threads are the rings read here. */
static struct visits visits_until(struct visits *v, uint64_t count)
{
	struct visits now = {0};

	while (now.count < count) {
		nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
		code_sampler_lock(v->sampler);
		now = *v;
		code_sampler_unlock(v->sampler);
	}
	return now;
}

static unsigned own_threads(void)
{
	DIR *dir = opendir("/proc/self/task");
	unsigned count = 0;

	CHECK(dir != NULL);
	while (readdir(dir) != NULL)
		count++;
	closedir(dir);
	return count;
}

TEST(samples_are_visited_as_they_are_taken)
{
	struct child c = child_start();
	const unsigned threads = own_threads();
	cpu_set_t before, after;

	CHECK_INT(sched_getaffinity(0, sizeof(before), &before), 0);
	child_order(&c, 'b');
	struct visits v = {.sampler = sampler_of(c.pid, 499, 0)};
	CHECK(code_sampler_start(v.sampler, visited, &v));
	CHECK(own_threads() > threads);
	struct visits seen = visits_until(&v, 50);
	CHECK_INT(seen.bad, 0);
	/* Threads that come are given to readers, those that end are let go. */
	child_order(&c, 'b');
	code_sampler_read(v.sampler, monotonic_now() + 2000000000, visited, &v);
	size_t count;
	code_sampler_threads(v.sampler, &count);
	CHECK_INT(count, 3);
	seen = visits_until(&v, seen.count + 50);
	kill(c.pid, SIGKILL);
	waitpid(c.pid, NULL, 0);
	code_sampler_read(v.sampler, monotonic_now() + 4000000000, visited, &v);
	struct code_sampler_totals t;
	code_sampler_totals(v.sampler, &t);
	CHECK(t.samples >= seen.count && t.readers_ns > 0 && t.malformed == 0);
	code_sampler_destroy(v.sampler);
	CHECK_INT(own_threads(), threads);
	/* The processors of readers are theirs alone: whoever starts and ends them may run where it did. */
	CHECK_INT(sched_getaffinity(0, sizeof(after), &after), 0);
	CHECK(CPU_EQUAL(&before, &after));
	close(c.order);
	close(c.answer);
}

/* A program in step with the sampler is seen in all that it does, and as often as was asked for. */
TEST(samples_lie_all_over_their_periods)
{
	struct child c = child_start();

	child_order(&c, 'b');
	struct visits v = {.sampler = sampler_of(c.pid, HZ, 0)};
	CHECK(code_sampler_start(v.sampler, visited, &v));
	const struct visits seen = visits_until(&v, 400);
	code_sampler_destroy(v.sampler);
	child_end(&c);
	for (unsigned i = 0; i < PLACES; i++)
		CHECK(seen.placed[i] > seen.count / 10 && seen.placed[i] < seen.count * 4 / 10);
	CHECK_NEAR(
	    (double)(seen.last - seen.first) / PERIOD, (double)(seen.count - 1), (double)seen.count / 20);
}

/* Whether most samples of a thread are read before it goes on.  What a machine lets wait is tried again. */
static bool most_in_place(char order, unsigned hz)
{
	struct child c = child_start();
	bool most = false;

	child_order(&c, order);
	for (unsigned i = 0; i < 20 && !most; i++) {
		struct visits v = {.sampler = sampler_of(c.pid, hz, 0)};
		CHECK(code_sampler_start(v.sampler, visited, &v));
		const struct visits seen = visits_until(&v, 200);
		most = seen.still * 10 > seen.count * 7 || seen.still + seen.missed == 0;
		code_sampler_destroy(v.sampler);
	}
	child_end(&c);
	return most;
}

TEST(at_the_highest_rate_each_sample_wakes_its_reader)
{
	CHECK(most_in_place('b', CODE_HZ_MAX));
}

TEST(of_a_thread_that_moves_about_each_sample_wakes_its_reader)
{
	CHECK(most_in_place('m', 499));
}

/* Burn in one thread on one processor, until the reader of it has read a sample.  The lock is held then. */
static struct thread *burn_on(struct child *c, struct visits *v, unsigned *cpu)
{
	struct thread *found = NULL;
	struct visits seen = {0};
	cpu_set_t all, one;

	CHECK_INT(sched_getaffinity(0, sizeof(all), &all), 0);
	for (*cpu = 0; !CPU_ISSET(*cpu, &all);)
		++*cpu;
	CPU_ZERO(&one);
	CPU_SET(*cpu, &one);
	*c = child_start();
	/* The threads that it starts from now on have it from there. */
	CHECK_INT(sched_setaffinity(c->pid, sizeof(one), &one), 0);
	child_order(c, 'b');
	*v = (struct visits){.sampler = sampler_of(c->pid, 499, 0)};
	struct code_sampler *s = v->sampler;
	CHECK(code_sampler_start(s, visited, v));
	while (found == NULL) {
		seen = visits_until(v, seen.count + 1);
		code_sampler_lock(s);
		for (size_t i = 0; i < s->count; i++)
			if (s->threads[i].samples > 1 && s->threads[i].home_count > 0 &&
			    s->threads[i].homes[0].reader->cpu == *cpu)
				found = &s->threads[i];
		if (found == NULL)
			code_sampler_unlock(s);
	}
	return found;
}

/* The kernel tells one reader of a sample, whichever asks first: one of another processor leaves it to whose it is. */
TEST(a_reader_leaves_a_sample_to_that_of_its_processor)
{
	struct child c;
	struct visits v;
	unsigned cpu;
	struct thread *t = burn_on(&c, &v, &cpu);
	const struct reader other = {.sampler = v.sampler, .cpu = cpu + 1, .pinned = true};
	struct reader *own = t->homes[0].reader;

	if (own->pinned) {
		/* Readers wait for the lock, and the thread goes on. */
		for (int i = 0; i < 30000 && __atomic_load_n(&t->map->data_head, __ATOMIC_ACQUIRE) == t->tail;
		     i++)
			usleep(1000);
		thread_read(v.sampler, t, &other, visited, &v);
		CHECK_INT(own->left, t->tid);
		/* What was left to it already is not asked for again. */
		CHECK(!readers_leave(t, &other, cpu));
		const uint64_t count = v.count;
		code_sampler_unlock(v.sampler);
		(void)visits_until(&v, count + 1);
		code_sampler_lock(v.sampler);
		/* Without a reader of that processor there is nobody to leave it to. */
		own->left = 0;
		CHECK(!readers_leave(t, &other, cpu + 1) && !readers_leave(t, own, cpu));
		own->pinned = false;
		CHECK(!readers_leave(t, &other, cpu));
	} else
		puts("not tried: this process may not choose the processors of its threads");
	code_sampler_unlock(v.sampler);
	code_sampler_destroy(v.sampler);
	child_end(&c);
}

/* A reader that may run anywhere is woken for nothing beside one of a processor, and none is started while readers end. */
TEST(readers_that_help_nobody_are_not_woken)
{
	struct child c;
	struct visits v;
	unsigned cpu;
	struct thread *t = burn_on(&c, &v, &cpu);
	struct code_sampler *s = v.sampler;
	struct reader *own = t->homes[0].reader;

	readers_give(s, t, cpu + 1);
	CHECK(t->home_count >= 2 && t->homes[0].reader != own && t->homes[1].reader == own);
	own->pinned = false;
	t->homes[0].reader->pinned = true;
	readers_give(s, t, cpu + 1);
	for (unsigned i = 0; i < t->home_count; i++)
		CHECK(t->homes[i].reader != own);
	const size_t readers = s->reader_count;
	code_sample_visit *const visit = s->visit;
	s->visit = NULL;
	readers_give(s, t, cpu + 2);
	CHECK_INT(s->reader_count, readers);
	s->visit = visit;
	code_sampler_unlock(s);
	code_sampler_destroy(s);
	child_end(&c);
}

TEST(where_readers_may_not_run_beside_the_thread_samples_are_late)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		struct child c = child_start();
		child_order(&c, 'b');
		struct visits v = {.sampler = sampler_of(c.pid, 499, 0)};
		forbid(SYS_sched_setaffinity, EINVAL);
		if (!code_sampler_start(v.sampler, visited, &v))
			_exit(1);
		const struct visits seen = visits_until(&v, 50);
		struct code_sampler_totals t;
		code_sampler_totals(v.sampler, &t);
		code_sampler_destroy(v.sampler);
		child_end(&c);
		_exit(seen.still == 0 && seen.missed == 0 && seen.bad == 0 && t.late == t.samples ? 0 : 1);
	}
	CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status));
	if (WEXITSTATUS(status) == FORBID_NO_FILTER)
		SKIP("no filter of system calls");
	CHECK_INT(WEXITSTATUS(status), 0);
}

/* The kernel wakes nobody for a sample that a ring has no room for: one that is full, and whose readers were woken before they could
 * read it, is read by the turn, and then wakes its reader again. */
TEST(a_full_ring_whose_reader_is_not_woken_is_read_by_the_turn)
{
	struct child c = child_start();

	child_order(&c, 'b');
	struct visits v = {.sampler = sampler_of(c.pid, 499, 0)};
	struct code_sampler *s = v.sampler;
	struct thread *full = NULL;
	while (full == NULL) {
		nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
		for (size_t i = 0; i < s->count; i++)
			if (s->ring - __atomic_load_n(&s->threads[i].map->data_head, __ATOMIC_ACQUIRE) < 2048)
				full = &s->threads[i];
	}
	/* Whoever asks first is told, and nobody after it. */
	CHECK_INT(poll(&(struct pollfd){.fd = full->fd, .events = POLLIN}, 1, 0), 1);
	CHECK(code_sampler_start(s, visited, &v));
	code_sampler_read(s, monotonic_now(), visited, &v);
	code_sampler_lock(s);
	const struct visits read = v;
	code_sampler_unlock(s);
	CHECK(read.count > 10);
	(void)visits_until(&v, read.count + 20);
	code_sampler_destroy(s);
	child_end(&c);
}

/* ---- refusals ---- */

/* What is said follows what comes: rights that are given later, and descriptors that run out. */
TEST(what_is_said_of_a_refusal_is_brought_up_to_date)
{
	struct code_refusal r = {.why = "the kernel refuses perf events", .remedy = "sysctl"};

	code_refusal_now(&r, &(struct code_sampler_totals){.left_out = 3});
	CHECK_STR(r.why, "the kernel refuses perf events");
	code_refusal_now(&r, &(struct code_sampler_totals){.threads = 3});
	CHECK_STR(r.why, "");
	code_refusal_now(&r, &(struct code_sampler_totals){.threads = 3, .files = EMFILE});
	CHECK(r.some && r.error == 0);
	CHECK_STR(r.why, "too few file descriptors");
	CHECK_STR(r.remedy, "Raise the limit: ulimit -n 256.");
	r = (struct code_refusal){.error = 0};
	code_refusal_now(&r, &(struct code_sampler_totals){.threads = 100, .left_out = 100, .files = EMFILE});
	CHECK_STR(r.remedy, "Raise the limit: ulimit -n 448.");
	/* A program that can't be sampled at all is told of no less. */
	r = (struct code_refusal){.error = EACCES, .why = "no"};
	code_refusal_now(&r, &(struct code_sampler_totals){.threads = 3});
	CHECK_STR(r.why, "no");
}

/* Whether a refusal by `error` is explained by `text`; run in a child, whose filter dies with it. */
static void check_refusal(const char *proc_root, int error, const char *text, const char *remedy)
{
	const pid_t own = getpid();
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		struct code_refusal refusal;
		const struct code_sampler_options options = {.proc_root = proc_root, .pid = own, .hz = 99};
		forbid_perf(error);
		struct code_sampler *s = code_sampler_create(&options, &refusal);
		size_t count;
		/* It goes on, with the threads that there are. */
		if (s == NULL || *code_sampler_threads(s, &count) != own || count != 1 ||
		    code_sampler_has(s, 0) || refusal.error != error || strstr(refusal.why, text) == NULL ||
		    strstr(refusal.remedy, remedy) == NULL) {
			fprintf(stderr, "%d: %s: %s\n", refusal.error, refusal.why, refusal.remedy);
			_exit(1);
		}
		_exit(0);
	}
	CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status));
	if (WEXITSTATUS(status) == FORBID_NO_FILTER)
		SKIP("no filter of system calls");
	CHECK_INT(WEXITSTATUS(status), 0);
}

TEST(a_refusal_names_the_file_and_the_remedies)
{
	/* To lower a setting that is low already would change nothing. */
	const bool high = proc_setting(NULL, "kernel/perf_event_paranoid", 0) > 2;

	check_refusal(NULL, EACCES, "/proc/sys/kernel/perf_event_paranoid is ", "CAP_PERFMON");
	check_refusal(NULL, EPERM, "/proc/sys/kernel/perf_event_paranoid is ",
	    high ? "sysctl kernel.perf_event_paranoid=2" : "--cap-add PERFMON).");
	check_refusal(NULL, ENOSYS, "this kernel has no perf events", "rtevtop stacks");
	check_refusal(NULL, EMFILE, "too few file descriptors", "ulimit -n");
}

/* A setting that can't be read is no setting: -1 would allow all. */
TEST(a_refusal_by_a_setting_that_is_not_told_has_no_figure)
{
	char root[] = "/tmp/rtevtest.XXXXXX", process[64], own[32];

	CHECK(mkdtemp(root) != NULL);
	snprintf(process, sizeof(process), "%s/%d", root, getpid());
	snprintf(own, sizeof(own), "/proc/%d", getpid());
	CHECK_INT(symlink(own, process), 0);
	check_refusal(root, EACCES, "/proc/sys/kernel/perf_event_paranoid can't be read", "CAP_PERFMON");
	CHECK(unlink(process) == 0 && rmdir(root) == 0);
}

TEST(a_process_that_is_not_there_is_refused)
{
	struct code_refusal refusal;
	const struct code_sampler_options options = {.pid = 0x7FFFFFF0, .hz = 99};

	CHECK(code_sampler_create(&options, &refusal) == NULL);
	CHECK_INT(refusal.error, ESRCH);
}

/* ---- records ---- */

static size_t put(unsigned char *record, uint32_t type, const uint64_t *words, size_t count)
{
	uint16_t size = (uint16_t)(8 + 8 * count);

	memset(record, 0, 8);
	memcpy(record, &type, 4);
	memcpy(record + 6, &size, 2);
	memcpy(record + 8, words, 8 * count);
	return size;
}

TEST(records_that_make_no_sense_are_none)
{
	const uint64_t good[] = {
	    0xA0, (uint64_t)7 << 32 | 5, 1000, 1, 900, 2, 1, 2, 3, 4, 5, 6, 16, 0x11, 0x22, 8};
	uint64_t words[16], lost = 0;
	unsigned char record[256];
	struct perf_sample s;

	size_t size = put(record, 9, good, 16);
	CHECK_INT(perf_record_size(record, size), size);
	CHECK_INT(perf_record_size(record, size - 1), 0);
	CHECK_INT(perf_record_decode(record, size, &s, &lost), PERF_SAMPLED);
	CHECK(s.ts == 1000 && s.cpu == 1 && s.count == 900 && s.at.tid == 7 && s.at.ip == 4 && s.at.sp == 3 &&
	      s.at.bp == 2 && s.at.bx == 1 && s.at.r13 == 5 && s.at.r14 == 6 && s.at.whole &&
	      s.at.stack_size == 8);
	CHECK(memcmp(s.at.stack, &good[13], 8) == 0);
	/* Cut anywhere it is none. */
	for (size_t count = 0; count < 16; count++) {
		size = put(record, 9, good, count);
		CHECK_INT(perf_record_decode(record, size, &s, &lost), PERF_MALFORMED);
	}
	/* More valid bytes than bytes, and more bytes than the record has. */
	memcpy(words, good, sizeof(words));
	words[15] = UINT64_MAX;
	CHECK_INT(perf_record_decode(record, put(record, 9, words, 16), &s, &lost), PERF_SAMPLED);
	CHECK_INT(s.at.stack_size, 16);
	words[12] = UINT64_MAX - 7;
	CHECK_INT(perf_record_decode(record, put(record, 9, words, 16), &s, &lost), PERF_MALFORMED);
	/* Registers of 32 bits are not those of OCaml. */
	memcpy(words, good, sizeof(words));
	words[5] = 1;
	CHECK_INT(perf_record_decode(record, put(record, 9, words, 16), &s, &lost), PERF_SAMPLED);
	CHECK(!s.at.whole && s.at.stack == NULL && s.at.stack_size == 0);
	/* Losses, sizes that no record has. */
	CHECK_INT(perf_record_decode(record, put(record, 2, (uint64_t[]){1, 42}, 2), &s, &lost), PERF_LOST);
	CHECK_INT(lost, 42);
	CHECK_INT(perf_record_decode(record, put(record, 2, (uint64_t[]){1}, 1), &s, &lost), PERF_MALFORMED);
	memset(record, 0, sizeof(record));
	CHECK_INT(perf_record_size(record, 256), 0);
	record[6] = 12;
	CHECK_INT(perf_record_size(record, 256), 0);
}
