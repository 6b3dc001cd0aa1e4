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
#ifndef SITES_HOT_PRIVATE_H
#define SITES_HOT_PRIVATE_H

#include "sites/hot.h"
#include "sites/pairs.h"

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
	struct sites_index by_name;
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

#endif
