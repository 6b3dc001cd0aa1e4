/*
 * hot_private.h - the state of the report of hot spots.
 *
 * The callers of an allocation are the functions of its backtrace, each counted once, without the allocating frame.
 * From one allocation to the next most of them stay, so what is counted for each caller at each allocation is
 * counted in pieces:
 *
 * - A caller's samples are those of all allocations since it came onto the stack of callers, added when it leaves.
 * - The pair of a caller and a site is *running* when the caller is on that stack: the allocations at the site since
 *   then are its hits, added when it leaves.  It is set running at the first of them, which is why an allocation has
 *   to look only at the callers that came since the last one at its site.
 *
 * There is one such stack.  When a packet of another domain begins, it is taken down.
 */
#ifndef SITES_HOT_PRIVATE_H
#define SITES_HOT_PRIVATE_H

#include "sites/codes.h"
#include "sites/hot.h"
#include "sites/pairs.h"

/* Functions are numbered as they come up. */
struct hot_function {
	uint32_t name;	  /* its number among the names */
	uint32_t caller;  /* its place on the stack of callers, or SITES_NONE */
	uint64_t samples; /* it was a caller in; those since it is on the stack are not counted yet */
	uint64_t seen;	  /* the last event in which it has been looked at */
	/* As a site: */
	uint64_t blocks;  /* allocated there while all its callers were running */
	uint64_t checked; /* the event up to which all callers that are on the stack are running with it */
};

/* What a location code stands for. */
struct hot_place {
	uint32_t function;
	const struct rtev_memtrace_location *location; /* NULL without debug information */
	uint64_t samples;			       /* allocated there */
};

/* A function on the stack of callers. */
struct hot_caller {
	uint32_t function;
	uint32_t frame; /* the outermost one that is this function's */
	uint32_t pairs; /* the first of its pairs that run, the others by their `next`; or SITES_NONE */
	uint64_t since; /* the event that it came with */
	uint64_t samples_before; /* in all, up to then */
};

struct sites_hot {
	struct sites_names names;
	struct hot_function *functions;
	size_t function_count, function_capacity;
	struct hot_place *places;
	size_t place_count, place_capacity;
	struct sites_index by_name;
	struct sites_codes by_code; /* to places and their functions */
	uint32_t no_place;	    /* that of allocations without backtrace, or SITES_NONE */
	struct sites_pairs pairs;   /* caller and site */
	uint64_t samples, events;
	uint16_t domain;  /* whose backtrace this is: */
	uint32_t *frames; /* their functions, outermost first */
	size_t frame_capacity, valid;
	struct hot_caller *callers; /* the stack, by their frames */
	size_t caller_count, caller_capacity;
	size_t height; /* frames that the callers are taken from */
};

/* Count what is running up to now. */
void sites_hot_settle(struct sites_hot *hot);

#endif
