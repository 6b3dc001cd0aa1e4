/*
 * system.h - what the kernel says of a process, and the settings of its OCaml runtime: values alone, no way
 * to read them.
 *
 * Rooms that may not look at a process include this header; target/sampler.h and target/ocaml_settings.h fill
 * it in.
 *
 * A *sample* is one look at the process, taken at most once a second.  Each value says whether it is known,
 * and if not why: a value that is not known is 0 and means nothing.  A *counter* only grows; two samples of
 * one sampler are compared by system_grown.  A *gauge* is the value at the sample's time.  Times are in
 * nanoseconds, sizes in bytes, processors in thousandths of a core.
 *
 * A *thread* is one of the kernel's.  Which domain it runs is known where the target's memory can be read
 * (target/runtime_threads.h).
 */
#pragma once

#include "core/std.h"

#define SYSTEM_COMM_SIZE 16	  /* name of a thread, with its NUL */
#define SYSTEM_THREADS 256	  /* threads in a sample, at most */
#define SYSTEM_THREADS_AT_ONCE 16 /* threads read in a sample; if there are more, in turns */
#define SYSTEM_NO_LIMIT UINT64_MAX

/* Whether a value is known, or why not. */
enum system_known {
	SYSTEM_NOT_READ, /* it was not looked at */
	SYSTEM_KNOWN,
	SYSTEM_DENIED,
	SYSTEM_NO_FILE,
	SYSTEM_OTHER_KERNEL,  /* this kernel does not tell it */
	SYSTEM_NO_CGROUP,     /* the process is in no control group that counts it */
	SYSTEM_HIDDEN_CGROUP, /* its control group can't be seen from here */
	SYSTEM_ENDED,	      /* the process has ended */
	SYSTEM_KNOWN_COUNT
};

enum system_unit {
	SYSTEM_COUNTER_NS,
	SYSTEM_COUNTER, /* occurrences */
	SYSTEM_GAUGE_BYTES,
	SYSTEM_GAUGE_MILLI, /* thousandths: of cores, or of tasks */
	SYSTEM_GAUGE
};

/*
 * The values of a sample: name, text, unit.  Recordings have them in this order: further ones come at the
 * end.
 *
 * CPU_* are of all threads, ended ones too, in steps of 10 ms.  RUN (on a processor) and WAIT (runnable, and
 * waiting for one: the run-queue delay) are sums over the threads since sampling began, as are the switches;
 * what a thread did after it was last read is left out, and all of one that lived between two samples: lower
 * bounds.
 *
 * RESIDENT includes the pages of the ring; HUGE, the pages of hugetlbfs, are no part of it.
 *
 * AFFINITY: the processors that are online and that the process may run on.  QUOTA: the least from its group
 * up to the root, or SYSTEM_NO_LIMIT.  CORES: the least of AFFINITY, CPUSET and QUOTA as far as they are
 * known.
 *
 * THROTTLED counts from where sampling began, summed over the groups from the process's own up to the root
 * and over processors: an upper bound of what it was delayed.  PERIODS and THROTTLED_PERIODS are those of the
 * group that throttled most since the sample before.
 *
 * MEMORY_* are of the group that is nearest to its limit, without a limit (SYSTEM_NO_LIMIT) of the process's
 * own.  HIGH_EVENTS: made to reclaim at memory.high; MAX_EVENTS: at the limit.
 *
 * PRESSURE_*: the time in which some task, with FULL all at once, stalled.  LOAD: of the machine, over a
 * minute.
 *
 * READER_WAIT: the run-queue delay of the reader's own first thread.  While it waits, nobody reads the rings.
 *
 * ADDRESS_LIMIT: what the process may map in all (RLIMIT_AS), or SYSTEM_NO_LIMIT.
 *
 * MACHINE_RUN: the time in which the processors of AFFINITY ran something, be it of this process or of others,
 * in steps of 10 ms.
 *
 * ANON: the part of RESIDENT behind which no file stands: neither the program and its libraries nor mapped files, such as
 * the ring.
 */
