/*
 * order.h - binary search, arrays ordered by their members' first field (a 64-bit number), and comparisons by
 * several keys for qsort.
 */
#pragma once

#include "core/std.h"

/*
 * A binary search from `low` on for the first number that lacks a property which all smaller numbers have:
 * 	while (order_middle(&search))
 * 		order_turn(&search, holds(search.middle));
 * Afterwards `low` is that number, or `high` if there is none below it.
 */
struct order_search {
	size_t low, high, middle;
};

static inline bool order_middle(struct order_search *search)
{
	search->middle = search->low + (search->high - search->low) / 2;
	return search->low < search->high;
}

static inline void order_turn(struct order_search *search, bool holds)
{
	if (holds)
		search->low = search->middle + 1;
	else
		search->high = search->middle;
}

/* Order two members, for qsort. */
static inline int order_by_number(const void *a, const void *b)
{
	uint64_t x, y;

	memcpy(&x, a, sizeof(x));
	memcpy(&y, b, sizeof(y));
	return (x > y) - (x < y);
}

/* Order two members whose first thing is an int, for qsort and bsearch. */
static inline int order_by_int(const void *a, const void *b)
{
	int x, y;

	memcpy(&x, a, sizeof(x));
	memcpy(&y, b, sizeof(y));
	return (x > y) - (x < y);
}

/* Compare two structs by one of their members; the smaller or the larger value comes first. */
#define ORDER_RISING(a, b, member) (((a)->member > (b)->member) - ((a)->member < (b)->member))
#define ORDER_FALLING(a, b, member) ORDER_RISING(b, a, member)

/* Compare by several orders: the first that tells the two members apart decides. */
#define ORDER_BY(...)                                                                                        \
	order_first((const int[]){__VA_ARGS__}, sizeof((const int[]){__VA_ARGS__}) / sizeof(int))
static inline int order_first(const int *orders, size_t count)
{
	size_t i = 0;

	while (i + 1 < count && orders[i] == 0)
		i++;
	return orders[i];
}

/* Count the members, each of `member` bytes, whose number is below `number`. */
static inline size_t order_below(const void *array, size_t count, size_t member, uint64_t number)
{
	struct order_search at = {.high = count};

	while (order_middle(&at))
		order_turn(&at, order_by_number((const char *)array + at.middle * member, &number) < 0);
	return at.low;
}

/* Count the elements whose number is at most `number`. */
static inline size_t order_up_to(const void *array, size_t count, size_t member, uint64_t number)
{
	return number == UINT64_MAX ? count : order_below(array, count, member, number + 1);
}
