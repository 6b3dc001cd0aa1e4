/*
 * sum.h - a sum that stops at the largest number there is.
 */
#ifndef CORE_SUM_H
#define CORE_SUM_H

#include <stdint.h>

/* Sum of two, UINT64_MAX when it would exceed that. */
static inline uint64_t sum_saturating(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

#endif
