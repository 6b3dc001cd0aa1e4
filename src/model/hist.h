/*
 * hist.h - a log-linear histogram of durations in nanoseconds, over all of 64 bits.
 *
 * Values below 64 have a bucket each; above, every octave [2^e, 2^(e+1)) is cut into 64 buckets of equal
 * width, so that a bucket's midpoint is within 0.79 % of every value in it.  Octaves are allocated when their
 * first value comes: a histogram of durations that lie within a factor of a thousand of each other takes
 * about 5 KiB. Count, smallest and largest are exact; so is the sum, which stays at UINT64_MAX once it would
 * exceed it.
 */
#pragma once

#include "core/sum.h"
#include "model/pool.h"

#define HIST_OCTAVE_BUCKETS 64
#define HIST_OCTAVES 59
#define HIST_AT_ONCE 64 /* most values of one hist_add_reserved */
#define HIST_PLACES (HIST_OCTAVE_BUCKETS * HIST_OCTAVES)

struct hist_octave {
	uint64_t counts[HIST_OCTAVE_BUCKETS];
};

/* A zeroed struct is an empty histogram.  The members after `held` are private. */
struct hist {
	uint64_t count;
	uint64_t sum;
	uint64_t min;  /* 0 when empty */
	uint64_t max;  /* 0 when empty */
	uint64_t held; /* octaves that are allocated, a bit each */
	struct hist_octave **octaves;
	unsigned first;	  /* which octave octaves[0] is */
	unsigned present; /* length of `octaves`, whose members may be NULL */
	struct pool *pool;
};

/* One non-empty bucket: `count` values v with low <= v <= high. */
struct hist_bucket {
	uint64_t low;
	uint64_t high;
	uint64_t count;
};

/* Let an empty histogram take its memory from a pool.  Only the pool frees it. */
static inline void hist_use(struct hist *h, struct pool *pool)
{
	h->pool = pool;
}

/* Empty a histogram and free what it holds; it can be used again. */
void hist_fini(struct hist *h);

/* Empty a histogram, but keep its memory. */
void hist_clear(struct hist *h);

/* Make `to` a copy, whatever it held.  False, and `to` is empty, when memory ran out. */
bool hist_copy(struct hist *to, const struct hist *from);

/* The bytes that adding a value would allocate. */
size_t hist_growth(const struct hist *h, uint64_t value);

/* Allocate what a value needs.  False, and nothing changed, when memory ran out. */
bool hist_reserve(struct hist *h, uint64_t value);

/* Add one value.  False, and nothing changed, when memory ran out. */
bool hist_add(struct hist *h, uint64_t value);

/* Add a value whose hist_place is known; inline, for callers that add a value to several histograms.
 * hist_add_new does the rare part. */
static inline bool hist_add_at(struct hist *h, uint64_t value, unsigned place);
bool hist_add_new(struct hist *h, uint64_t value);

/* Add several values at once.  Their memory must be reserved. */
void hist_add_reserved(struct hist *h, const uint32_t *values, unsigned count);

/* Remove one value.  False, without a change, if its bucket is empty.  Then call hist_trim to move the
 * smallest and the largest value into the remaining buckets; they are exact to 1 % after that. */
bool hist_take(struct hist *h, uint64_t value);
void hist_trim(struct hist *h);

/* Add all that `from` holds to `into`.  False when memory ran out; `into` is then of no use. */
bool hist_merge(struct hist *into, const struct hist *from);

/*
 * The percentile by nearest rank, sorted[ceil(num / den * count) - 1], within 1 %; exact for the smallest and
 * the largest value.  For p99.9 num is 999 and den 1000.  0 for an empty histogram.
 */
uint64_t hist_percentile(const struct hist *h, unsigned num, unsigned den);

/* The percentile as a figure: NAN for an empty histogram. */
double hist_figure(const struct hist *h, unsigned num, unsigned den);

/* For callers that store buckets in another form: the index of a value's bucket in ascending order, below
 * HIST_PLACES; the value that represents a bucket; and the rank, from 1, of a percentile of `count` values. */
static inline unsigned hist_place(uint64_t value)
{
	/* Bits below the 7 leading ones: the highest of these, which is set above the first octave, counts
	 * that octave. */
	unsigned shift = 57u - (unsigned)__builtin_clzll(value | HIST_OCTAVE_BUCKETS);

	return shift * HIST_OCTAVE_BUCKETS + (unsigned)(value >> shift);
}
uint64_t hist_place_middle(unsigned place);

/* Whether the memory for a value is allocated, by a histogram's `held`. */
static inline bool hist_has_room(uint64_t held, uint64_t value)
{
	return (held >> hist_place(value) / HIST_OCTAVE_BUCKETS & 1) != 0;
}

uint64_t hist_rank(uint64_t count, unsigned num, unsigned den);

/*
 * Walk the non-empty buckets in ascending order: start with *position 0; false when there are no more.
 */
bool hist_next(const struct hist *h, unsigned *position, struct hist_bucket *out);

static inline bool hist_add_at(struct hist *h, uint64_t value, unsigned place)
{
	unsigned i = place / HIST_OCTAVE_BUCKETS - h->first;
	struct hist_octave *counts = i < h->present ? h->octaves[i] : NULL;

	if (counts == NULL)
		return hist_add_new(h, value);
	counts->counts[place % HIST_OCTAVE_BUCKETS]++;
	if (h->count++ == 0 || value < h->min)
		h->min = value;
	if (value > h->max)
		h->max = value;
	h->sum = sum_saturating(h->sum, value);
	return true;
}
