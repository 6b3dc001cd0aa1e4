/*
 * profile_private.h - what profile.c and profile_between.c share.
 */
#pragma once

#include "calls/profile.h"

enum {
	PROFILE_FUNCTIONS_MAX = 1 << 14,
	PROFILE_NODES_MAX = 1 << 16,
	PROFILE_RECENT = 1 << 16, /* samples held by time */
};

struct profile {
	/* The hash tables have twice the slots that they can fill; CALLS_NONE: free. */
	uint32_t function_slots[2 * PROFILE_FUNCTIONS_MAX];
	char *names[PROFILE_FUNCTIONS_MAX]; /* memory of a function's name and file */
	struct profile_function functions[PROFILE_FUNCTIONS_MAX];
	size_t function_count;
	uint32_t other, unknown; /* the functions "(other code)" and "[caller not known]" */

	uint32_t node_slots[2 * PROFILE_NODES_MAX];
	struct calls_node nodes[PROFILE_NODES_MAX];
	uint32_t lines[PROFILE_NODES_MAX];
	bool nested[PROFILE_NODES_MAX]; /* the node's function occurs above it too */
	struct profile_counts counts[PROFILE_NODES_MAX];
	size_t node_count;

	/* The latest samples in the order of their arrival: numbers from `recent_first` to `recent_end`,
	 * settled up to `recent_settled`. */
	struct profile_sample recent[PROFILE_RECENT];
	uint64_t recent_first, recent_settled, recent_end;
	uint64_t generation;
};
