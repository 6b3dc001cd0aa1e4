/*
 * pace.h - how long the rings of a target can be left alone.
 *
 * While the target runs, the pace follows from how fast the fullest ring fills: a ring is read before an
 * eighth of it is written, or a quarter with looks in between.  The pace slows down by a small part each
 * turn, so that the turn before has shown it to be fast enough.
 *
 * A target that writes little can begin to write a lot at any time, and shared memory signals nothing.  While
 * the target runs, the tails of the rings are therefore looked at before such a *burst* could fill half of a
 * ring.  A *look* costs less than a turn, and reads nothing.
 *
 * A sleeping target can't write without running.  A timer on the target's own CPU clock, armed at its current
 * reading, sends SIGALRM at the first kernel tick at which the target runs; then a look is due.  So a
 * sleeping target is rarely read.  The timer belongs to this process; the target does not notice it.  Without
 * such a timer, or with too slow a tick, it is not known whether the target sleeps: it is read at least every
 * PACE_MAX_NS.
 */
#pragma once

#include <sys/types.h>
#include <time.h>

#include "core/std.h"

#define PACE_MIN_NS 500000u	  /* least time between two turns */
#define PACE_LOOK_NS 3000000u	  /* least time between two looks */
#define PACE_MAX_NS 10000000u	  /* most, if the target neither sleeps nor is looked at */
#define PACE_ASLEEP_NS 200000000u /* most, if the target sleeps or is looked at */

enum pace_target { PACE_UNKNOWN, PACE_RUNS, PACE_ASLEEP };

struct pace {
	uint64_t ns;		 /* learned pace, up to PACE_ASLEEP_NS */
	uint64_t turn_ts;	 /* time of the last turn, or of the last look that taught a pace */
	uint64_t words;		 /* unread in the fullest ring then */
	uint64_t look_ns;	 /* between two looks, while the target runs */
	double wanted;		 /* the fastest pace that a look wanted since the last turn */
	enum pace_target target; /* asleep: the timer is armed */
	unsigned alarms;	 /* signals_alarms when the timer was armed */
	bool timed;		 /* there is a timer */
	clockid_t clock;	 /* the target's CPU clock */
	uint64_t cpu_ns;	 /* the last reading of that clock */
	uint64_t cpu_ts;	 /* when it was read */
	timer_t timer;
	pid_t pid; /* the target; 0: not known */
};

/* Initialise at `now`.  Only pace_watch makes pace_fini necessary. */
void pace_init(struct pace *p, uint64_t now);

/* Create a timer for a target, in place of the former one.  From now on SIGALRM must wake the loop. */
void pace_watch(struct pace *p, pid_t pid);
void pace_fini(struct pace *p);

/* Learn from a turn at `now`: `fullest_words` of `ring_words` words were unread in the fullest ring. */
void pace_learn(struct pace *p, uint64_t now, uint64_t ring_words, uint64_t fullest_words);

/* How long to wait before the next turn, without looks in between. */
uint64_t pace_wait(const struct pace *p);

/* How long to wait before the next turn with a look after each *look nanoseconds (UINT64_MAX: none is needed). */
uint64_t pace_wait_looking(const struct pace *p, uint64_t *look);

/* A look at `now`: `fullest_words` are unread in the fullest ring.  Returns whether a turn is due.  What the
 * pace waits for next may have changed. */
bool pace_look(struct pace *p, uint64_t now, uint64_t ring_words, uint64_t fullest_words);

/* Whether the timer has fired: a look is due. */
bool pace_woken(const struct pace *p);
