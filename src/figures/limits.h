/*
 * limits.h - from which value on a figure is worth attention, and from which it is bad, for colours and judgements.
 */
#pragma once

#include "core/lists.h"

/*
 * X(NAME, attention, bad): values from these on; a value of 0 is always good.
 *
 * GC         share of the time in pauses.  A tenth is what a program may gain by tuning at the most with ease; a quarter
 *            is what findings have to account for (ADVICE_MUCH_GC).
 * PAUSE      ns.  10 ms is seen in the tail of what a server answers; 100 ms is noticed by a person who waits.
 * LOST       share of the traffic.  Any loss hides something; from 1 % on rates are not to be trusted.
 * THROTTLED  share of the scheduler's periods.  In each of them all threads stood still; at a twentieth so does one
 *            request of twenty.
 * SWAP       share of the process's memory that is swapped out.  Each collection of the major heap brings it back in.
 */
#define FIGURE_LIMITS(X)                                                                                     \
	X(LIMIT_GC, 0.1, 0.25)                                                                               \
	X(LIMIT_PAUSE, 10e6, 100e6)                                                                          \
	X(LIMIT_LOST, 0, 0.01)                                                                               \
	X(LIMIT_THROTTLED, 0, 0.05)                                                                          \
	X(LIMIT_SWAP, 0, 0.1)

enum limit { FIGURE_LIMITS(LIST_NAME) LIMIT_COUNT };

/* How a figure stands to its limits; the order is that of severity. */
enum limit_level { LEVEL_NONE, LEVEL_GOOD, LEVEL_ATTENTION, LEVEL_BAD };

/* Return the level of a value; LEVEL_NONE: it is not known. */
enum limit_level limit_level(enum limit limit, double value);
