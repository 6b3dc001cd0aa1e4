/*
 * sum.h - arithmetic that stops at the greatest value.
 */
#ifndef CORE_SUM_H
#define CORE_SUM_H

#include <stdint.h>

/* a + b, at most UINT64_MAX. */
static inline uint64_t sum_saturating(uint64_t a, uint64_t b)
{
	uint64_t sum = a + b;

	return sum < a ? UINT64_MAX : sum;
}

/* A value without its fraction: 0 if it is negative or NAN, at most UINT64_MAX. */
static inline uint64_t whole_saturating(double value)
{
	return !(value > 0) ? 0 : value < 0x1p64 ? (uint64_t)value : UINT64_MAX;
}

#endif
