/*
 * pairs.h - which pairs of numbers come up most often, in bounded memory.
 *
 * This is the summary of Misra and Gries: it holds SITES_PAIRS_MAX pairs.  When it is full, a pair that it does
 * not hold costs each of the others one of its hits, and a pair without any left makes room.  So every pair that
 * makes up more than 1 / SITES_PAIRS_MAX of all is held, and its hits are too few by at most that share.
 *
 * What a pair costs is not taken off its hits: misses are counted for all together, and a pair is used up when there
 * were as many since it came as it has hits.  Whether one is needs to be known at a miss only, so hits may be
 * added later than they happen, as long as they are all there when sites_pairs_sweep is called.
 */
#ifndef SITES_PAIRS_H
#define SITES_PAIRS_H

#include "sites/index.h"

enum { SITES_PAIRS_MAX = 10000 };

struct sites_pair {
	uint32_t a, b;
	uint64_t hits;
	uint64_t misses_before; /* those that it has outlived without loss */
	uint64_t order;		/* it was the order-th to be taken in, from 1 on; 0: a free place */
	uint64_t since;		/* of its user, likewise `next` and `running` */
	uint32_t next;
	bool running;
};

struct sites_pairs {
	struct sites_pair *list; /* SITES_PAIRS_MAX places, where a pair stays */
	size_t count;		 /* of the pairs */
	size_t used;		 /* places up to which there are pairs, and free ones that are linked: */
	uint32_t free;		 /* the first of them, the others by `next`; or SITES_NONE */
	uint64_t misses;	 /* how often it was full */
	uint64_t spent;		 /* no pair is used up before there are so many misses */
	uint64_t added;
	uint32_t *slots; /* hash table: some bits of a pair's hash and its place */
	uint64_t multiplier;
};

/* Make an empty summary.  False when memory ran out; fini is right in any case. */
bool sites_pairs_init(struct sites_pairs *pairs);
void sites_pairs_fini(struct sites_pairs *pairs);

/* The place of a pair; SITES_NONE when it is not held. */
uint32_t sites_pairs_find(const struct sites_pairs *pairs, uint32_t a, uint32_t b);

/* Add a pair that is not held, without hits, where there is room.  Returns its place. */
uint32_t sites_pairs_insert(struct sites_pairs *pairs, uint32_t a, uint32_t b);

/* Count a pair once.  False when that was a miss that may have used pairs up: sweep then. */
bool sites_pairs_add(struct sites_pairs *pairs, uint32_t a, uint32_t b);

/* Drop the pairs that are used up. */
void sites_pairs_sweep(struct sites_pairs *pairs);

#endif
