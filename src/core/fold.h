/*
 * fold.h - signed numbers as unsigned ones, such that numbers near zero stay small: 0, -1, 1, -2 become 0, 1, 2, 3.
 */
#ifndef CORE_FOLD_H
#define CORE_FOLD_H

#include <stdint.h>

/* Fold a signed number. */
static inline uint64_t fold(int64_t value)
{
	return (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0);
}

/* The inverse of fold. */
static inline int64_t unfold(uint64_t value)
{
	return (int64_t)(value >> 1 ^ (UINT64_MAX * (value & 1)));
}

#endif
