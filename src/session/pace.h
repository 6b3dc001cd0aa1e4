/*
 * pace.h - how long the rings of a target can be left alone.
 *
 * While the target runs, it follows from how fast the fullest ring fills: a ring is to be read before an eighth of it is written,
 * and what the pace becomes slower by in one turn is little, so that it has been seen before to be enough.
 *
 * A target that sleeps may begin to write at any time, and nothing tells a reader of shared memory.  But it can't write without
 * running: a timer on the target's own CPU clock, armed at what that shows, sends SIGALRM at the first tick of the kernel's
 * clock at which the target runs.  So a sleeping target need hardly be looked at.  The timer is the reader's; a target that runs
 * does not meet it.  Where there is no such timer, or the kernel ticks too slowly, a sleeping target is read like one that runs.
 */
#ifndef SESSION_PACE_H
#define SESSION_PACE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#define PACE_MIN_NS 500000u	 /* between two turns, at least */
#define PACE_MAX_NS 10000000u	 /* at most, of a target that runs */
#define PACE_ASLEEP_NS 40000000u /* at most, of one that sleeps */

struct pace {
	uint64_t ns;	  /* as learned, up to PACE_ASLEEP_NS */
	uint64_t turn_ts; /* of the last turn */
	bool asleep;	  /* the timer is armed, and signals_alarms was: */
	unsigned alarms;
	bool timed;	 /* there is a timer */
	clockid_t clock; /* of the target's CPU time */
	uint64_t cpu_ns; /* what it showed, at: */
	uint64_t cpu_ts;
	timer_t timer;
};

/* Begin, at `now`.  pace_fini only needs to be called after pace_watch. */
void pace_init(struct pace *p, uint64_t now);

/* Set up a timer for a target; SIGALRM is to wake the loop from now on.  Of a former target's there is none any more. */
void pace_watch(struct pace *p, pid_t pid);
void pace_fini(struct pace *p);

/* Learn from a turn at `now` which found so many unread words in the fullest ring of so many. */
void pace_learn(struct pace *p, uint64_t now, uint64_t ring_words, uint64_t fullest_words);

/* How long to wait before the next turn. */
uint64_t pace_wait(const struct pace *p);

#endif
