/* limits.h - the values at which a figure needs attention or is bad, for colours and judgements. */
#pragma once

#include "core/lists.h"

/*
 * X(NAME, attention, bad): lower bounds; a value of 0 is always good.
 *
 * GC         share of the time in pauses.  Tuning easily gains at most a tenth; findings must account for
 *            a quarter (ADVICE_MUCH_GC).
 * PAUSE      ns.  10 ms shows in the tail latency of a server; a waiting person notices 100 ms.
 * LOST       share of the traffic.  Any loss hides something; from 1 % on, rates are not to be trusted.
 * THROTTLED  share of the scheduler's periods.  All threads stand still in each of them; at a twentieth, so does
 *            one request in twenty.
 * SWAP       share of the process's memory that is swapped out.  Each major collection reads it back in.
 */
#define FIGURE_LIMITS(X)                                                                                     \
	X(LIMIT_GC, 0.1, 0.25)                                                                               \
	X(LIMIT_PAUSE, 10e6, 100e6)                                                                          \
	X(LIMIT_LOST, 0, 0.01)                                                                               \
	X(LIMIT_THROTTLED, 0, 0.05)                                                                          \
	X(LIMIT_SWAP, 0, 0.1)

enum limit { FIGURE_LIMITS(LIST_NAME) LIMIT_COUNT };

/* A figure's relation to its limits, in the order of severity. */
enum limit_level { LEVEL_NONE, LEVEL_GOOD, LEVEL_ATTENTION, LEVEL_BAD };

/* Return the level of a value; LEVEL_NONE: it is not known. */
enum limit_level limit_level(enum limit limit, double value);
