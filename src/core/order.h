/*
 * order.h - arrays in the order of a number of 64 bits, which is the first thing in each member.
 */
#ifndef CORE_ORDER_H
#define CORE_ORDER_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Order two members, for qsort. */
static inline int order_by_number(const void *a, const void *b)
{
	uint64_t x, y;

	memcpy(&x, a, sizeof(x));
	memcpy(&y, b, sizeof(y));
	return (x > y) - (x < y);
}

/* How many of `count` members, of `member` bytes, have a number below `number`. */
static inline size_t order_below(const void *array, size_t count, size_t member, uint64_t number)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (order_by_number((const char *)array + middle * member, &number) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The same of those with the number itself, too. */
static inline size_t order_up_to(const void *array, size_t count, size_t member, uint64_t number)
{
	return number == UINT64_MAX ? count : order_below(array, count, member, number + 1);
}

#endif
