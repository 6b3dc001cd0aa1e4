/* memory_private.h - where in the target's memory the parts of the OCaml heap are. */
#pragma once

#include "target/effort.h"
#include "target/runtime.h"

/* A range of memory and the part that it belongs to. */
struct memory_range {
	uint64_t start, end;
	enum system_memory_part part;
};

/* Maximum number of minor heaps, free pools, large blocks and stacks; with more the heap is unknown. */
#define MEMORY_RANGES_MAX (1u << 18)

/* The OCaml heap. */
struct memory_heap {
	uint64_t pool_words;	     /* size of all pools in use */
	struct memory_range *ranges; /* all other parts, sorted by address, without overlaps */
	size_t count, room;
};

/*
 * Follow the runtime's lists.  Returns 0; EAGAIN if they changed meanwhile or are invalid; E2BIG if they are
 * too long; or another errno value.  Free `ranges` in any case.
 */
int memory_heap_walk(struct runtime *runtime, uint64_t now, struct effort *effort, struct memory_heap *heap);

/* Add a range.  Returns false if memory ran out or there are too many ranges. */
bool memory_heap_add(struct memory_heap *heap, uint64_t start, uint64_t end, enum system_memory_part part);

/* Sort the ranges; where two overlap, the first ends where the second begins. */
void memory_heap_sort(struct memory_heap *heap);
