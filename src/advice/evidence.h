/*
 * evidence.h - the evidence for rules: sums over a window of time.
 *
 * A *tally* holds values that add up: the tally of a window is the sum of the tallies of its parts.  Times
 * are nanoseconds.  Work inside an explicit GC call is counted as part of that call only.  The first
 * WARM_UP_NS are left out if the start of the process was seen.
 *
 * An exec replaces the program in the process.  All evidence is about the present program: older evidence is
 * discarded, the window begins after the exec, and samples that span it are ignored.
 *
 * A domain is *active* if it allocated, or led a stop, within the window; other domains only take part in
 * those stops.  The *busy* time is the time in which the program could have made progress: the observed time
 * of the active domains, or the processor time of the process if it is known.
 */
#pragma once

#include "advice/advice.h"

#define WARM_UP_NS 2000000000u
#define ENOUGH_STOPS 100
#define ENOUGH_NS 10000000000u
#define LATE_KEPT 256
#define CYCLES_KEPT 256
#define USERS_KEPT 64	       /* number of user slots whose spans are examined: the first ones */
#define USER_BINS 192	       /* bins of span durations: four per octave, beginning at USER_BIN_FIRST_NS */
#define LATE_LEAST_NS 1000000u /* an absolute limit: a domain that is always late costs most */

/* Sums over all domains.  All members must be uint64_t: the struct is summed as an array. */
struct tally {
	uint64_t phase_count[RTEV_PHASE_COUNT];
	uint64_t phase_self[RTEV_PHASE_COUNT];
	uint64_t phase_total[RTEV_PHASE_COUNT]; /* full time of all spans */
	uint64_t counter_count[RTEV_COUNTER_COUNT];
	uint64_t counter_sum[RTEV_COUNTER_COUNT]; /* modulo 2^64 */
	uint64_t words;				  /* words read from the rings */
	uint64_t lost_words;
	uint64_t pause_ns;   /* time of pauses that have ended */
	uint64_t leads;	     /* minor collections, without explicit ones */
	uint64_t full_leads; /* leads whose leader had filled its minor heap */
	/* Minor collections of all domains by allocation before them (a, KiB) and promotion (p, in 64 bytes),
	 * without those of less than a quarter of a minor heap: their number, and sums over them. */
	uint64_t sized, sized_a, sized_p, sized_aa, sized_ap, sized_pp;
	uint64_t sized_lean;		/* collections that promoted less than half of the allocation */
	uint64_t spawns;		/* domains spawned */
	uint64_t endings;		/* stops that a domain led as it ended */
	uint64_t ending_ns;		/* time of the leaders of these stops */
	uint64_t explicits;		/* explicit GC calls */
	uint64_t explicit_ns;		/* time in explicit GC calls */
	uint64_t long_explicits;	/* explicit GC calls of 10 ms or more */
	uint64_t slices;		/* major slices whose kinds of work are known (5.3 and later) */
	uint64_t alloc_work, most_work; /* their work for allocation, and the largest work of any kind */
	uint64_t extra_work;		/* most_work of slices driven by custom blocks, not by allocation */
	uint64_t stop_wait_ns;		/* sum of the times that domains waited in stops */
	uint64_t stops;			/* synchronous stops in which every arrival is known */
	/* time of busy domains from their last arrival to their release, if an idle domain came last */
	uint64_t idle_wait_ns;
	uint64_t idle_last; /* stops in which an idle domain came last */
	uint64_t copying_s; /* seconds in which domains copied for COPYING_PART of the time or more */
};

/* Return the time in which minor collections copied what survives them. */
static inline uint64_t tally_copying(const struct tally *t)
{
	return t->phase_self[RTEV_PHASE_MINOR_REMEMBERED_SET_PROMOTE] +
	       t->phase_self[RTEV_PHASE_MINOR_LOCAL_ROOTS_PROMOTE];
}

/* Sums of one domain. */
struct domain_tally {
	uint64_t class_self[RTEV_CLASS_COUNT]; /* without stops that came while it was blocked */
	uint64_t allocated;		       /* bytes */
	uint64_t handlers;		       /* stops led by others that it took part in */
	uint64_t idle_handlers;		       /* handlers in which it was idle (see collector.c) */
	uint64_t leads;
	uint64_t waited_ns; /* it was idle, counted at the end of each stretch */
	uint64_t words;	    /* words read from its ring */
	uint64_t lost_words;
	uint64_t joined;     /* synchronous stops led by others that it took part in */
	uint64_t last;	     /* synchronous stops in which it was the last to arrive */
	uint64_t late_stops; /* synchronous stops in which it was last and late: evidence_is_late */
	uint64_t late_ns, late_wait_ns; /* how late it was in late_stops, and how long all others waited */
};

