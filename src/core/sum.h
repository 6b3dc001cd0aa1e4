/*
 * sum.h - arithmetic that stops at the greatest value.
 */
#pragma once

#include "core/std.h"

/* a + b, at most UINT64_MAX. */
static inline uint64_t sum_saturating(uint64_t a, uint64_t b)
{
	uint64_t sum = a + b;

	return sum < a ? UINT64_MAX : sum;
}

/* a + b, wrapping round as the runtime's counters do. */
static inline int64_t sum_wrapping(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a + (uint64_t)b);
}

/* The most words that a ring is believed to have seen: a writer of 30 million words a second, more than a
 * runtime writes, takes a year to reach it.  Sums of lost or corrupt words stop here too. */
#define RING_WORDS_CEILING (UINT64_C(1) << 50)

/* a + b, at most RING_WORDS_CEILING. */
static inline uint64_t words_sum(uint64_t a, uint64_t b)
{
	uint64_t sum = sum_saturating(a, b);

	return sum < RING_WORDS_CEILING ? sum : RING_WORDS_CEILING;
}

/* A value without its fraction: 0 if it is negative or NAN, at most UINT64_MAX. */
static inline uint64_t whole_saturating(double value)
{
	return !(value > 0) ? 0 : value < 0x1p64 ? (uint64_t)value : UINT64_MAX;
}
