/*
 * figures.h - the figures that all faces show of a target, each defined once over what its model counts.
 *
 * A figure that is not known is NAN.  A share is 0 to 1.  A rate is per second of *seen* time: a stretch of
 * time without the part in which the target had paused its events.  The collector's shares are of *observed*
 * time (model/model.h), which also leaves out what losses hide.  All domains take part in minor collections
 * and major cycles, so their number is that of the domain with the most.  model_heap tells the levels of the
 * heap.
 *
 * While a target records no events, its memory may tell its counts (model_count).  Rates of collections,
 * cycles and bytes are therefore per *counted* time: seen time and the time that memory told of.
 */
#pragma once

#include "fibers/fibers.h"
#include "model/model.h"

/* Return a part as a share of a whole, at most 1; NAN if the whole is 0. */
double figure_share(double part, double whole);

/* Return a sum per second; NAN: nothing was seen. */
double figure_rate(double sum, uint64_t seen_ns);

/* Return the seen time of [from, to): the part in which the target had not paused its events. */
uint64_t figure_seen(const struct model *m, uint64_t from, uint64_t to);

/* Return the counted time of [from, to): the part for which events or memory told the target's counts. */
uint64_t figure_counted(const struct model *m, uint64_t from, uint64_t to);

/* Return what events and memory have counted of a domain. */
struct model_counts figure_counts(const struct model_domain *d);

/* Return the time of [from, to) for which a domain's events are known: its life, without pauses of the target
 * and lost time. */
uint64_t figure_observed(const struct model *m, const struct model_domain *d, uint64_t from, uint64_t to);

/* Shares of the observed time spent in pauses that have ended. */
struct figure_gc {
	double gc;
	double wait; /* the part of `gc` spent waiting for other domains (model/waiting.h) */
};
struct figure_gc figure_gc_of(double gc_ns, double wait_ns, double observed_ns);
struct figure_gc figure_gc_all(const struct model *m);
struct figure_gc figure_gc(const struct model_domain *d);

/* Return a class's self time in pauses as a share of the observed time.  For RTEV_CLASS_IDLE: the time in
 * waits that are no pauses, whatever the domain did in them. */
double figure_class_share(const struct model_domain *d, enum rtev_phase_class class);

/* Return a phase's self time in pauses as a share of that of all phases; NAN if the phase has none. */
double figure_phase_share(const struct model_domain *d, const struct model_phase *p);

/* Return the number of minor collections (RTEV_PHASE_MINOR) or major cycles
 * (RTEV_PHASE_MAJOR_GC_CYCLE_DOMAINS). */
uint64_t figure_collections(const struct model *m, rtev_phase phase);

/* Return the number of running domains or, once the target has ended, of domains that ran.  `over`: the
 * target has ended, whether the model knows or not. */
unsigned figure_domains(const struct model *m, bool over);

/* Return the end of what has been observed: now, or the last event of a file. */
uint64_t figure_end(const struct model *m);

/* The event loop of a domain, up to the end of the domain or of what was observed.  False if the domain has
 * none. */
bool figure_loop(const struct fibers *f, const struct model *m, unsigned domain, struct fiber_loop *out);

/* What the loop of a domain did in columns of time, and the longest runs of all domains in [from, to). */
void figure_columns(struct fibers *f, const struct model *m, unsigned domain, uint64_t t0, uint64_t width,
    unsigned count, struct fiber_column *out);
size_t figure_longest_runs(
    struct fibers *f, const struct model *m, uint64_t from, uint64_t to, struct fiber_run *out, size_t max);

/* Return the longest late turn of any loop that is open or ended in the last FIBERS_LATE_KEPT, and the
 * longest run in it, whose duration is 0 if not known.  False if there was no late turn. */
bool figure_late(struct fibers *f, const struct model *m, struct fiber_late *out, struct fiber_run *run);

/* The growth of a live target's heap in bytes a minute, from ten seconds on: between its lowest sizes at the
 * begin and at the end of the last minute, so that memory freed by collections does not count.  0: it is
 * steady.  NAN: not known, or too little of the heap to tell. */