struct evidence_domain {
	struct domain_tally sum;
	uint64_t observed_ns; /* observed time in the window */
	uint64_t
	    full_bytes; /* size of its minor heap, or about that: the largest minor_allocated of its leads */
	uint64_t resized_ts; /* when that size was found to be another one; 0: it was not */
	uint64_t most_words; /* words read from its ring in a second, at most, plus losses on average */
	bool active;
	bool idle; /* it was idle in nearly all stops that it took part in (IDLE_PART) */
};

/* A stop in which a domain arrived more than LATE_LEAST_NS late. */
struct evidence_late {
	uint64_t begin, lateness, wait;
	unsigned domain;
	bool awake; /* it is known that the domain, not its backup thread, took part */
};

/* The heap at the end of a major cycle, in words, summed over the domains.  `live` and `large` include the
 * garbage that the cycle has found, which the next one sweeps. */
struct evidence_cycle {
	uint64_t ts, pool, live, large, fragments;
	uint64_t allocated; /* in the major heap since the begin, promoted words included */
};

/* User spans of about the same duration. */
struct user_bin {
	uint64_t count, ns, gc_ns;
};

/* What samples of the process show for the window. */
struct evidence_system {
	bool there;
	bool stopped;			    /* a sample found the process stopped by a signal or a debugger */
	uint64_t ns;			    /* time covered by the samples */
	uint64_t known;			    /* a bit for each value that all samples have */
	uint64_t grown[SYSTEM_VALUE_COUNT]; /* growth of each counter */
	const struct system_sample *latest;
	const struct system_past *past;
	const struct ocaml_settings *settings; /* NULL: not known */
};

struct evidence {
	const struct model *model;
	unsigned programs; /* number of programs that ran in the process before this one */
	enum rtev_release release;
	uint64_t ring_words; /* 0: not known */
	bool overrun;	     /* the writer of a ring has dropped more than it has written */
	bool ended;	     /* the program has ended without an event that says so */
	uint64_t from, to;   /* stamps at the start and the end of the window */
	double window_s;     /* observed time in the window, without what is left out */
	struct tally sum;
	const struct evidence_domain *domains; /* by domain number; NULL: none */
	unsigned domain_count;
	unsigned active,
	    idle; /* number of active domains, without those that mostly wait, and of idle ones */
	double busy_ns;
	bool counters;		    /* hardly any events came in the window: it rests on counters in memory */
	uint64_t pause_ns, longest; /* time of all pauses, including open ones; the longest that has ended */
	double lost_share;	    /* lost words as a share of those written */
	double paused_share;	    /* share of the window in which events were paused */
	uint64_t heap_words;	    /* latest size of the major heap; 0: not known */
	const struct hist *lateness;	   /* for stops of this program with known arrivals */
	const struct evidence_late *lates; /* latest late stops, unordered, some from before the window */
	size_t late_count;
	const struct evidence_cycle *cycles; /* in order of time, since the beginning */
	size_t cycle_count;
	uint64_t sliced_ts;		    /* end of the latest major slice; 0: there was none */
	struct user_bin *const *users;	    /* USERS_KEPT arrays of USER_BINS; NULL: none */
	uint64_t users_from;		    /* stamp from which `users` counts */
	const struct fiber_trouble *fibers; /* NULL: no scheduler wrote events */
	struct evidence_system system;
	const struct profile *code;	 /* samples of the program's code; NULL: none */
	const struct lock_window *locks; /* NULL: the locks were not looked at in the window */
	const struct lock_past *looks;	 /* looks at locks; NULL: none */
};

/* Fill in what the samples show, and determine the busy time.  `past` may be NULL. */
void evidence_add_system(struct evidence *e, const struct system_past *past);

/* Get a gauge of the latest sample in the window, or a counter's growth in the window.  Returns false if it
 * is not known. */
bool evidence_gauge(const struct evidence *e, enum system_value_id id, uint64_t *value);
bool evidence_grown(const struct evidence *e, enum system_value_id id, uint64_t *value);

/* Default values of the settings s, in words, and o. */
#define MINOR_HEAP_WORDS (256u << 10)
#define SPACE_OVERHEAD 120

/* Get a setting, or `unknown` if it is not known.  Returns whether it is known. */
bool evidence_setting(const struct evidence *e, enum ocaml_setting_id id, uint64_t unknown, uint64_t *value);

/* Get the memory that the process may use: its limit, else that of the machine.  Returns false if neither is
 * known. */
bool evidence_memory(const struct evidence *e, uint64_t *bytes);

/* Return the parts of the process's memory; NULL: they were not read within the window. */
const struct system_memory *evidence_parts(const struct evidence *e);

/* Return whether there is enough evidence for a share of time: ENOUGH_STOPS stops, or ENOUGH_NS of time. */
bool evidence_enough(const struct evidence *e);

