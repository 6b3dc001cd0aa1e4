/*
 * effort.h - limits for reading a foreign process.
 *
 * A process chooses how large its file, its tables and its lists are.  Whatever reads them spends from one
 * effort, in steps of bounded work, and gives up when the effort is spent.
 */
#pragma once

#include "core/std.h"

/* Why an effort is over that may suffice another time: a clause. */
#define EFFORT_LATE "reading that takes too long"

#define EFFORT_ASKED (UINT64_C(1) << 20) /* work between two checks of the clock: about a millisecond */

struct effort {
	uint64_t work;	  /* work left: about a nanosecond of CPU time each, and at least one for each byte */
	uint64_t memory;  /* bytes that may still be allocated */
	uint64_t end;	  /* on the monotonic clock: the effort is over then; 0: no end */
	uint64_t cpu_end; /* of the thread's CPU time: before that, the end is put off by up to 8 s */
	uint64_t unasked; /* work since the clock and the pending signals were checked */
	const char *over; /* why the effort is over, a clause in static storage; NULL: it is not */
	bool full;	  /* an allocation was refused for lack of memory */
};

/* Return the effort for a glance at a process in a list: at most about 50 ms of CPU time. */
struct effort effort_for_look(void);

/* Return the effort for the code of one process, its symbols and its tables: enough for a report to end
 * within three seconds on a machine that lets it run, and 64 MiB.  It is spent by the thread that calls this. */
struct effort effort_for_code(void);

/* Extend an effort for another look: add some work, and let its time begin now. */
void effort_renew(struct effort *effort);

/* Spend work.  Returns false if the effort is over.  A pending signal that will end us also ends it, and so
 * does thread_end of the thread that spends it (core/thread.h). */
bool effort_spend(struct effort *effort, uint64_t work);

/* Reserve memory.  Returns false if that much is not left; less may be. */
bool effort_keep(struct effort *effort, uint64_t bytes);

/* Return reserved memory that has been freed. */
void effort_return(struct effort *effort, uint64_t bytes);
