/*
 * trend_private.h - the inside of a trend: trend.c counts what happens, trend_time.c the time in which it could, trend_read.c reads.
 *
 * A tier is a ring of cells: step k at k mod its size, for the steps head - size + 1 .. head; `begun` is false until the first.
 * A *histogram* belongs to a step of a tier while pauses may still come for it; it is given up for a later step, and the cell
 * keeps the percentiles.
 */
#ifndef WATCH_TREND_PRIVATE_H
#define WATCH_TREND_PRIVATE_H

#include "watch/trend.h"

#define TREND_SECOND UINT64_C(1000000000)

enum {
#define TREND_TIER_STEPS(name, seconds, steps) TREND_##name##_STEPS = (steps),
	TREND_TIERS(TREND_TIER_STEPS)
#undef TREND_TIER_STEPS
#define TREND_TIER_SUM(name, seconds, steps) +(steps)
	    TREND_CELLS = 0 TREND_TIERS(TREND_TIER_SUM),
#undef TREND_TIER_SUM
	TREND_HISTS = 12, /* histograms of all tiers */
	TREND_ENDED = 512 /* lives of domains that ended since the last look */
};

enum trend_flag {
	TREND_CLOSED = 1,   /* the percentiles are final */
	TREND_LATE = 2,	    /* a pause came after that */
	TREND_HAS_HEAP = 4, /* the levels hold something */
	TREND_COUNTED = 8,  /* so does the number of events */
	TREND_FOLDED = 16,  /* so do the extremes */
	TREND_HAS_RESIDENT = 32,
	TREND_HAS_THROTTLED = 64
};

/* A level in a step. */
struct trend_level {
	float last, low, high;
};

/* One step. */
struct trend_cell {
	uint64_t gc_ns, observed_ns, seen_ns;
	uint64_t allocated, promoted;
	uint64_t pause_max;
	uint32_t sampled_us; /* the kernel's figures are of that time: */
	uint32_t cpu;	     /* in units of TREND_CPU_NS */
	uint32_t throttled_us;
	uint32_t pauses, events, lost_words;
	uint32_t flags;
	float p50, p99;
	struct trend_level heap, resident;
	float allocated_low, allocated_high, promoted_low, promoted_high; /* per second */
	uint16_t gc_low, gc_high;					  /* in parts of TREND_SHARE_ONE */
};

#define TREND_SHARE_ONE 50000.0
#define TREND_CPU_NS 16384u

/* The pauses of an open step. */
struct trend_hist {
	bool used;
	uint64_t step;
	uint64_t min, max;
	uint32_t count;
	uint64_t touched; /* octaves with counts, a bit each */
	uint32_t counts[HIST_PLACES];
};

/* What is known of a domain. */
struct trend_domain {
	uint64_t since; /* counted up to there */
	float heap;
	bool noticed, alive, has_heap;
};

/* A life that ended, as far as it has not been counted. */
struct trend_life {
	uint64_t from, to;
};

/* The second that an event fell into last, and the steps that it is in. */
struct trend_hot {
	uint64_t from, to;			    /* to is 0 when there is none */
	struct trend_cell *cells[TREND_TIER_COUNT]; /* NULL: no longer kept */
	struct trend_hist *hists[TREND_TIER_COUNT]; /* NULL: not looked up yet */
};

struct trend_tier {
	bool begun;
	uint64_t head;
};

struct trend_ring {
	uint64_t count; /* marks ever */
	struct trend_mark marks[TREND_MARKS_KEPT];
};

struct trend {
	bool live;
	uint64_t attach_ts;
	uint64_t begin_at; /* what is stamped before it has been counted elsewhere */
	uint64_t latest;   /* stamps far beyond it are none */
	bool has_allocated, has_promoted, has_pauses;
	uint64_t sampled_to; /* samples until then have been taken in */

	bool seen; /* the stretch that was seen has begun: */
	uint64_t seen_from;
	uint64_t settled; /* and is counted up to there */
	uint64_t tail_to; /* the tail goes from there to here */
	unsigned alive;	  /* domains */
	bool stopped;	  /* a ring_stop was the latest of ring_start and ring_stop: */
	uint64_t stop_ts;
	uint64_t folded;    /* seconds before this one have been folded into the longer steps */
	uint64_t marked_to; /* pauses of the target that ended by then have a mark */

	uint64_t heap_ts; /* the level is in the cells up to there */
	double heap;
	unsigned heaps; /* domains that it is the sum of; 0: not known */
	bool heap_late; /* of a file: it is not known how it was */

	unsigned domain_limit;
	struct trend_domain domains[MODEL_DOMAINS_MAX];
	unsigned ended_count;
	struct trend_life ended[TREND_ENDED];

	struct trend_tier tiers[TREND_TIER_COUNT];
	struct trend_hot hot;
	uint64_t spreads; /* steps that pauses may still be spread over before the next look */
	struct trend_ring marks[TREND_MARK_COUNT];
	struct trend_cell cells[TREND_CELLS];
	struct trend_hist hists[TREND_HISTS];
};

/* What the tiers are. */
struct trend_tier_row {
	uint64_t length;
	unsigned first, steps; /* its cells */
	unsigned first_hist, hists;
};
extern const struct trend_tier_row trend_tier_rows[TREND_TIER_COUNT];

/* Whether a tier keeps a step. */
static inline bool trend_keeps(const struct trend *t, unsigned tier, uint64_t step)
{
	const struct trend_tier *r = &t->tiers[tier];

	return r->begun && step <= r->head && r->head - step < trend_tier_rows[tier].steps;
}

/* The cell of a step that is kept. */
static inline const struct trend_cell *trend_cell_of(const struct trend *t, unsigned tier, uint64_t step)
{
	const struct trend_tier_row *row = &trend_tier_rows[tier];

	return &t->cells[row->first + step % row->steps];
}

/* The cell of a step, made the head if it is later than that; NULL when it is no longer kept. */
struct trend_cell *trend_cell_make(struct trend *t, unsigned tier, uint64_t step);

/* Whether a stamp can be one of the target's. */
bool trend_plausible(const struct trend *t, uint64_t ts);

/* Put the heap's level into all steps up to a stamp. */
void trend_heap_reach(struct trend *t, uint64_t ts);

/* The domains that have a heap are others from a stamp on. */
void trend_heap_sum(struct trend *t, uint64_t ts);

/* Take a value of a level in. */
void trend_level_take(struct trend_level *level, bool known, float value);

/* A percentile of an open step. */
uint64_t trend_hist_percentile(const struct trend_hist *h, unsigned num, unsigned den);

#endif