#define SYSTEM_VALUES(X)                                                                                     \
	X(SYSTEM_CPU_USER, "cpu_user", SYSTEM_COUNTER_NS)                                                    \
	X(SYSTEM_CPU_SYSTEM, "cpu_system", SYSTEM_COUNTER_NS)                                                \
	X(SYSTEM_RUN, "run", SYSTEM_COUNTER_NS)                                                              \
	X(SYSTEM_WAIT, "wait", SYSTEM_COUNTER_NS)                                                            \
	X(SYSTEM_VOLUNTARY, "switches_voluntary", SYSTEM_COUNTER)                                            \
	X(SYSTEM_FORCED, "switches_forced", SYSTEM_COUNTER)                                                  \
	X(SYSTEM_MINOR_FAULTS, "faults_minor", SYSTEM_COUNTER)                                               \
	X(SYSTEM_MAJOR_FAULTS, "faults_major", SYSTEM_COUNTER)                                               \
	X(SYSTEM_RESIDENT, "resident", SYSTEM_GAUGE_BYTES)                                                   \
	X(SYSTEM_SWAP, "swap", SYSTEM_GAUGE_BYTES)                                                           \
	X(SYSTEM_HUGE, "huge", SYSTEM_GAUGE_BYTES)                                                           \
	X(SYSTEM_THREAD_COUNT, "threads", SYSTEM_GAUGE)                                                      \
	X(SYSTEM_AFFINITY, "affinity", SYSTEM_GAUGE_MILLI)                                                   \
	X(SYSTEM_CPUSET, "cpuset", SYSTEM_GAUGE_MILLI)                                                       \
	X(SYSTEM_QUOTA, "quota", SYSTEM_GAUGE_MILLI)                                                         \
	X(SYSTEM_CORES, "cores", SYSTEM_GAUGE_MILLI)                                                         \
	X(SYSTEM_PERIODS, "periods", SYSTEM_COUNTER)                                                         \
	X(SYSTEM_THROTTLED_PERIODS, "throttled_periods", SYSTEM_COUNTER)                                     \
	X(SYSTEM_THROTTLED, "throttled", SYSTEM_COUNTER_NS)                                                  \
	X(SYSTEM_MEMORY_LIMIT, "memory_limit", SYSTEM_GAUGE_BYTES)                                           \
	X(SYSTEM_MEMORY_CURRENT, "memory_current", SYSTEM_GAUGE_BYTES)                                       \
	X(SYSTEM_MEMORY_HIGH_EVENTS, "memory_high", SYSTEM_COUNTER)                                          \
	X(SYSTEM_MEMORY_MAX_EVENTS, "memory_max", SYSTEM_COUNTER)                                            \
	X(SYSTEM_MEMORY_OOM_KILLS, "memory_oom_kill", SYSTEM_COUNTER)                                        \
	X(SYSTEM_PRESSURE_CPU, "pressure_cpu", SYSTEM_COUNTER_NS)                                            \
	X(SYSTEM_PRESSURE_MEMORY, "pressure_memory", SYSTEM_COUNTER_NS)                                      \
	X(SYSTEM_PRESSURE_MEMORY_FULL, "pressure_memory_full", SYSTEM_COUNTER_NS)                            \
	X(SYSTEM_LOAD, "load", SYSTEM_GAUGE_MILLI)                                                           \
	X(SYSTEM_MACHINE_CORES, "machine_cores", SYSTEM_GAUGE_MILLI)                                         \
	X(SYSTEM_MACHINE_MEMORY, "machine_memory", SYSTEM_GAUGE_BYTES)                                       \
	X(SYSTEM_READER_WAIT, "reader_wait", SYSTEM_COUNTER_NS)                                              \
	X(SYSTEM_MACHINE_RUN, "machine_run", SYSTEM_COUNTER_NS)                                              \
	X(SYSTEM_ADDRESS_LIMIT, "address_limit", SYSTEM_GAUGE_BYTES)                                         \
	X(SYSTEM_ANON, "anonymous", SYSTEM_GAUGE_BYTES)

enum system_value_id { SYSTEM_VALUES(LIST_NAME) SYSTEM_VALUE_COUNT };

struct system_value {
	uint64_t value;
	enum system_known known;
};

/* A thread.  Its counters count from its start. */
struct system_thread {
	int32_t tid;
	char comm[SYSTEM_COMM_SIZE]; /* unsanitised */
	char state;		     /* R, S, D, T, ... as in proc(5) */
	uint32_t runs;		     /* 1 + the slot of the domain that it runs; 0: none, or not known */
	uint64_t ts;		     /* CLOCK_MONOTONIC of the last reading */
	struct system_value user, system, run, wait, voluntary, forced;
};

/* The scope of the pressure values. */
enum system_pressure_scope { SYSTEM_PRESSURE_OF_GROUP, SYSTEM_PRESSURE_OF_MACHINE };

struct system_sample {
	uint64_t ts; /* CLOCK_MONOTONIC */
	struct system_value values[SYSTEM_VALUE_COUNT];
	enum system_pressure_scope pressure_scope;
	bool in_turns;				      /* more threads than are read at once */
	enum system_known threads_known;	      /* whether the threads could be listed */
	unsigned thread_count;			      /* of `threads`, sorted by tid */
	struct system_thread threads[SYSTEM_THREADS]; /* the last member */
};

/* The growth of a counter between two samples of one sampler.  Returns false if either lacks it. */
static inline bool system_grown(const struct system_sample *older, const struct system_sample *newer,
    enum system_value_id id, uint64_t *grown)
{
	const struct system_value *a = &older->values[id], *b = &newer->values[id];

	*grown = b->value > a->value ? b->value - a->value : 0;
	return a->known == SYSTEM_KNOWN && b->known == SYSTEM_KNOWN && b->value >= a->value;
}

/* The value of a gauge.  Returns false if it is unknown. */
static inline bool system_gauge(const struct system_sample *sample, enum system_value_id id, uint64_t *value)
{
	*value = sample->values[id].value;
	return sample->values[id].known == SYSTEM_KNOWN;
}

