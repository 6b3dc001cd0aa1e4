/*
 * pairs.h - find the most frequent pairs of numbers in bounded memory.
 *
 * This is the summary of Misra and Gries.  It holds at most SITES_PAIRS_MAX pairs.  When it is full, a pair
 * that it does not hold (a *miss*) takes one hit from every pair that it holds, and pairs with no hits left
 * are dropped.  So every pair that makes up more than 1 / SITES_PAIRS_MAX of all is held, and its hits are
 * too low by at most that share.
 *
 * The implementation does not decrement hits.  It keeps one count of misses, and a pair is used up when there
 * have been as many misses since it was added as it has hits.  This only matters at a miss, so the user may
 * add hits late, as long as all have been added when it calls sites_pairs_sweep.
 */
#ifndef SITES_PAIRS_H
#define SITES_PAIRS_H

#include "sites/index.h"

enum { SITES_PAIRS_MAX = 10000 };

struct sites_pair {
	uint32_t a, b;
	uint64_t hits;
	uint64_t misses_before; /* number of misses before it was added */
	uint64_t order;		/* it was the order-th pair to be added, from 1 on; 0: a free place */
	uint64_t since;		/* for the user, like `next` and `running` */
	uint32_t next;
	bool running;
};

struct sites_pairs {
	struct sites_pair *list; /* SITES_PAIRS_MAX places; a pair never moves */
	size_t count;		 /* number of pairs */
	size_t used;		 /* places used so far, by pairs or in the free list */
	uint32_t free;		 /* the free list, linked by `next`; or SITES_NONE */
	uint64_t misses;	 /* number of misses */
	uint64_t spent;		 /* no pair is used up before `misses` reaches this */
	uint64_t added;
	uint32_t *slots; /* hash table; a slot has some bits of a pair's hash and its place */
	uint64_t multiplier;
};

/* Initialise an empty summary.  Returns false when out of memory.  sites_pairs_fini may be called in either
 * case. */
bool sites_pairs_init(struct sites_pairs *pairs);
void sites_pairs_fini(struct sites_pairs *pairs);

/* Find the place of a pair; SITES_NONE when it is not held. */
uint32_t sites_pairs_find(const struct sites_pairs *pairs, uint32_t a, uint32_t b);

/* Add a pair that is not held, with no hits.  The summary must not be full.  Returns the place of the
 * pair. */
uint32_t sites_pairs_insert(struct sites_pairs *pairs, uint32_t a, uint32_t b);

/* Count a pair once.  Returns false when this was a miss that may have used pairs up; the caller must then
 * call sites_pairs_sweep. */
bool sites_pairs_add(struct sites_pairs *pairs, uint32_t a, uint32_t b);

/* Drop the pairs that are used up. */
void sites_pairs_sweep(struct sites_pairs *pairs);

#endif