double figure_heap_growth(const struct model *m);

/* Return how many fibers are alive; NAN if there is no scheduler (NULL), or words were lost. */
double figure_fibers(const struct fibers *f);

/* Return the begin of the totals: the first observation of the first domain, or the latest reset. */
uint64_t figure_since(const struct model *m);

/* Mean rates since the begin of the totals. */
struct figure_mean {
	double sum;  /* of all domains */
	double most; /* of the domain that counted the most */
};

/* What to count of a domain: its events, the spans of a phase, the values of a counter, or the sum of these
 * values. */
enum figure_count { FIGURE_EVENTS, FIGURE_SPANS, FIGURE_VALUES, FIGURE_SUM };

/* For a domain that ran before the attach, the time counts from when it was first observed.  NAN while less than
 * `least_ns` has been seen of a domain that counted something. */
struct figure_mean figure_mean(
    const struct model *m, enum figure_count what, unsigned number, uint64_t least_ns);

/* Return the number of values up to a bound.  A bin counts if most of it is below the bound, so the bound holds
 * within 1 %. */
uint64_t figure_up_to(const struct hist *h, double bound);

/* ---- the values at which a figure needs attention or is bad, for colours and judgements ---- */

/*
 * X(NAME, attention, bad): lower bounds; a value of 0 is always good.
 *
 * GC         share of the time in pauses.  Tuning easily gains at most a tenth; findings must account for
 *            a quarter (ADVICE_MUCH_GC).
 * PAUSE      ns.  10 ms shows in the tail latency of a server; a waiting person notices 100 ms.
 * LOST       share of the traffic.  Any loss hides something; from 1 % on, rates are not to be trusted.
 * THROTTLED  share of the scheduler's periods.  All threads stand still in each of them; at a twentieth, so does
 *            one request in twenty.
 * SWAP       share of the process's memory that is swapped out.  Each major collection reads it back in.
 */
#define FIGURE_LIMITS(X)                                                                                     \
	X(LIMIT_GC, 0.1, 0.25)                                                                               \
	X(LIMIT_PAUSE, 10e6, 100e6)                                                                          \
	X(LIMIT_LOST, 0, 0.01)                                                                               \
	X(LIMIT_THROTTLED, 0, 0.05)                                                                          \
	X(LIMIT_SWAP, 0, 0.1)

enum limit { FIGURE_LIMITS(LIST_NAME) LIMIT_COUNT };

/* A figure's relation to its limits, in the order of severity. */
enum limit_level { LEVEL_NONE, LEVEL_GOOD, LEVEL_ATTENTION, LEVEL_BAD };

/* Return the level of a value; LEVEL_NONE: it is not known. */
enum limit_level limit_level(enum limit limit, double value);

/*
 * ---- what fills the rings, and how large they would have to be ----
 *
 * Counts the words of the records that were read, by source.  A loss means that a ring was overwritten
 * between two reads: a ring of its present size plus the largest loss would have been large enough.
 */

/* The largest exponent that OCaml accepts with 128 domains. */
#define TRAFFIC_EXPONENT_MAX 20

struct traffic {
	char name[RTEV_USER_NAME_SIZE +
		  2];	/* the source that wrote most, quoted by shown_quote; untrusted; "" when nothing was
		       * read */
	uint64_t words; /* written by that source */
	uint64_t all;	/* written by all sources */
	uint64_t lost_most; /* largest loss on one ring, in words */
	unsigned exponent;  /* of a ring large enough for that loss; 0 without a loss or a known size */
};

/* Count what was read since the attach or the last reset.  `ring_words` is the size of a ring; 0: not known. */
struct traffic traffic_read(const struct model *m, uint64_t ring_words);

/* Write the remedy of a loss, without a full stop: the ring that would have held it, or that there is none.  "" without a loss or
 * a known size. */
void traffic_remedy(const struct traffic *t, char *buf, size_t size);
