/*
 * events.h - names and numbers of runtime events: releases, phases, counters, lifecycle events.
 *
 * The numbers of phases and counters in a ring differ between OCaml releases, and the ring does not name the
 * release that wrote it.  This file has the only tables that translate them: a row for each phase or
 * counter, a column for each group of releases with the same numbers.  The enumerations made from the rows
 * are stable, and all code above the ring uses them.  A number that the column of a release lacks is still
 * reported, as "phase_57" or "counter_31".
 *
 * Source of the numbers: the enumerations of runtime/caml/runtime_events.h of each release (for OxCaml, of
 * runtime_events.ml); names are those that Runtime_events.runtime_phase_name and runtime_counter_name print.
 */
#ifndef RTEV_EVENTS_H
#define RTEV_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rtev/rtev.h"

#ifdef __cplusplus
extern "C" {
#endif

/* X(name, text): the known releases.  UNKNOWN translates only the numbers that are the same in all of
 * them. */
#define RTEV_RELEASES(X)                                                                                     \
	X(UNKNOWN, "unknown")                                                                                \
	X(5_0, "5.0")                                                                                        \
	X(5_1, "5.1")                                                                                        \
	X(5_2, "5.2")                                                                                        \
	X(5_3, "5.3")                                                                                        \
	X(5_4, "5.4")                                                                                        \
	X(5_5, "5.5")                                                                                        \
	X(OXCAML, "OxCaml")

enum rtev_release {
#define RTEV_RELEASE_ENUM(name, text) RTEV_RELEASE_##name,
	RTEV_RELEASES(RTEV_RELEASE_ENUM)
#undef RTEV_RELEASE_ENUM
	    RTEV_RELEASE_COUNT
};

/* The kind of work that a phase does, for colours and summaries. */
enum rtev_phase_class {
	RTEV_CLASS_MINOR,      /* minor collection */
	RTEV_CLASS_MAJOR,      /* major slice, cycle bookkeeping, finalisers */
	RTEV_CLASS_MARK,       /* major: marking */
	RTEV_CLASS_SWEEP,      /* major: sweeping */
	RTEV_CLASS_STW,	       /* stop-the-world coordination and barriers */
	RTEV_CLASS_COMPACTION, /* heap compaction */
	RTEV_CLASS_EXPLICIT,   /* requested by the program through Gc */
	RTEV_CLASS_IDLE,       /* waiting, not working */
	RTEV_CLASS_UNKNOWN,    /* a number that the table lacks */
	RTEV_CLASS_COUNT
};

/*
 * X(name, text, class, a short name for narrow places, then the number in
 * 5.0 and 5.1, 5.2, 5.3, 5.4 and 5.5, OxCaml; -1 if the release lacks the phase).  Siblings are shown in the
 * order of the rows.
 */
#define RTEV_PHASES(X)                                                                                       \
	X(EXPLICIT_GC_SET, "explicit_gc_set", EXPLICIT, "Gc.set", 0, 0, 0, 0, 0)                             \
	X(EXPLICIT_GC_STAT, "explicit_gc_stat", EXPLICIT, "Gc.stat", 1, 1, 1, 1, 1)                          \
	X(EXPLICIT_GC_MINOR, "explicit_gc_minor", EXPLICIT, "Gc.minor", 2, 2, 2, 2, 2)                       \
	X(EXPLICIT_GC_MAJOR, "explicit_gc_major", EXPLICIT, "Gc.major", 3, 3, 3, 3, 3)                       \
	X(EXPLICIT_GC_FULL_MAJOR, "explicit_gc_full_major", EXPLICIT, "Gc.full", 4, 4, 4, 4, 4)              \
	X(EXPLICIT_GC_COMPACT, "explicit_gc_compact", EXPLICIT, "Gc.compact", 5, 5, 5, 5, 5)                 \
	X(MAJOR, "major", MAJOR, "major", 6, 6, 6, 6, 6)                                                     \
	X(MAJOR_SWEEP, "major_sweep", SWEEP, "sweep", 7, 7, 7, 7, 7)                                         \
	X(MAJOR_MARK_ROOTS, "major_mark_roots", MARK, "mark roots", 8, 8, 8, 8, 8)                           \
	X(MAJOR_MEMPROF_ROOTS, "major_memprof_roots", MARK, "major prof", -1, -1, 9, 9, 9)                   \
	X(MAJOR_MARK, "major_mark", MARK, "mark", 9, 9, 10, 10, 10)                                          \
	X(MINOR, "minor", MINOR, "minor", 10, 10, 11, 11, 11)                                                \
	X(MINOR_LOCAL_ROOTS, "minor_local_roots", MINOR, "local roots", 11, 11, 12, 12, 12)                  \
	X(MINOR_MEMPROF_ROOTS, "minor_memprof_roots", MINOR, "minor prof", -1, -1, 13, 13, 13)               \
	X(MINOR_MEMPROF_CLEAN, "minor_memprof_clean", MINOR, "prof clean", -1, -1, 14, 14, 14)               \
	X(MINOR_FINALIZED, "minor_finalized", MINOR, "finalised", 12, 12, 15, 15, 15)                        \
	X(EXPLICIT_GC_MAJOR_SLICE, "explicit_gc_major_slice", EXPLICIT, "Gc.slice", 13, 13, 16, 16, 16)      \
	X(FINALISE_UPDATE_FIRST, "finalise_update_first", MAJOR, "final first", 14, 14, 17, 17, 17)          \
	X(FINALISE_UPDATE_LAST, "finalise_update_last", MAJOR, "final last", 15, 15, 18, 18, 18)             \
	X(INTERRUPT_REMOTE, "interrupt_remote", STW, "interrupt", 16, 16, 19, 19, 19)                        \
	X(MAJOR_EPHE_MARK, "major_ephe_mark", MARK, "ephe mark", 17, 17, 20, 20, 20)                         \
	X(MAJOR_EPHE_SWEEP, "major_ephe_sweep", SWEEP, "ephe sweep", 18, 18, 21, 21, 21)                     \
	X(MAJOR_FINISH_MARKING, "major_finish_marking", MARK, "finish mark", 19, 19, 22, 22, 22)             \
	X(MAJOR_GC_CYCLE_DOMAINS, "major_gc_cycle_domains", STW, "cycle", 20, 20, 23, 23, 23)                \
	X(MAJOR_GC_PHASE_CHANGE, "major_gc_phase_change", MAJOR, "next phase", 21, 21, 24, 24, 24)           \
	X(MAJOR_GC_STW, "major_gc_stw", STW, "major stop", 22, 22, 25, 25, 25)                               \
	X(MAJOR_MARK_OPPORTUNISTIC, "major_mark_opportunistic", MARK, "spare mark", 23, 23, 26, 26, 26)      \
	X(MAJOR_SLICE, "major_slice", MAJOR, "slice", 24, 24, 27, 27, 27)                                    \
	X(MAJOR_FINISH_CYCLE, "major_finish_cycle", MAJOR, "end cycle", 25, 25, 28, 28, 28)                  \
	X(MINOR_CLEAR, "minor_clear", MINOR, "clear", 26, 26, 29, 29, 29)                                    \
	X(MINOR_FINALIZERS_OLDIFY, "minor_finalizers_oldify", MINOR, "finalisers", 27, 27, 30, 30, 30)       \
	X(MINOR_GLOBAL_ROOTS, "minor_global_roots", MINOR, "global roots", 28, 28, 31, 31, 31)               \
	X(MINOR_LEAVE_BARRIER, "minor_leave_barrier", STW, "leave", 29, 29, 32, 32, 32)                      \
	X(STW_API_BARRIER, "stw_api_barrier", STW, "barrier", 30, 30, 33, 33, 33)                            \
	X(STW_HANDLER, "stw_handler", STW, "handler", 31, 31, 34, 34, 34)                                    \
	X(STW_LEADER, "stw_leader", STW, "leader", 32, 32, 35, 35, 35)                                       \
	X(MAJOR_FINISH_SWEEPING, "major_finish_sweeping", SWEEP, "finish sweep", 33, 33, 36, 36, 36)         \
	X(MAJOR_MEMPROF_CLEAN, "major_memprof_clean", MAJOR, "major clean", -1, -1, 37, 37, 37)              \
	X(MINOR_FINALIZERS_ADMIN, "minor_finalizers_admin", MINOR, "final admin", 34, 34, 38, 38, 38)        \
	X(MINOR_REMEMBERED_SET, "minor_remembered_set", MINOR, "remembered", 35, 35, 39, 39, 39)             \
	X(MINOR_REMEMBERED_SET_PROMOTE, "minor_remembered_set_promote", MINOR, "promote", 36, 36, 40, 40,    \
	    40)                                                                                              \
	X(MINOR_LOCAL_ROOTS_PROMOTE, "minor_local_roots_promote", MINOR, "promote root", 37, 37, 41, 41, 41) \
	X(DOMAIN_CONDITION_WAIT, "domain_condition_wait", IDLE, "cond wait", 38, 38, 42, 42, 42)             \
	X(DOMAIN_RESIZE_HEAP_RESERVATION, "domain_resize_heap_reservation", STW, "resize", 39, 39, 43, 43,   \
	    43)                                                                                              \
	X(COMPACT, "compaction", COMPACTION, "compact", -1, 40, 44, 44, 44)                                  \
	X(COMPACT_EVACUATE, "compaction_evacuate", COMPACTION, "evacuate", -1, 41, 45, 45, 45)               \
	X(COMPACT_FORWARD, "compaction_forward", COMPACTION, "forward", -1, 42, 46, 46, 46)                  \
	X(COMPACT_RELEASE, "compaction_release", COMPACTION, "release", -1, 43, 47, 47, 47)                  \
	X(EMPTY_MINOR, "empty_minor", MINOR, "empty", -1, -1, -1, 48, -1)                                    \
	X(MINOR_EPHE_CLEAN, "minor_ephe_clean", MINOR, "ephe clean", -1, -1, -1, 49, 48)                     \
	X(MINOR_DEPENDENT, "minor_dependent", MINOR, "dependent", -1, -1, -1, -1, 49)

/* The unit of a counter's value. */
enum rtev_counter_unit {
	RTEV_UNIT_OCCURRENCES, /* the value is always 1 */
	RTEV_UNIT_BYTES,       /* block headers included */
	RTEV_UNIT_WORDS,       /* 64-bit words */
	RTEV_UNIT_BLOCKS,      /* heap blocks */
	RTEV_UNIT_WORK,	       /* units of the collector's pacing, signed */
	RTEV_UNIT_NONE	       /* a number that the table lacks */
};

enum rtev_counter_kind {
	RTEV_KIND_MARKER,     /* an event happened once */
	RTEV_KIND_DELTA,      /* change since this domain's last value: values can be summed */
	RTEV_KIND_GAUGE,      /* current level of this domain: only the last value counts */
	RTEV_KIND_CUMULATIVE, /* process-wide running total */
	RTEV_KIND_TARGET,     /* a level on the scale of the cumulative counters */
	RTEV_KIND_DUPLICATE,  /* repeats another counter in other units: leave out of sums */
	RTEV_KIND_NONE	      /* a number that the table lacks */
};

/* X(name, text, unit, kind, then the number in 5.0, 5.1 and 5.2, 5.3 and 5.4, 5.5, OxCaml; -1 if the
 * release lacks the counter). */
#define RTEV_COUNTERS(X)                                                                                     \
	X(FORCE_MINOR_ALLOC_SMALL, "force_minor_alloc_small", OCCURRENCES, MARKER, 0, 0, 0, 0, 0)            \
	X(FORCE_MINOR_MAKE_VECT, "force_minor_make_vect", OCCURRENCES, MARKER, 1, 1, 1, 1, 1)                \
	X(FORCE_MINOR_SET_MINOR_HEAP_SIZE, "force_minor_set_minor_heap_size", OCCURRENCES, MARKER, 2, 2, 2,  \
	    2, 2)                                                                                            \
	X(FORCE_MINOR_MEMPROF, "force_minor_memprof", OCCURRENCES, MARKER, 3, 3, 3, 3, 3)                    \
	X(MINOR_PROMOTED, "minor_promoted", BYTES, DELTA, 4, 4, 4, 4, 4)                                     \
	X(MINOR_ALLOCATED, "minor_allocated", BYTES, DELTA, 5, 5, 5, 5, 5)                                   \
	X(REQUEST_MAJOR_ALLOC_SHR, "request_major_alloc_shr", OCCURRENCES, MARKER, 6, 6, 6, 6, 6)            \
	X(REQUEST_MAJOR_ADJUST_GC_SPEED, "request_major_adjust_gc_speed", OCCURRENCES, MARKER, 7, 7, 7, 7,   \
	    7)                                                                                               \
	X(REQUEST_MINOR_REALLOC_REF_TABLE, "request_minor_realloc_ref_table", OCCURRENCES, MARKER, 8, 8, 8,  \
	    8, 8)                                                                                            \
	X(REQUEST_MINOR_REALLOC_EPHE_REF_TABLE, "request_minor_realloc_ephe_ref_table", OCCURRENCES, MARKER, \
	    9, 9, 9, 9, 9)                                                                                   \
	X(REQUEST_MINOR_REALLOC_CUSTOM_TABLE, "request_minor_realloc_custom_table", OCCURRENCES, MARKER, 10, \
	    10, 10, 10, 10)                                                                                  \
	X(MAJOR_HEAP_POOL_WORDS, "major_heap_pool_words", WORDS, GAUGE, -1, 11, 11, 11, 11)                  \
	X(MAJOR_HEAP_POOL_LIVE_WORDS, "major_heap_pool_live_words", WORDS, GAUGE, -1, 12, 12, 12, 12)        \
	X(MAJOR_HEAP_LARGE_WORDS, "major_heap_large_words", WORDS, GAUGE, -1, 13, 13, 13, 13)                \
	X(MAJOR_HEAP_POOL_FRAG_WORDS, "major_heap_pool_frag_words", WORDS, GAUGE, -1, 14, 14, 14, 14)        \
	X(MAJOR_HEAP_POOL_LIVE_BLOCKS, "major_heap_pool_live_blocks", BLOCKS, GAUGE, -1, 15, 15, 15, 15)     \
	X(MAJOR_HEAP_LARGE_BLOCKS, "major_heap_large_blocks", BLOCKS, GAUGE, -1, 16, 16, 16, 16)             \
	X(MAJOR_HEAP_WORDS, "major_heap_words", WORDS, GAUGE, -1, -1, 17, 17, -1)                            \
	X(MAJOR_ALLOCATED_WORDS, "major_allocated_words", WORDS, DELTA, -1, -1, 18, 18, -1)                  \
	X(MAJOR_ALLOCATED_WORK, "major_allocated_work", WORK, DELTA, -1, -1, 19, 19, -1)                     \
	X(MAJOR_DEPENDENT_WORK, "major_dependent_work", WORK, DELTA, -1, -1, 20, 20, -1)                     \
	X(MAJOR_EXTRA_WORK, "major_extra_work", WORK, DELTA, -1, -1, 21, 21, -1)                             \
	X(MAJOR_WORK_COUNTER, "major_work_counter", WORK, CUMULATIVE, -1, -1, 22, 22, -1)                    \
	X(MAJOR_ALLOC_COUNTER, "major_alloc_counter", WORK, CUMULATIVE, -1, -1, 23, 23, -1)                  \
	X(MAJOR_SLICE_TARGET, "major_slice_target", WORK, TARGET, -1, -1, 24, 24, -1)                        \
	X(MAJOR_SLICE_BUDGET, "major_slice_budget", WORK, DELTA, -1, -1, 25, 25, 22)                         \
	X(MINOR_ALLOCATED_WORDS, "minor_allocated_words", WORDS, DUPLICATE, -1, -1, -1, 26, -1)              \
	X(MINOR_PROMOTED_WORDS, "minor_promoted_words", WORDS, DUPLICATE, -1, -1, -1, 27, -1)                \
	X(REQUEST_MINOR_REALLOC_DEPENDENT_TABLE, "request_minor_realloc_dependent_table", OCCURRENCES,       \
	    MARKER, -1, -1, -1, -1, 17)                                                                      \
	X(MAJOR_SLICE_ALLOC_WORDS, "major_slice_alloc_words", WORDS, DELTA, -1, -1, -1, -1, 18)              \
	X(MAJOR_SLICE_ALLOC_DEPENDENT_WORDS, "major_slice_alloc_dependent_words", WORDS, DELTA, -1, -1, -1,  \
	    -1, 19)                                                                                          \
	X(MAJOR_SLICE_NEW_WORK, "major_slice_new_work", WORK, DELTA, -1, -1, -1, -1, 20)                     \
	X(MAJOR_SLICE_TOTAL_WORK, "major_slice_total_work", WORK, DELTA, -1, -1, -1, -1, 21)                 \
	X(MAJOR_SLICE_WORK_DONE, "major_slice_work_done", WORK, DELTA, -1, -1, -1, -1, 23)

/* X(name, text): the number is the position in this list, in every release. */
#define RTEV_LIFECYCLES(X)                                                                                   \
	X(RING_START, "ring_start") /* data: pid */                                                          \
	X(RING_STOP, "ring_stop")   /* no data */                                                            \
	X(RING_PAUSE, "ring_pause") /* never written by OCaml 5.0 to 5.5 */                                  \
	X(RING_RESUME, "ring_resume")                                                                        \
	X(FORK_PARENT, "fork_parent") /* data: pid of the child */                                           \
	X(FORK_CHILD, "fork_child")                                                                          \
	X(DOMAIN_SPAWN, "domain_spawn")		/* data: pid */                                              \
	X(DOMAIN_TERMINATE, "domain_terminate") /* data: pid */

enum {
#define RTEV_PHASE_ENUM(name, text, class, brief, c51, c52, c53, c55, cox) RTEV_PHASE_##name,
	RTEV_PHASES(RTEV_PHASE_ENUM)
#undef RTEV_PHASE_ENUM
	    RTEV_PHASE_COUNT
};

enum {
#define RTEV_COUNTER_ENUM(name, text, unit, kind, c50, c52, c53, c55, cox) RTEV_COUNTER_##name,
	RTEV_COUNTERS(RTEV_COUNTER_ENUM)
#undef RTEV_COUNTER_ENUM
	    RTEV_COUNTER_COUNT
};

enum {
#define RTEV_LIFECYCLE_ENUM(name, text) RTEV_LIFECYCLE_##name,
	RTEV_LIFECYCLES(RTEV_LIFECYCLE_ENUM)
#undef RTEV_LIFECYCLE_ENUM
	    RTEV_LIFECYCLE_COUNT
};

/* Numbers in a ring are below this limit (13 bits). */
#define RTEV_ID_LIMIT 8192

/*
 * A phase, a counter or a lifecycle event.  A value below the count is a constant of the enumerations above;
 * others are RTEV_OPAQUE + the number in the ring.  All values are below RTEV_OPAQUE + RTEV_ID_LIMIT.
 */
typedef uint16_t rtev_phase;
typedef uint16_t rtev_counter;
typedef uint16_t rtev_lifecycle;
#define RTEV_OPAQUE 0x2000u

#define RTEV_ALLOC_BUCKETS 20
#define RTEV_USER_EVENTS_MAX 8192
#define RTEV_USER_NAME_SIZE 128	   /* bytes, with its NUL */
#define RTEV_CUSTOM_BYTES_MAX 1024 /* payload of a custom event */
#define RTEV_RECORD_WORDS_MAX 1023 /* a record's length field has ten bits */
#define RTEV_NAME_SIZE 48	   /* bytes; enough for every name that the functions below write */

/*
 * Return the printed name.  For known values it is static; for others the function writes "phase_N"
 * ("counter_N", "lifecycle_N") to buf, which has at least RTEV_NAME_SIZE bytes, and returns buf.  Never
 * NULL.
 */
RTEV_API const char *rtev_phase_name(rtev_phase phase, char buf[RTEV_NAME_SIZE]);
RTEV_API const char *rtev_counter_name(rtev_counter counter, char buf[RTEV_NAME_SIZE]);
RTEV_API const char *rtev_lifecycle_name(rtev_lifecycle event, char buf[RTEV_NAME_SIZE]);

/* Return the class of a phase, and the unit and the kind of a counter.  RTEV_CLASS_UNKNOWN, RTEV_UNIT_NONE
 * and RTEV_KIND_NONE for a value that the tables lack. */
RTEV_API enum rtev_phase_class rtev_phase_class(rtev_phase phase);
RTEV_API enum rtev_counter_unit rtev_counter_unit(rtev_counter counter);
RTEV_API enum rtev_counter_kind rtev_counter_kind(rtev_counter counter);

/* Translate between the numbers in a release's rings and the enumerations.  The _to_id functions return
 * -1 if the release lacks the phase or counter.  A number that the release lacks gives an opaque value, which
 * translates to that number in every release. */
RTEV_API rtev_phase rtev_phase_from_id(enum rtev_release release, unsigned id);
RTEV_API rtev_counter rtev_counter_from_id(enum rtev_release release, unsigned id);
RTEV_API int rtev_phase_to_id(enum rtev_release release, rtev_phase phase);
RTEV_API int rtev_counter_to_id(enum rtev_release release, rtev_counter counter);

/* Return the name of a release: "5.3", "OxCaml", "unknown".  Static storage. */
RTEV_API const char *rtev_release_name(enum rtev_release release);

/*
 * Return the release whose table fits a version as OCaml prints it ("5.3.0", "5.2.0+ox", "5.4.0~beta1").  A
 * release newer than all known ones gives the newest known; a string that is not an OCaml 5 version gives
 * RTEV_RELEASE_UNKNOWN.
 */
RTEV_API enum rtev_release rtev_release_from_version(const char *version);

/* Return the bucket of an alloc event that counts blocks of `words` words (header excluded), and the
 * range of sizes of a bucket.  Buckets 0 to 9 are single sizes, 10 to 18 are tens, 19 is all sizes from
 * 100 words (*last is then UINT64_MAX), as is any higher number. */
RTEV_API unsigned rtev_alloc_bucket(uint64_t words);
RTEV_API void rtev_alloc_bucket_range(unsigned bucket, uint64_t *first, uint64_t *last);

#ifdef __cplusplus
}
#endif

#endif
