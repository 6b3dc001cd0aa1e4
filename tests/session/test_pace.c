/*
 * test_pace.c - a target that sleeps is hardly looked at, and the first it does when it wakes up ends the
 * wait.
 */
#include "session/pace.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/clock.h"
#include "launch/signals.h"
#include "support/test.h"

#define RING_WORDS 65536u
#define SKIPPED 77

/* A process that sleeps until a byte comes, then runs until it is stopped or the test has ended. */
struct sleeper {
	pid_t pid;
	int wake;
};

static struct sleeper sleeper_start(void)
{
	int fds[2];

	CHECK_INT(pipe(fds), 0);
	pid_t test = getpid(), pid = fork();
	CHECK(pid >= 0);
	if (pid == 0) {
		char byte;
		close(fds[1]);
		/* A failed check ends the test without sleeper_stop. */
		if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != test)
			_exit(0);
		if (read(fds[0], &byte, 1) != 1)
			_exit(0);
		for (;;)
			;
	}
	close(fds[0]);
	return (struct sleeper){.pid = pid, .wake = fds[1]};
}

static void sleeper_stop(struct sleeper *s)
{
	kill(s->pid, SIGKILL);
	waitpid(s->pid, NULL, 0);
	close(s->wake);
}

/* Turns that find nothing, until the pace rests on the timer.  On a busy machine the sleeper may run late for the
 * first time, and wake it. */
static void rest(struct pace *p)
{
	for (int i = 0; i < 1000 && !(p->target == PACE_ASLEEP && pace_wait(p) == PACE_ASLEEP_NS); i++) {
		signals_wait(NULL, 0, 1000000);
		pace_learn(p, monotonic_now(), RING_WORDS, 0);
	}
	CHECK_INT(p->target, PACE_ASLEEP);
	CHECK_INT(pace_wait(p), PACE_ASLEEP_NS);
}

/* Start watching a sleeper that rests.  Exits if there is no timer here. */
static struct sleeper watch_resting(struct pace *p)
{
	struct sleeper s = sleeper_start();

	pace_init(p, monotonic_now());
	pace_watch(p, s.pid);
	if (!p->timed) {
		sleeper_stop(&s);
		exit(SKIPPED);
	}
	rest(p);
	return s;
}

/* Wait until it has run at a tick; only a signal ends a wait. */
static void await_tick(const struct pace *p)
{
	while (!pace_woken(p))
		CHECK(signals_wait(NULL, 0, UINT64_C(60000000000)) < 0);
}

/* The sleeper's first tick ends a wait that would last for a minute, and what it wrote till then makes the
 * pace as fast as can be. */
TEST(wakes_up)
{
	struct pace p;
	struct sleeper s = watch_resting(&p);
	unsigned alarms = signals_alarms(s.pid);
	CHECK_INT(write(s.wake, "x", 1), 1);
	while (signals_alarms(s.pid) == alarms)
		CHECK(signals_wait(NULL, 0, UINT64_C(60000000000)) < 0);
	CHECK(pace_woken(&p));
	CHECK_INT(pace_wait(&p), 0);
	/* A wait that has been left for another reason has let the signal in as well. */
	p.turn_ts = 0;
	pace_learn(&p, PACE_ASLEEP_NS, RING_WORDS, RING_WORDS / 4 * 3);
	CHECK_INT(p.ns, PACE_MIN_NS);
	CHECK_INT(pace_wait(&p), PACE_MIN_NS);
	pace_fini(&p);
	sleeper_stop(&s);
}

/* A look that finds little lets a sleeper go on sleeping, and its next tick is due again. */
TEST(wakes_briefly)
{
	struct pace p;
	struct sleeper s = watch_resting(&p);

	CHECK_INT(write(s.wake, "x", 1), 1);
	await_tick(&p);
	/* As if it had slept for long before. */
	p.cpu_ts = monotonic_now() - UINT64_C(3600000000000);
	CHECK(!pace_look(&p, monotonic_now(), RING_WORDS, 100));
	CHECK_INT(p.target, PACE_ASLEEP);
	await_tick(&p);
	CHECK(pace_look(&p, monotonic_now(), RING_WORDS, RING_WORDS / 4));
	/* As if it had run for a third of the time: how much of a busy machine it gets is not known. */
	struct timespec cpu;
	CHECK_INT(clock_gettime(p.clock, &cpu), 0);
	uint64_t at = monotonic_now();
	p.cpu_ts = at - 3 * ((uint64_t)cpu.tv_sec * 1000000000u + (uint64_t)cpu.tv_nsec - p.cpu_ns);
	CHECK(!pace_look(&p, at, RING_WORDS, 100));
	CHECK_INT(p.target, PACE_RUNS);
	pace_fini(&p);
	sleeper_stop(&s);
}

/* Of two that sleep only the one that wakes up is due. */
TEST(wakes_alone)
{
	struct pace p, q;
	struct sleeper one = watch_resting(&p), other = watch_resting(&q);

	CHECK_INT(write(one.wake, "x", 1), 1);
	while (pace_wait(&p) != 0)
		CHECK(signals_wait(NULL, 0, UINT64_C(60000000000)) < 0);
	CHECK_INT(pace_wait(&q), PACE_ASLEEP_NS);
	pace_fini(&p);
	pace_fini(&q);
	sleeper_stop(&one);
	sleeper_stop(&other);
}

