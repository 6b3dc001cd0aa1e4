/*
 * pairs.h - which pairs of numbers come up most often, in bounded memory.
 *
 * This is the summary of Misra and Gries: it holds SITES_PAIRS_MAX pairs.  When it is full, a pair that it does
 * not hold costs each of the others one of its hits, and a pair without any left makes room.  So every pair that
 * makes up more than 1 / SITES_PAIRS_MAX of all is held, and its hits are too few by at most that share.
 */
#ifndef SITES_PAIRS_H
#define SITES_PAIRS_H

#include "sites/index.h"

enum { SITES_PAIRS_MAX = 10000 };

struct sites_pair {
	uint32_t a, b;
	uint64_t hits;
	uint64_t misses_before; /* those that it has outlived without loss */
	uint64_t order;		/* it was the order-th to be taken in */
};

/* Empty is all zeros. */
struct sites_pairs {
	struct sites_pair *list;
	size_t count, capacity;
	uint64_t misses; /* how often it was full */
	uint64_t spent;	 /* no pair is used up before there are so many misses */
	uint64_t added;
	struct sites_index index;
};

void sites_pairs_fini(struct sites_pairs *pairs);

/* Count a pair once.  False when memory ran out. */
bool sites_pairs_add(struct sites_pairs *pairs, uint32_t a, uint32_t b);

#endif
