/*
 * series.h - a number over time: one value for each fixed step, the latest so many steps.
 *
 * It holds sparklines and what rates are made of.  Step k covers the nanoseconds [k * step, (k + 1) * step) of the stamps'
 * clock, whatever the series began with, so that several series line up.  How the values of a step combine is
 * the mode.  A step is *not known* until the series has come to it (series_add or series_advance): that
 * differs from 0, and reads as NAN.  Steps that the series passes without a value are 0 in the modes SUM and
 * MAX, and keep the last value in the mode LAST.
 */
#ifndef WATCH_SERIES_H
#define WATCH_SERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum series_mode {
	SERIES_SUM,  /* the sum of a step's values: events, bytes */
	SERIES_LAST, /* the latest value, which stays until the next one: a level */
	SERIES_MAX   /* the largest of a step's values, which are not negative */
};

struct series;

/* `step` in ns, at least 1; `steps` kept, 2 to 1048576.  NULL for others and when memory ran out. */
struct series *series_create(enum series_mode mode, uint64_t step, size_t steps);
void series_destroy(struct series *s);

/* A copy, to be destroyed; NULL when memory ran out. */
struct series *series_copy(const struct series *from);

/*
 * Put a value at ts.  Stamps may come out of order as long as their step is still kept.  A stamp older than
 * everything kept can't come from a clock that only goes forward: the series starts anew with it.
 */
void series_add(struct series *s, uint64_t ts, double value);

/* Say that everything until ts has been observed.  The first such call, or the first value, begins the
 * series. */
void series_advance(struct series *s, uint64_t ts);

/* Forget everything. */
void series_reset(struct series *s);

/*
 * Fill out[0 .. columns - 1] with columns of `per` steps each; the last column holds `now`, and columns stand
 * on multiples of `per` steps, so that they don't shift between two readings.  A column is the sum, the last
 * or the largest of its known steps, NAN when none is known.  The last column is still filling up.
 */
void series_read(const struct series *s, uint64_t now, size_t per, size_t columns, double *out);

/* From when until when a series has been observed, no further back than its steps are kept.  False when it has not
 * begun. */
bool series_span(const struct series *s, uint64_t *begin, uint64_t *until);

/* The sum over the steps that [from, to] touches, as far as they are known and kept; of the modes SUM. */
double series_sum(const struct series *s, uint64_t from, uint64_t to);

/* The value in effect at the latest known step; NAN without one. */
double series_latest(const struct series *s);

#endif
