/*
 * effort.h - what a look at a foreign process may cost.
 *
 * What a process says of itself is as large as it likes: its file, its tables, its lists.  Whatever reads that spends of
 * one effort, in steps of bounded work, and gives up when it is spent.
 */
#pragma once

#include "core/std.h"

#define EFFORT_ASKED (UINT64_C(1) << 20) /* work between two looks at the clock: about a millisecond */

struct effort {
	uint64_t work;	  /* left: about a nanosecond of a processor each, and at least one for each byte */
	uint64_t memory;  /* bytes that may still be kept */
	uint64_t end;	  /* of the monotonic clock: nothing is spent later; 0: it has no end */
	uint64_t unasked; /* work since the clock was asked, and whether a signal waits that is to end us */
	const char *over; /* why nothing more is spent, a clause in static storage; NULL: it is not over */
	bool full;	  /* there was no memory left for something */
};

/* For the look at a process that a list has: at most about 50 ms of a processor. */
struct effort effort_for_look(void);

/* For the code of one process, its symbols and its tables: three seconds, and 64 MiB. */
struct effort effort_for_code(void);

/* Another look by the same effort: some more work, and time from now on. */
void effort_renew(struct effort *effort);

/* Spend work.  False if the effort is over; a signal that is to end us and waits for a loop to take it ends it, too, as
 * does thread_end of the thread that spends it (core/thread.h). */
bool effort_spend(struct effort *effort, uint64_t work);

/* Spend memory.  False if there is not so much; smaller things may fit. */
bool effort_keep(struct effort *effort, uint64_t bytes);

/* Have back what was kept and is free again. */
void effort_return(struct effort *effort, uint64_t bytes);
