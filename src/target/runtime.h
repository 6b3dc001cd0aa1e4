/*
 * runtime.h - an OCaml 5 runtime in the memory of a process: where its variables and structures are, and what
 * its counters say.  It is read, never stopped and never written to.
 *
 * Symbols of the program give the places of variables and the fields of a domain's state; what has no symbols,
 * and stripped programs, are known by release (target/runtime_layout.c).  Nothing that was read is believed
 * before it was checked.
 */
#pragma once

#include <sys/types.h>

#include "core/lists.h"
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
	X(RUNTIME_EXTRA_PARAMS, "extra_params") /* the last one */

enum runtime_field { RUNTIME_FIELDS(LIST_NAME) RUNTIME_FIELD_COUNT };

#define RUNTIME_NO_FIELD UINT16_MAX
#define RUNTIME_STATE_BYTES 1024 /* fields that begin beyond are not believed */

/* Byte offsets in the structures of one release; RUNTIME_NO_FIELD: it has none. */
struct runtime_layout {
	uint16_t field[RUNTIME_FIELD_COUNT]; /* of caml_domain_state */

	/* struct dom_internal; `all_domains` is an array of them, or points to one. */
	uint16_t element; /* its size */
	uint16_t state_at, running_at, terminating_at, unique_at;
	uint16_t lock_at;	  /* of domain_lock; its owner, a tid, is 8 bytes further */
	uint16_t backup_at;	  /* of backup_thread, a pthread_t; 0: it has none */
	uint16_t area_at;	  /* of minor_heap_area_start; its end follows */
	bool tables_are_pointers; /* all_domains and thread_table */

	uint16_t thread_element;     /* of thread_table */
	uint16_t continuation_words; /* of a continuation block */
	uint16_t alloc_words;	     /* of struct alloc_stats, with its minor_collections if that has it */

	uint16_t
	    params_at; /* what stands before the first of the known members of struct caml_params, in bytes */
	bool free_runs; /* the header of a free block counts free blocks behind it, which have none */
	bool counts_compactions;   /* in a variable */
	bool short_lines;	   /* debug information has one form, with lines of 20 bits */
	bool raise_keeps_sp;	   /* where C notes which frames an exception passes, r13 is sp of OCaml */
	bool frame_pointers_known; /* how stacks are where the runtime keeps frame pointers */

	const char *seen; /* the only release of the row that was seen; NULL: all of them */
	bool guessed;	  /* no build of this very version was seen: the process has to prove it */
	const char *
	    told; /* as what a release newer than all rows is read, which its process has proven; NULL: it is none */
};

/* Offsets and sizes that all of these releases share. */
enum {
	RUNTIME_HEAP_STATS_AT = 1056, /* in caml_heap_state: eight words */
	RUNTIME_HEAP_STATS_WORDS = 8,
	RUNTIME_ORPHAN_STATS_AT = 48,  /* in pool_freelist: eight words */
	RUNTIME_ORPHAN_AVAIL_AT = 112, /* in pool_freelist: 32 lists of pools */
	RUNTIME_ORPHAN_FULL_AT = 368,
	RUNTIME_PARAMS_MAX_DOMAINS_AT =
	    160, /* of struct caml_params, behind params_at; with tables that are pointers */
	RUNTIME_STATIC_DOMAINS = 128 /* elements of a table that is none */
};

/* The layout of a release: its own, or the nearest one, guessed.  Returns false if there is none: for OxCaml, a range of
 * releases, and on other processors. */
#define RUNTIME_RELEASES_KNOWN "the releases 5.0 to 5.5 on x86-64 are known"
bool runtime_layout_of(const struct version *version, struct runtime_layout *out);
/* How many free blocks without headers of their own follow one with this header in its pool: as a header that is no free block's
 * says, none. */
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

/* What symbols say: addresses in the target's memory, and offsets of fields. */
struct runtime_symbols {
	uint64_t variable[RUNTIME_VARIABLE_COUNT]; /* 0: not known */
	uint64_t table_size;			   /* of RUNTIME_ALL_DOMAINS; 0: not known */
	uint16_t field[RUNTIME_FIELD_COUNT];	   /* RUNTIME_NO_FIELD: no symbol */
	uint32_t by_code; /* a bit for each variable that runtime_statics_find found */
};

/* Find them in the program of a process and its shared runtime.  False with a reason; what is found besides what is in *out is added
 * to it. */
bool runtime_symbols_find(struct variables *variables, struct runtime_symbols *out, const char **why);

/* Fill in addresses, as the file states them, that are 0: of static variables, from the code that uses them.  They are guesses. */
void runtime_statics_find(struct elf *elf, uint64_t address[RUNTIME_VARIABLE_COUNT]);

/* ---- a runtime ---- */

struct runtime;

/* Find the runtime of a process.  `version` is what is known of its release.  Returns NULL with a reason, a
 * clause in static storage.  After an exec create another.  `proc_root` NULL: /proc. */
struct runtime *runtime_create(
    const char *proc_root, pid_t pid, const struct version *version, const char **why);

/* Find the runtime in memory that `memory` reads, with the addresses in `symbols`. */
struct runtime *runtime_create_over(const struct memory_reader *memory, const struct runtime_symbols *symbols,
    const struct version *version, const char **why);

void runtime_destroy(struct runtime *runtime);

const struct runtime_layout *runtime_layout(const struct runtime *runtime);
/* How the version of a process is known, or as what its release is read that is newer than those that are known; `runtime` NULL: it
 * is not read.  Static storage. */
const char *runtime_ocaml_from(const struct runtime *runtime, const struct version *version);
/* Of a process that was not opened: if its release is newer, its memory is asked now. */
const char *runtime_ocaml_from_now(pid_t pid, const struct version *version);

/* The address of a variable in the target's memory; 0: not known. */
uint64_t runtime_variable(const struct runtime *runtime, enum runtime_variable variable);

/* What reads the target's memory, as long as the runtime lives. */
struct memory_reader runtime_memory(struct runtime *runtime);
struct memory_reader runtime_memory_unchecked(struct runtime *runtime); /* target/variables.h */

/* Look at the counters, once through their places when these are known.  Returns 0 or an errno value; EAGAIN: memory
 * was not consistent, or not what was expected. */
int runtime_sample(struct runtime *runtime, uint64_t now, struct runtime_sample *out);
