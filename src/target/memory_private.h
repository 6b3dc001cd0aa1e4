/*
 * memory_private.h - where in the target's memory the parts of the OCaml heap are.
 */
#pragma once

#include "target/effort.h"
#include "target/runtime.h"

/* A stretch of memory and what it is part of. */
struct memory_range {
	uint64_t start, end;
	enum system_memory_part part;
};

/* Minor heaps, free pools, large blocks and stacks, at most; with more the heap is not known. */
#define MEMORY_RANGES_MAX (1u << 18)

/* The OCaml heap. */
struct memory_heap {
	uint64_t pool_words;	     /* of all pools in use */
	struct memory_range *ranges; /* of all else, by address; none overlap */
	size_t count, room;
};

/*
 * Follow the runtime's lists.  Returns 0; EAGAIN: they changed meanwhile, or are none; E2BIG: they are too long for the
 * effort, too; or another errno value.  Free `ranges` in any case.
 */
int memory_heap_walk(struct runtime *runtime, uint64_t now, struct effort *effort, struct memory_heap *heap);

/* Add a range.  False when memory ran out, or there are too many. */
bool memory_heap_add(struct memory_heap *heap, uint64_t start, uint64_t end, enum system_memory_part part);

/* Sort the ranges; where two overlap the first ends at the begin of the second. */
void memory_heap_sort(struct memory_heap *heap);
