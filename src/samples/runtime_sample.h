/*
 * runtime_sample.h - what the memory of a target says of its OCaml runtime: values alone, no way to read them.
 *
 * Rooms that may not look at a process include this header; target/runtime.h fills it in.  A value is of the
 * moment of the sample, or RUNTIME_UNKNOWN.  Words are of 8 bytes.  A *counter* only grows.
 */
#pragma once

#include "core/std.h"

#define RUNTIME_UNKNOWN UINT64_MAX
#define RUNTIME_DOMAINS_MAX 128 /* domains in a sample, at most; totals are of all */

/* A domain that runs. */
struct runtime_domain {
	unsigned slot;		 /* its number in events */
	uint64_t unique;	 /* Domain.id: never used again */
	uint64_t element, state; /* addresses of its struct dom_internal and caml_domain_state */
	/* The thread that runs it, in the target's pid namespace; 0: not known.  From runtime_sample alone it is the
	 * owner of its lock, which may be the backup thread: see runtime_threads.h. */
	int32_t tid;
	uint64_t c_stack; /* where it left the C stack for OCaml code or bytecode; 0: it never did */
	uint64_t minor_heap_words;
	uint64_t young_used_words; /* of it, as of its last call of C or collection: a lower bound */
	/* Counters of this domain since the slot's last domain ended; minor words as of the last minor collection. */
	uint64_t minor_words, promoted_words, major_words;
	uint64_t allocated_words; /* in the major heap, since the last slice: not yet in major_words */
	uint64_t heap_words, live_words;
	uint64_t area_start, area_end, young_start, young_end; /* addresses: reserved, and in use */
};

/*
 * One look.  Counters and words are sums over running and ended domains, in the terms of Gc.quick_stat, but
 * from the live state and heap of each domain, not from its last sample.  `minor_words` lacks what is still in
 * the young heaps, as Gc.quick_stat does.
 */
struct runtime_sample {
	uint64_t ts; /* CLOCK_MONOTONIC; 0: there is no sample */
	uint64_t minor_collections, major_cycles, compactions, forced_major_collections; /* counters */
	uint64_t minor_words, promoted_words, major_words;				 /* counters */
	uint64_t heap_words, live_words, free_words, fragment_words, top_heap_words, large_words;
	unsigned domain_count; /* of `domains`, by slot */
	unsigned running;      /* domains that run, also those for which `domains` has no room */
	unsigned max_domains;  /* that there may be; 0: not known */
	struct runtime_domain domains[RUNTIME_DOMAINS_MAX];
};