/* Return whether a domain that leads collections changed the size of its minor heap after the first tenth of the window:
 * what is known is of two sizes then. */
bool evidence_resized(const struct evidence *e);

/* Return how many domains were spawned per second; 0: fewer than SPAWNS_LEAST, which may be the start of a
 * program. */
#define SPAWNS_LEAST 30
#define SPAWN_RATE 10.0 /* often, from here on */
double evidence_spawn_rate(const struct evidence *e);

/* Return the self time of a class of phases on the active domains. */
double evidence_class(const struct evidence *e, enum rtev_phase_class class);

/* Return the time that the active domains spent at barriers, less the time that threads waited for a
 * processor, which is the kernel's doing. */
double evidence_barriers(const struct evidence *e);

/*
 * Estimate how many bytes a minor collection promotes however much was allocated before it: values that were
 * just young, of which a larger minor heap promotes no more.  A line is fitted to what collections of
 * different sizes promoted; the part that grows with the allocation, `per_byte`, lives long.  Returns false
 * if the collections are too few or too similar, or if there is no constant part beyond the error of the fit.
 */
bool evidence_young(const struct evidence *e, double *young, double *per_byte);

/* Return the average words of garbage that the last `cycles` major cycles found: what was live at the end of
 * one cycle, or was allocated in the next, and is gone at the end of that.  There must be more than so many
 * cycles. */
double evidence_garbage(const struct evidence *e, size_t cycles);

/* Return the processor time of the process; 0: not known. */
double evidence_ran(const struct evidence *e);

/* Return whose threads keep the cores busy that the process may use.  If others do, waiting for a processor
 * is not the program's fault; if cores are free, threads only wait a little at each wake-up. */
enum evidence_cores { CORES_FREE, CORES_OWN, CORES_OTHERS };
enum evidence_cores evidence_cores(const struct evidence *e);

/* Return whether a stop in `lates` is in the window, and late because of what its domain does.  Idle domains,
 * whose backup threads are late, are the subject of idle_domains. */
bool evidence_is_late(const struct evidence *e, const struct evidence_late *late);

/* Return whether something in the window may have taken so long because other processes had the processors:
 * threads of the process waited for half of that time or more. */
bool evidence_starved(const struct evidence *e, double ns);

/* Get the time that its domains lost while their threads waited for a processor.  The threads of a domain take turns,
 * so a domain waits while none of them runs; threads that run C may be more.  False when it is not known. */
bool evidence_waited(const struct evidence *e, uint64_t *ns);

/* Get the processor time of other processes on the processors that this one may use.  Returns false if it is
 * only derived from the load. */
bool evidence_others(const struct evidence *e, double *ns);

/* Return the least time for which threads of idle domains ran or waited for a processor: the total beyond
 * what active domains can have used.  0: too little to matter, or others run more than the process. */
double evidence_idle_crowd(const struct evidence *e);

/* Get the share of the quota periods in which the process's group was throttled.  Returns false if it is not
 * known, or there were too few periods. */
#define THROTTLED_PERIODS_LEAST 20
#define THROTTLED_SHARE 0.05 /* it matters from here on */
bool evidence_throttled(const struct evidence *e, double *share);

/* Return whether this number of cores comes from a quota that the process exhausts. */
bool evidence_by_quota(const struct evidence *e, uint64_t cores);

/* Time that the collector spends on registered values, by kind. */
enum { SPECIAL_FINALISERS, SPECIAL_EPHEMERONS, SPECIAL_SAMPLES, SPECIALS };
struct special_time {
	double minor, major; /* in minor collections, and in the major collector */
	rtev_phase phase;    /* phase with most of it */
};
struct special_time evidence_special(const struct evidence *e, unsigned special);

/* Return the major collector's time that depends on the program's allocation (marking and sweeping): without
 * roots, and without special values, which a setting only delays. */
double evidence_paced(const struct evidence *e);

/* Return the self time of minor collections, including barriers of stops, or of the major collector. */
double evidence_minor(const struct evidence *e);
double evidence_major(const struct evidence *e);

/* Return a time as a share of the busy time, at most 1; 0: there was no busy time. */
double evidence_share(const struct evidence *e, double ns);

/* ---- the collector, which collects the evidence from the events of a model ---- */

struct collector;

/* Follow a model and a struct stw.  `whole`: the window is all time since the beginning.  NULL when memory
 * ran out. */
struct collector *collector_create(bool whole, struct model *model, const struct stw *stw);

/* The model may have been destroyed before, as observers end with it. */
void collector_destroy(struct collector *c);

/* Add the stops that were completed since the last call. */
void collector_stops(struct collector *c);

/* Fill in the evidence at `now`, which is valid until `c` changes.  This also determines which domains count
 * as idle in the stops added afterwards. */
void collector_read(struct collector *c, uint64_t now, struct evidence *out);
