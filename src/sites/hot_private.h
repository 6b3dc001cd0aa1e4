/*
 * hot_private.h - the state of the report of hot spots.
 *
 * The callers of an allocation are the functions of its backtrace, each counted once, without the allocating
 * frame.  Most callers stay the same from one allocation to the next.  So the counts of a caller are not
 * updated at each allocation but when the caller leaves the stack of callers:
 *
 * - The samples of all allocations since a caller was pushed are added to it when it is popped.
 * - A pair of a caller and a site is *running* from the first allocation at the site while the caller is on
 *   the stack until the caller is popped.  The allocations at the site in that time are added to the hits of
 *   the pair when the caller is popped.  So an allocation only looks at the callers pushed since the last
 *   allocation at its site.
 *
 * There is one stack of callers.  It is emptied when a packet of another domain begins.
 */
#pragma once

#include "sites/hot.h"

/* ---- pairs ---- */

/*
 * Find the most frequent pairs of numbers in bounded memory.
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

/* ---- the report ---- */

/* A function.  Functions are numbered in the order of their first use. */
struct hot_function {
	uint32_t name;	  /* its number in `names` */
	uint32_t caller;  /* its index on the stack of callers, or SITES_NONE */
	uint64_t samples; /* samples as a caller, without those since it was last pushed */
	uint64_t seen;	  /* the last event in which it was looked at */
	/* `blocks` and `checked` are of the entry as a site. */
	uint64_t blocks;  /* blocks allocated there while all its callers were running */
	uint64_t checked; /* all callers on the stack that were pushed up to this event run with it */
};

/* The place that a location code denotes. */
struct hot_place {
	uint32_t function;
	const struct rtev_memtrace_location *location; /* NULL without debug information */
	uint64_t samples;			       /* allocated there */
};

/* A function on the stack of callers. */
struct hot_caller {
	uint32_t function;
	uint32_t frame;		 /* its outermost frame */
	uint32_t pairs;		 /* list of its running pairs, linked by `next`; or SITES_NONE */
	uint64_t since;		 /* the event that pushed it */
	uint64_t samples_before; /* hot->samples when they were last added to the function */
};

struct sites_hot {
	struct sites_names names;
	struct hot_function *functions;
	size_t function_count, function_capacity;
	struct hot_place *places;
	size_t place_count, place_capacity;
	struct id_map by_name;	    /* number in `names` to index in `functions` plus 1 */
	struct sites_codes by_code; /* code to place and its function */
	uint32_t no_place;	    /* place of allocations without backtrace, or SITES_NONE */
	struct sites_pairs pairs;   /* caller and site */
	uint64_t samples, events;
	uint16_t domain;  /* domain of the current backtrace */
	uint32_t *frames; /* functions of the frames of that backtrace, outermost first */
	size_t frame_capacity, valid;
	struct hot_caller *callers; /* the stack of callers, in the order of their frames */
	size_t caller_count, caller_capacity;
	size_t height; /* number of frames whose functions are on the stack */
};

/* Add the pending samples and hits of all callers on the stack to their totals. */
void sites_hot_settle(struct sites_hot *hot);
