/*
 * pace.c - how long the rings can be left alone.
 */
#include "session/pace.h"

#include <signal.h>

#include "core/clock.h"
#include "launch/signals.h"

/* The fullest ring may fill to 1/PACE_SHARE of its size between two turns. */
#define PACE_SHARE 8

/* With looks in between, the fullest ring may fill to LOOK_FACTOR times as much. */
#define LOOK_FACTOR 2

/* A look this soon after the last tells nothing about the pace, because records come in bunches. */
#define STRETCH_NS 1000000u

/* The pace grows by at most 1/PACE_GROWTH in a turn. */
#define PACE_GROWTH 16

/* A wanted pace faster than the last by this factor shows that a sleeping target has woken up. */
#define BURST_FACTOR 4

/* Words that a burst writes into a ring in a millisecond: four million events a second. */
#define BURST_WORDS 9000u

/* A target that ran for less than 1/ASLEEP_SHARE of the time since the last turn sleeps. */
#define ASLEEP_SHARE 4

/* The slowest kernel tick that is fast enough: a burst may last for a tick before the timer fires. */
#define TICK_MAX_NS 4100000

void pace_init(struct pace *p, uint64_t now)
{
	*p = (struct pace){.ns = PACE_MIN_NS, .turn_ts = now, .wanted = PACE_ASLEEP_NS};
}

void pace_watch(struct pace *p, pid_t pid)
{
	struct sigevent event = {
	    .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM, .sigev_value = {.sival_int = (int)pid}};
	struct timespec tick;

	pace_fini(p);
	p->pid = pid;
	if (clock_getres(CLOCK_MONOTONIC_COARSE, &tick) != 0 || tick.tv_sec != 0 ||
	    tick.tv_nsec > TICK_MAX_NS)
		return;
	p->timed = clock_getcpuclockid(pid, &p->clock) == 0 && timer_create(p->clock, &event, &p->timer) == 0;
}

void pace_fini(struct pace *p)
{
	if (p->timed)
		timer_delete(p->timer);
	p->timed = false;
	p->cpu_ns = p->cpu_ts = 0;
	p->target = PACE_UNKNOWN;
}

/* Arm the timer: it fires once the target's CPU clock passes `cpu_ns`. */
static bool arm(const struct pace *p, uint64_t cpu_ns)
{
	const struct itimerspec at = {.it_value = {.tv_sec = (time_t)((cpu_ns + 1) / 1000000000u),
					  .tv_nsec = (long)((cpu_ns + 1) % 1000000000u)}};

	return timer_settime(p->timer, TIMER_ABSTIME, &at, NULL) == 0;
}

/* Return what the target did for most of the time since the last call, up to `at`.  If it slept, arm the
 * timer. */
static enum pace_target ask_clock(struct pace *p, uint64_t at)
{
	/* The timer has not fired and stays armed. */
	if (p->target == PACE_ASLEEP && p->alarms == signals_alarms(p->pid))
		return PACE_ASLEEP;
	uint64_t now = p->timed ? clock_ns(p->clock) : UINT64_C(0);
	if (now == 0)
		return PACE_UNKNOWN;
	uint64_t ran = now - p->cpu_ns, elapsed = at - p->cpu_ts;
	p->cpu_ns = now;
	p->cpu_ts = at;
	p->alarms = signals_alarms(p->pid);
	if (ran >= elapsed / ASLEEP_SHARE)
		return PACE_RUNS;
	return arm(p, now) ? PACE_ASLEEP : PACE_UNKNOWN;
}

/* The time in which a burst fills half of a ring, within bounds. */
static uint64_t burst_ns(uint64_t ring_words)
{
	if (ring_words > UINT64_C(2) * BURST_WORDS * (PACE_MAX_NS / 1000000u))
		return PACE_MAX_NS;
	uint64_t ns = ring_words * 500000u / BURST_WORDS;
	return ns > PACE_LOOK_NS ? ns : PACE_LOOK_NS;
}

/* Return the pace that suits `fullest_words` found at `now`, assuming that they were written evenly since the
 * last turn or look. */
static double wanted_pace(const struct pace *p, uint64_t now, uint64_t ring_words, uint64_t fullest_words)
{
	if (fullest_words <= p->words)
		return PACE_ASLEEP_NS;
	return (double)(now - p->turn_ts) * (double)(ring_words / PACE_SHARE) /
	       (double)(fullest_words - p->words);
}

void pace_learn(struct pace *p, uint64_t now, uint64_t ring_words, uint64_t fullest_words)
{
	uint64_t slowest = p->ns + p->ns / PACE_GROWTH, burst = burst_ns(ring_words);
	double wanted = wanted_pace(p, now, ring_words, fullest_words);

	if (p->wanted < wanted || (p->words != 0 && now - p->turn_ts < STRETCH_NS))
		wanted = p->wanted;
	p->turn_ts = now;
	p->words = 0;
	p->wanted = PACE_ASLEEP_NS;
	/* The words may all have been written in the last part of that time. */
	if (p->target == PACE_ASLEEP && wanted < (double)p->ns / BURST_FACTOR)
		slowest = PACE_MIN_NS;
	p->ns = wanted < (double)slowest ? (uint64_t)wanted : slowest;
	if (p->ns < PACE_MIN_NS)
		p->ns = PACE_MIN_NS;
	if (p->ns > PACE_ASLEEP_NS)
		p->ns = PACE_ASLEEP_NS;
	p->target = p->ns >= burst ? ask_clock(p, now) : PACE_UNKNOWN;
	p->look_ns = burst;
}

bool pace_woken(const struct pace *p)
{
	return p->target == PACE_ASLEEP && p->alarms != signals_alarms(p->pid);
}

uint64_t pace_wait(const struct pace *p)
{
	if (p->target == PACE_ASLEEP)
		return pace_woken(p) ? 0 : p->ns;
	return p->ns < PACE_MAX_NS ? p->ns : PACE_MAX_NS;
}

uint64_t pace_wait_looking(const struct pace *p, uint64_t *look)
{
	*look = p->target == PACE_RUNS ? p->look_ns : UINT64_MAX;
	if (p->target == PACE_UNKNOWN)
		return pace_wait(p);
	return p->ns < PACE_ASLEEP_NS / LOOK_FACTOR ? p->ns * LOOK_FACTOR : PACE_ASLEEP_NS;
}

bool pace_look(struct pace *p, uint64_t now, uint64_t ring_words, uint64_t fullest_words)
{
	if (fullest_words >= ring_words / PACE_SHARE * LOOK_FACTOR)
		return true;
	if (now - p->turn_ts >= STRETCH_NS) {
		double wanted = wanted_pace(p, now, ring_words, fullest_words);
		if (wanted < p->wanted)
			p->wanted = wanted;
		p->turn_ts = now;
		p->words = fullest_words;
	}
	p->target = ask_clock(p, now);
	return p->target == PACE_UNKNOWN;
}
