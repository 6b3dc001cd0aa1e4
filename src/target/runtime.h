/*
 * runtime.h - an OCaml 5 runtime in the memory of a process: where its variables and structures are, and what
 * its counters say.  The process is read, never stopped and never written to.
 *
 * Symbols of the program give the addresses of variables and the fields of a domain's state; structures
 * without symbols, and stripped programs, are read by tables for each release (target/runtime_layout.c).
 * Everything read is checked before it is used.
 */
#pragma once

#include <sys/types.h>

#include "core/std.h"
#include "samples/runtime_sample.h"
#include "target/variables.h"
#include "target/version.h"

/* ---- layout ---- */

/* Fields of caml_domain_state: name, and the name in its symbol domain_field_caml_NAME. */
#define RUNTIME_FIELDS(X)                                                                                    \
	X(RUNTIME_YOUNG_PTR, "young_ptr")                                                                    \
	X(RUNTIME_YOUNG_START, "young_start")                                                                \
	X(RUNTIME_YOUNG_END, "young_end")                                                                    \
	X(RUNTIME_CURRENT_STACK, "current_stack")                                                            \
	X(RUNTIME_C_STACK, "c_stack")                                                                        \
	X(RUNTIME_ALLOCATED_WORDS, "allocated_words")                                                        \
	X(RUNTIME_LOCAL_ROOTS, "local_roots")                                                                \
	X(RUNTIME_MINOR_HEAP_WSZ, "minor_heap_wsz")                                                          \
	X(RUNTIME_SHARED_HEAP, "shared_heap")                                                                \
	X(RUNTIME_ID, "id")                                                                                  \
	X(RUNTIME_STAT_MINOR_WORDS, "stat_minor_words")                                                      \
	X(RUNTIME_STAT_PROMOTED_WORDS, "stat_promoted_words")                                                \
	X(RUNTIME_STAT_MAJOR_WORDS, "stat_major_words")                                                      \
	X(RUNTIME_STAT_MINOR_COLLECTIONS, "stat_minor_collections")                                          \
	X(RUNTIME_STAT_FORCED_MAJOR, "stat_forced_major_collections")                                        \
	X(RUNTIME_EXTERNAL_RAISE, "external_raise")                                                          \
	X(RUNTIME_EXTRA_PARAMS, "extra_params") /* must be the last one */

enum runtime_field { RUNTIME_FIELDS(LIST_NAME) RUNTIME_FIELD_COUNT };

#define RUNTIME_NO_FIELD UINT16_MAX
#define RUNTIME_STATE_BYTES 1024 /* fields that begin beyond are ignored */

/* Byte offsets in the structures of one release; RUNTIME_NO_FIELD: the release lacks it. */
struct runtime_layout {
	uint16_t field[RUNTIME_FIELD_COUNT]; /* in caml_domain_state */

	/* struct dom_internal; `all_domains` is an array of them, or points to one. */
	uint16_t element; /* size of an element */
	uint16_t state_at, running_at, terminating_at, unique_at;
	uint16_t lock_at;	  /* offset of domain_lock, whose owner, a tid, is 8 bytes further */
	uint16_t backup_at;	  /* offset of backup_thread, a pthread_t; 0: there is none */
	uint16_t area_at;	  /* offset of minor_heap_area_start; the end of the area follows */
	bool tables_are_pointers; /* all_domains and thread_table are pointers, not arrays */

	uint16_t thread_element;     /* size of an element of thread_table */
	uint16_t continuation_words; /* words of a continuation block */
	uint16_t alloc_words;	     /* words of struct alloc_stats, including minor_collections if present */

	uint16_t params_at; /* bytes in front of the first known member of struct caml_params */
	bool free_runs;	    /* the header of a free block counts free blocks behind it that have no header */
	bool counts_compactions; /* in a variable of the runtime */
	bool short_lines;	 /* debug information has one form, with lines of 20 bits */
	bool raise_keeps_sp;	 /* where C records the frames that an exception passes, r13 has OCaml's sp */
	bool frame_pointers_known; /* how stacks look in a runtime built with frame pointers is known */

	const char *seen; /* the only release of the row that was examined; NULL: all of them */
	bool guessed;	  /* no build of this exact version was examined: to be confirmed */
	const char *told; /* the release whose layout a newer process has confirmed, in words; NULL: none */
};

/* Offsets and sizes that are equal in all of these releases. */
enum {
	RUNTIME_HEAP_STATS_AT = 1056, /* in caml_heap_state: eight words */
	RUNTIME_HEAP_STATS_WORDS = 8,
	RUNTIME_ORPHAN_STATS_AT = 48,  /* in pool_freelist: eight words */
	RUNTIME_ORPHAN_AVAIL_AT = 112, /* in pool_freelist: 32 lists of pools */
	RUNTIME_ORPHAN_FULL_AT = 368,
	RUNTIME_PARAMS_MAX_DOMAINS_AT =
	    160, /* size of struct caml_params behind params_at, if the tables are pointers */
	RUNTIME_STATIC_DOMAINS = 128 /* elements of a table that is an array */
};

