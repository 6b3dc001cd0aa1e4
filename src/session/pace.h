/*
 * pace.h - how long the rings of a target can be left alone.
 *
 * While the target runs, the pace follows from how fast the fullest ring fills: a ring is read before an eighth of it
 * is written.  The pace slows down by a small part each turn, so that the turn before has shown it to be fast enough.
 *
 * A sleeping target can begin to write at any time, and shared memory signals nothing.  But it can't write without
 * running.  A timer on the target's own CPU clock, armed at its current reading, sends SIGALRM at the first kernel
 * tick at which the target runs.  So a sleeping target is rarely read.  The timer belongs to the reader; the target
 * does not notice it.  Without such a timer, or with too slow a tick, a sleeping target is read like a running one.
 */
#ifndef SESSION_PACE_H
#define SESSION_PACE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#define PACE_MIN_NS 500000u	 /* between two turns, at least */
#define PACE_MAX_NS 10000000u	 /* at most, while the target runs */
#define PACE_ASLEEP_NS 40000000u /* at most, while it sleeps */

struct pace {
	uint64_t ns;	  /* learned pace, up to PACE_ASLEEP_NS */
	uint64_t turn_ts; /* time of the last turn */
	bool asleep;	  /* the timer is armed; signals_alarms then was: */
	unsigned alarms;
	bool timed;	 /* there is a timer */
	clockid_t clock; /* the target's CPU clock */
	uint64_t cpu_ns; /* its last reading, at: */
	uint64_t cpu_ts;
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

/* How long to wait before the next turn. */
uint64_t pace_wait(const struct pace *p);

#endif