/* What goes on evenly while the target sleeps most of the time is no burst. */
TEST(steady)
{
	struct pace p;
	struct sleeper s = watch_resting(&p);

	uint64_t at = p.turn_ts + PACE_ASLEEP_NS / 2;
	pace_learn(&p, at, RING_WORDS, RING_WORDS / 16);
	CHECK_INT(p.target, PACE_ASLEEP);
	CHECK_INT(pace_wait(&p), PACE_ASLEEP_NS);
	pace_learn(&p, at + PACE_ASLEEP_NS / 2, RING_WORDS, RING_WORDS / 8);
	CHECK_NEAR(pace_wait(&p), PACE_ASLEEP_NS / 2, 1);
	CHECK_INT(p.target, PACE_ASLEEP);
	pace_fini(&p);
	sleeper_stop(&s);
}

/* Looks see a ring fill: what goes on evenly makes the pace no faster, the fastest part between two of them
 * does. */
TEST(looks)
{
	struct pace p;
	uint64_t at = monotonic_now(), begin = at;

	pace_init(&p, at);
	pace_watch(&p, getpid());
	p.ns = 50000000;
	for (uint64_t words = 1000; words < RING_WORDS / 4; words += 1000)
		CHECK(!pace_look(&p, at += PACE_LOOK_NS, RING_WORDS, words));
	CHECK(pace_look(&p, at += PACE_LOOK_NS, RING_WORDS, RING_WORDS / 4 + 616));
	pace_learn(&p, at, RING_WORDS, RING_WORDS / 4 + 616);
	CHECK_NEAR(p.ns, (at - begin) * 8192 / 17000, PACE_LOOK_NS / 1000);
	uint64_t look;
	CHECK_INT(pace_wait_looking(&p, &look), 2 * p.ns);

	/* Twice as fast for a while.  A look or a turn briefly after a look tells no pace. */
	p.ns = 25000000;
	CHECK(!pace_look(&p, at += PACE_LOOK_NS, RING_WORDS, 1000));
	CHECK(!pace_look(&p, at += PACE_LOOK_NS, RING_WORDS, 3000));
	CHECK(!pace_look(&p, at += PACE_LOOK_NS - 50000, RING_WORDS, 3864));
	CHECK(!pace_look(&p, at += 50000, RING_WORDS, 4000));
	pace_learn(&p, at + 1000, RING_WORDS, 4136);
	CHECK_NEAR(p.ns, UINT64_C(8192) * PACE_LOOK_NS / 2000, 1);
	pace_fini(&p);
}

/* Learn from a turn now, of a target that runs all the time: its clock is that of the pace.  A test that is
 * kept from running between the two readings must not find it asleep the next time. */
static void learn_running(struct pace *p, uint64_t ring_words)
{
	pace_learn(p, monotonic_now(), ring_words, 0);
	p->cpu_ns = p->cpu_ts;
}

/* A target that runs is looked at more often, and so is one without a timer. */
TEST(awake)
{
	struct pace p;

	pace_init(&p, monotonic_now());
	pace_watch(&p, getpid());
	CHECK(p.timed);
	p.clock = CLOCK_MONOTONIC;
	for (int i = 0; i < 200; i++) {
		signals_wait(NULL, 0, 100000);
		learn_running(&p, RING_WORDS);
		CHECK(p.target != PACE_ASLEEP);
	}
	/* Four million events a second would not fill the ring before the next look. */
	uint64_t look;
	CHECK_INT(pace_wait(&p), PACE_MAX_NS);
	CHECK_INT(pace_wait_looking(&p, &look), PACE_ASLEEP_NS);
	CHECK(look < RING_WORDS * UINT64_C(1000000) / 9000 * 2 / 3);
	for (int i = 0; i < 3; i++) {
		/* They fill a large ring later, and a small one is not looked at without end. */
		static const uint64_t words[] = {RING_WORDS * 2, RING_WORDS * 1024, 1024};
		static const uint64_t looks[] = {7281777, PACE_MAX_NS, PACE_LOOK_NS};
		signals_wait(NULL, 0, 100000);
		learn_running(&p, words[i]);
		pace_wait_looking(&p, &look);
		CHECK_INT(look, looks[i]);
	}
	/* What a look has not found was written since: the pace is that of the burst. */
	uint64_t at = monotonic_now();
	p.turn_ts = at - PACE_ASLEEP_NS;
	CHECK(!pace_look(&p, at, RING_WORDS, 0));
	CHECK_INT(p.target, PACE_RUNS);
	pace_learn(&p, at + PACE_LOOK_NS, RING_WORDS, RING_WORDS / 2);
	CHECK_NEAR(pace_wait(&p), PACE_LOOK_NS / 4, 1);
	pace_fini(&p);

	pace_init(&p, monotonic_now());
	for (int i = 0; i < 200; i++)
		pace_learn(&p, monotonic_now(), RING_WORDS, 0);
	CHECK_INT(pace_wait(&p), PACE_MAX_NS);
}

/* One that has ended is not waited for. */
TEST(ended)
{
	struct sleeper s = sleeper_start();
	struct pace p;

	pace_init(&p, monotonic_now());
	pace_watch(&p, s.pid);
	sleeper_stop(&s);
	for (int i = 0; i < 200; i++)
		pace_learn(&p, monotonic_now(), RING_WORDS, 0);
	CHECK_INT(pace_wait(&p), PACE_MAX_NS);
	pace_fini(&p);
}

/* A sleeper that runs ends with the test that started it. */
TEST(sleeper_ends)
{
	int status;
	CHECK_INT(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
	pid_t test = fork();
	CHECK(test >= 0);
	if (test == 0)
		_exit(write(sleeper_start().wake, "x", 1) != 1);
	CHECK_INT(waitpid(test, &status, 0), test);
	CHECK_INT(status, 0);
	CHECK(waitpid(-1, &status, 0) > 0);
}

int main(void)
{
	signals_install();
	test_run();
	return 0;
}
