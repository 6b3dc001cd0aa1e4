/*
 * series.h - a number over time: one value for each fixed step, for the latest steps.
 *
 * Used for sparklines and rates.  Step k covers [k * step, (k + 1) * step) ns of the event clock, so several
 * series line up.  The mode determines how the values of a step combine.  A step is *unknown*, and reads as
 * NAN, until series_add or series_advance has reached it; that is not the same as 0.  Steps without a value
 * are 0 in the modes SUM and MAX, and repeat the last value in the mode LAST.
 */
#pragma once

#include "core/std.h"

enum series_mode {
	SERIES_SUM,  /* the sum of a step's values: events, bytes */
	SERIES_LAST, /* the latest value, which stays until the next one: a level */
	SERIES_MAX   /* the largest of a step's values, which are not negative */
};

#define SERIES_STEPS 480 /* the most that are kept */

/* Members are private.  A zeroed struct has not been made yet.  Copying the bytes copies the series. */
struct series {
	enum series_mode mode;
	uint64_t step;
	size_t steps; /* 0: not made yet */
	bool begun;
	uint64_t begin;
	uint64_t until;	   /* the latest stamp observed */
	uint64_t head;	   /* number of the latest step */
	uint64_t from, to; /* stamps of the latest step, `to` excluded; equal before the first value */
	size_t slot;	   /* index of the latest step in `values` */
	double last;	   /* mode LAST: what the next step starts with */
	double values[SERIES_STEPS];
};

/* Make an empty series.  `step` in ns, at least 1; `steps` kept, 2 to SERIES_STEPS. */
void series_init(struct series *s, enum series_mode mode, uint64_t step, size_t steps);

/*
 * Add a value at ts.  Values may come out of order while their step is kept.  A timestamp older than all kept
 * steps means that the clock was reset: the series restarts with it.
 */
void series_add(struct series *s, uint64_t ts, double value);

/* Mark everything until ts as observed.  The first call, or the first value, begins the series. */
void series_advance(struct series *s, uint64_t ts);

/* In mode LAST: the value ends at ts, and the next steps are unknown until another value arrives.  Earlier
 * steps are kept. */
void series_break(struct series *s, uint64_t ts);

/* Forget everything. */
void series_reset(struct series *s);

/*
 * Fill out[0 .. columns - 1] with columns of `per` steps each; the last column contains `now`, and columns
 * begin at multiples of `per` steps, so that they don't shift between two readings.  A column is the sum, the
 * last or the largest of its known steps; NAN: none is known.  The last column is still being filled.
 */
void series_read(const struct series *s, uint64_t now, size_t per, size_t columns, double *out);

/* How the values of a step combine. */
enum series_mode series_mode_of(const struct series *s);

/* The interval that a series covers, limited to the steps kept.  False if it has not begun. */
bool series_span(const struct series *s, uint64_t *begin, uint64_t *until);

/* Sum of the known steps that [from, to] touches, in mode SUM. */
double series_sum(const struct series *s, uint64_t from, uint64_t to);

/* The value of the latest known step, in mode LAST the value that is valid now; NAN without one. */
double series_latest(const struct series *s);