/* The settings of the runtime, in the order of recordings, as OCAMLRUNPARAM names them: name, letter or tweak of 5.5, least
 * and greatest that is believed, what it is. */
#define OCAML_SETTINGS(X)                                                                                    \
	X(OCAML_S, "s", 257, UINT64_C(1) << 40, "minor heap, words a domain")                                \
	X(OCAML_O, "o", 1, 1000000, "space_overhead")                                                        \
	X(OCAML_D, "d", 1, 4096, "most domains")                                                             \
	X(OCAML_E, "e", 8, 25, "ring size, log2 of words")                                                   \
	X(OCAML_CUSTOM_MAJOR, "M", 1, 1000000, "custom_major_ratio")                                         \
	X(OCAML_CUSTOM_MINOR, "m", 1, 1000000, "custom_minor_ratio")                                         \
	X(OCAML_CUSTOM_SIZE, "n", 1, UINT64_C(1) << 40, "custom_minor_max_size, bytes")                      \
	X(OCAML_STACK, "l", 1, UINT64_C(1) << 40, "most words of a fiber's stack")                           \
	X(OCAML_SMALL_HEAP, "Xsmall_heap_limit", 0, UINT64_C(1) << 40, "no marking below it, words")         \
	X(OCAML_PRUNE, "Xmark_stack_prune_factor", 0, UINT64_C(1) << 40, "how large the mark stack may be")  \
	X(OCAML_STACKS_KEPT, "Xcache_stacks_per_class", 0, UINT64_C(1) << 40,                                \
	    "stacks kept of ended fibers, of each size")

enum ocaml_setting_id { OCAML_SETTINGS(LIST_NAME) OCAML_SETTING_COUNT };

/* The origin of a setting. */
enum ocaml_origin {
	OCAML_UNKNOWN,
	OCAML_FROM_ENV,	     /* OCAMLRUNPARAM or CAMLRUNPARAM in the initial environment */
	OCAML_FROM_EMBEDDED, /* parameters linked into the program */
	OCAML_FROM_MEMORY,   /* variables of the runtime */
	OCAML_FROM_EVENTS,   /* the ring and collections */
	OCAML_FROM_PROGRAM   /* memory, and it is not what the program was started with: Gc.set */
};

struct ocaml_setting {
	uint64_t value;
	enum ocaml_origin from;
};

/*
 * The parts of a process's memory: name in reports, text.
 *
 * The minor heaps are an address range for all domains that there may be, of which only the heaps of those that
 * run are committed: MINOR is what is committed, MINOR_RESERVE the rest.  POOLS and POOLS_FREE are the pools of the
 * major heap with blocks in them, and those that wait for new ones; LARGE are its blocks that fit in no pool, as
 * allocated by malloc.  STACKS are those of threads, of fibers that run, and of ended ones that are kept for the
 * next.  PROGRAM and LIBRARIES are private mappings of files, with the static data behind them.  OTHER is all
 * else: what C code allocates, the runtime's own tables, what malloc keeps, suspended fibers, shared mappings.
 */
#define SYSTEM_MEMORY_PARTS(X)                                                                               \
	X(MEMORY_MINOR, "minor_heaps", "minor heaps")                                                        \
	X(MEMORY_MINOR_RESERVE, "minor_heaps_reserve", "  uncommitted")                                      \
	X(MEMORY_POOLS, "pools", "pools in use")                                                             \
	X(MEMORY_POOLS_FREE, "pools_free", "free pools")                                                     \
	X(MEMORY_LARGE, "large_blocks", "large blocks")                                                      \
	X(MEMORY_STACKS, "stacks", "stacks")                                                                 \
	X(MEMORY_RING, "ring", "ring")                                                                       \
	X(MEMORY_PROGRAM, "program", "program")                                                              \
	X(MEMORY_LIBRARIES, "libraries", "libraries")                                                        \
	X(MEMORY_OTHER, "other", "other")

enum system_memory_part { SYSTEM_MEMORY_PARTS(LIST_NAME) MEMORY_PARTS };

#define MEMORY_UNKNOWN UINT64_MAX

/* The names of a part in reports, and as it is shown.  Static storage. */
static inline const char *system_memory_name(enum system_memory_part part, bool shown)
{
	static const char *const names[MEMORY_PARTS][2] = {SYSTEM_MEMORY_PARTS(LIST_ROW)};

	return names[part][shown];
}

/* What a process's memory is, in bytes; all parts together are what it has mapped and what is resident. */
struct system_memory {
	uint64_t ts; /* CLOCK_MONOTONIC */
	uint64_t reserved[MEMORY_PARTS], resident[MEMORY_PARTS];
	uint64_t mappings, mappings_limit; /* their number, and what vm.max_map_count allows */
	const char *
	    why; /* why the parts of the OCaml heap are not known, as a clause; "": they are.  Static storage */
};

#define OCAML_WHY_SIZE 64

struct ocaml_settings {
	struct ocaml_setting of[OCAML_SETTING_COUNT];
	enum system_known environment; /* whether it could be read */
	char memory_why
	    [OCAML_WHY_SIZE]; /* why the runtime's variables can't be read, as a clause; "": they can */
};