/* Determine the layout of a release: its own, or the nearest one as a guess.  Returns false if there is none:
 * for OxCaml, a range of releases, and other processors. */
#define RUNTIME_RELEASES_KNOWN "the releases 5.0 to 5.5 on x86-64 are known"
bool runtime_layout_of(const struct version *version, struct runtime_layout *out);
/* Return how many free blocks without a header follow the free block with this header in its pool. */
uint64_t runtime_free_behind(const struct runtime_layout *layout, uint64_t header);

/* ---- symbols ---- */

/* Variables: name, symbol. */
#define RUNTIME_VARIABLES(X)                                                                                 \
	X(RUNTIME_ALL_DOMAINS, "all_domains")                                                                \
	X(RUNTIME_PARAMS, "caml_params")                                                                     \
	X(RUNTIME_FRAMETABLE, "caml_frametable")                                                             \
	X(RUNTIME_CURRENT_FRAME_DESCRS, "current_frame_descrs")                                              \
	X(RUNTIME_CURRENT_FRAMETABLE, "current_frametable")                                                  \
	X(RUNTIME_FRAMETABLES, "frametables")                                                                \
	X(RUNTIME_ORPHANED_ALLOC_STATS, "orphaned_alloc_stats")                                              \
	X(RUNTIME_MINOR_HEAPS_START, "caml_minor_heaps_start")                                               \
	X(RUNTIME_MINOR_HEAPS_END, "caml_minor_heaps_end")                                                   \
	X(RUNTIME_POOL_FREELIST, "pool_freelist")                                                            \
	X(RUNTIME_THREAD_TABLE, "thread_table")                                                              \
	X(RUNTIME_DOMAINS_RUNNING, "caml_num_domains_running")                                               \
	X(RUNTIME_MINOR_COLLECTIONS, "caml_minor_collections_count")                                         \
	X(RUNTIME_MAJOR_CYCLES, "caml_major_cycles_completed")                                               \
	X(RUNTIME_COMPACTIONS, "caml_compactions_count")                                                     \
	X(RUNTIME_GLOBAL_HEAP_STATE, "caml_global_heap_state")                                               \
	X(RUNTIME_CHANNELS, "caml_all_opened_channels")                                                      \
	X(RUNTIME_STW_REQUEST, "stw_request")

enum runtime_variable { RUNTIME_VARIABLES(LIST_NAME) RUNTIME_VARIABLE_COUNT };

/* The contents of symbols: addresses in the target's memory, and offsets of fields. */
struct runtime_symbols {
	uint64_t variable[RUNTIME_VARIABLE_COUNT]; /* 0: not known */
	uint64_t table_size;			   /* size of RUNTIME_ALL_DOMAINS; 0: not known */
	uint16_t field[RUNTIME_FIELD_COUNT];	   /* RUNTIME_NO_FIELD: no symbol */
	uint32_t by_code;			   /* a bit for each variable that statics_find found */
};

/* Find the symbols in the program of a process and its shared runtime, and add them to *out.  Returns false
 * with a reason if there are none. */
bool runtime_symbols_find(struct variables *variables, struct runtime_symbols *out, const char **why);

/* ---- a runtime ---- */

struct runtime;

/* Find the runtime of a process.  `version` is what is known of its release.  `proc_root` NULL: /proc.
 * Returns NULL with a reason, a clause in static storage.  After an exec create another one. */
struct runtime *runtime_create(
    const char *proc_root, pid_t pid, const struct version *version, const char **why);

/* Find the runtime in memory that `memory` reads, with the addresses in `symbols`. */
struct runtime *runtime_create_over(const struct memory_reader *memory, const struct runtime_symbols *symbols,
    const struct version *version, const char **why);

void runtime_destroy(struct runtime *runtime);

const struct runtime_layout *runtime_layout(const struct runtime *runtime);
/* Return how the version of a process is known, or the release whose layout is used for a newer one;
 * `runtime` NULL: its memory is not read.  Static storage. */
const char *runtime_ocaml_from(const struct runtime *runtime, const struct version *version);
/* Do the same for a process that was not opened: the memory of a process with a newer release is examined
 * now. */
const char *runtime_ocaml_from_now(pid_t pid, const struct version *version);

/* Return the address of a variable in the target's memory; 0: not known. */
uint64_t runtime_variable(const struct runtime *runtime, enum runtime_variable variable);

/* Return a reader of the target's memory, which is valid as long as the runtime. */
struct memory_reader runtime_memory(struct runtime *runtime);
struct memory_reader runtime_memory_unchecked(struct runtime *runtime); /* see target/variables.h */

/* Sample the counters.  Once their addresses are known this takes one read.  Returns 0 or an errno value;
 * EAGAIN: memory was inconsistent or unexpected. */
int runtime_sample(struct runtime *runtime, uint64_t now, struct runtime_sample *out);
