/*
 * sum.h - saturating addition.
 */
#ifndef CORE_SUM_H
#define CORE_SUM_H

#include <stdint.h>

/* a + b, at most UINT64_MAX. */
static inline uint64_t sum_saturating(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

#endif
