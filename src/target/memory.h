/*
 * memory.h - the memory of a process: its mappings, and the parts of its OCaml heap in them.
 *
 * The runtime's lists of free pools, large blocks and stacks, which are followed in the target's memory, show
 * what anonymous mappings contain.  The kernel reports for each page whether it is resident, a few pages per
 * call: reading smaps would hold the target's mmap lock for as long as a large mapping takes, and delay every
 * thread that maps memory.
 */
#pragma once

#include <sys/types.h>

#include "target/effort.h"
#include "target/runtime.h"

/*
 * Read the memory of a process.  This costs kernel time and briefly holds the process's mmap lock: do it
 * rarely.  `runtime` NULL: it is not known because of `why`, a clause in static storage; then the parts of
 * the heap and OTHER are unknown.  `proc_root` NULL: /proc.  Returns 0, ESRCH, EACCES or another errno value.
 */
int memory_read(const char *proc_root, pid_t pid, struct runtime *runtime, const char *why, uint64_t now,
    struct system_memory *out);

/* ---- within the room: where in the target's memory the parts of the OCaml heap are ---- */

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
