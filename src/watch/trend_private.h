/*
 * trend_private.h - internals of a trend: trend.c counts, trend_steps.c keeps the steps and reads them.
 *
 * Everything is counted in its *second*.  When a second is no longer kept it is folded into the longer steps
 * that contain it.  So the cell of a longer step contains what is older than the kept seconds; a reader adds
 * these.  Events for a second that is no longer kept are counted in the longer steps directly.
 *
 * Percentiles are computed for each tier separately.  A *histogram* belongs to a step of a tier while more
 * pauses may arrive for it.  Then it is given to a later step, and the cell keeps the percentiles.
 *
 * A tier is a circular buffer of cells: step k is at index k mod size.  The latest step of each tier is the
 * one that contains the head, a second.
 */
#pragma once

#include "core/sum.h"
#include "watch/trend.h"

#define TREND_SECOND UINT64_C(1000000000)
#define TREND_RATE_LEAST (TREND_SECOND / 2) /* seen time that a rate needs */

enum {
#define TREND_TIER_STEPS(name, seconds, steps) TREND_##name##_STEPS = (steps),
	TREND_TIERS(TREND_TIER_STEPS)
#undef TREND_TIER_STEPS
#define TREND_TIER_SUM(name, seconds, steps) +(steps)
	    TREND_CELLS = 0 TREND_TIERS(TREND_TIER_SUM),
#undef TREND_TIER_SUM
	TREND_HISTS = 12, /* histograms of all tiers */
	TREND_ENDED = 256 /* lives that ended since the last look */
};

/* Flags of a cell. */
enum {
	TREND_CLOSED = 1, /* the percentiles are final */
	TREND_LATE = 2,	  /* a pause arrived after that */
	TREND_HAS_HEAP = 4,
	TREND_HAS_RESIDENT = 8,
	TREND_HAS_THROTTLED = 16,
	TREND_LOSSY = 32,      /* events of the step were lost */
	TREND_UNREAD = 64,     /* all of the step is in a period without a domain's events */
	TREND_UNCOUNTED = 128, /* the number of events is not known */
	TREND_RATED = 256,     /* the rates are set */
	TREND_UNRATED = 512    /* something arrived after its second was folded: the rates are not known */
};

/* Rates with a least and a largest second. */
enum trend_rate { TREND_RATE_GC, TREND_RATE_ALLOCATED, TREND_RATE_PROMOTED, TREND_RATES };

/* A level in a step. */
struct trend_level {
	float last, low, high;
};

/* One step. */
struct trend_cell {
	uint64_t gc_ns, observed_ns, seen_ns;
	uint64_t allocated, promoted;
	uint64_t pause_max;
	uint32_t pauses, events, lost_words;
	uint16_t flags;
	uint16_t sampled_ms; /* time covered by cpu_ns and throttled_ns */
	float cpu_ns, throttled_ns;
	float p50, p99;
	struct trend_level heap, resident;
	float low[TREND_RATES], high[TREND_RATES];
};

/* The pauses of an open step. */
struct trend_hist {
	bool used;
	uint64_t step;
	uint64_t min, max;
	uint32_t count;
	uint64_t touched; /* octaves with counts, as bits */
	uint32_t counts[HIST_PLACES];
};

/* The state of a domain. */
struct trend_domain {
	uint64_t since;	 /* its observed time is counted up to here */
	uint64_t events; /* counted so far */
	bool noticed, alive, counting;
};

/* A life that ended, or a part of one before a loss, that is not counted yet: the target's pauses in it
 * become known at the next look. */
struct trend_life {
	uint64_t from, to;
};

/* The second of the last event. */
struct trend_hot {
	uint64_t from, to; /* `to` is 0 when there is none */
	struct trend_cell *cell;
	struct trend_hist *hists[TREND_TIER_COUNT]; /* histograms of its steps; NULL: not looked up yet */
};

struct trend_ring {
	uint64_t count; /* number of marks ever set */
	struct trend_mark marks[TREND_MARKS_KEPT];
};

struct trend {
	const struct model *model; /* NULL in a copy */
	bool live;
	uint64_t attach_ts;
	uint64_t latest; /* stamps far beyond it are invalid */
	uint64_t now;	 /* time of the last look; 0: none yet */
	bool has_allocated, has_promoted;
	uint64_t sampled_to; /* samples up to here have been added */
	bool counts_events;
	uint64_t counted_from; /* stamp from which on events are counted, if counts_events */
	uint64_t spreads; /* seconds over which pauses and losses may still be spread until the next look */

	bool seen;	    /* the seen time has begun */
	uint64_t seen_from; /* its begin */
	uint64_t settled;   /* the seen time is counted up to here */
	uint64_t tail_to;   /* the tail ends here */
	uint64_t read_to;   /* all events up to here had arrived at the last look */
	unsigned alive;	    /* number of domains */
	bool stopped;	    /* the latest of ring_start and ring_stop was a ring_stop */
	uint64_t stop_ts;   /* the stamp of that ring_stop */
	uint64_t marked_to; /* earlier pauses of the target have a mark */

	uint64_t heap_ts;   /* the level is in the cells up to here */
	uint64_t heap_told; /* stamp of the latest report of its size */
	double heap;	    /* NAN: not known */
	bool heap_late;	    /* in a file: past sums are not known */

	unsigned domain_limit;
	struct trend_domain domains[MODEL_DOMAINS_MAX];
	unsigned ended_count;
	struct trend_life ended[TREND_ENDED];
	unsigned open_count;		  /* number of pauses that were open at the last look */
	uint64_t open[MODEL_DOMAINS_MAX]; /* begins of these pauses */

	bool begun;
	uint64_t head; /* the latest second */
	struct trend_hot hot;
	struct trend_ring marks[TREND_MARK_COUNT];
	struct trend_cell cells[TREND_CELLS];
	struct trend_hist hists[TREND_HISTS];
};

/* ---- trend_steps.c ---- */

/* Add to a 32-bit counter, which saturates. */
static inline void trend_add_32(uint32_t *to, uint64_t more)
{
	*to = more > UINT32_MAX - *to ? UINT32_MAX : *to + (uint32_t)more;
}

/* The part [from, to) of a period that lies in one step. */
struct trend_part {
	uint64_t from, to;
	bool whole;  /* the whole step is in the period */
	bool folded; /* the step is a longer one */
};
typedef void trend_part_add(struct trend_cell *c, const struct trend_part *part, const void *what);

/* Add a level to an earlier one. */
void trend_level_add(struct trend_level *to, bool known, const struct trend_level *more);

/* Add the rates of a second to the least and the largest rates of a step. */
void trend_rate_add(struct trend_cell *c, const float rates[TREND_RATES]);

/* Make a second the latest, if it is later than the latest. */
void trend_reach(struct trend *t, uint64_t second);

/* Get the cells in which an event is counted: that of its second, or, if it is no longer kept, those of the
 * longer steps.  Returns their number. */
unsigned trend_cells_find(struct trend *t, uint64_t ts, struct trend_cell *out[TREND_TIER_COUNT]);

/* Whether a stamp is in the hot second. */
static inline bool trend_is_hot(const struct trend *t, uint64_t ts)
{
	return ts >= t->hot.from && ts < t->hot.to;
}

/* Add something to all steps of a period: to the kept seconds and, for earlier time, to the longer steps. */
void trend_spread(struct trend *t, uint64_t from, uint64_t to, trend_part_add *add, const void *what);

/* Limit the spreading that a target can cause.  Returns where to begin. */
uint64_t trend_spread_from(struct trend *t, uint64_t from, uint64_t to);

/* Add pauses to the histograms of the steps in which they ended. */
void trend_hists_count(struct trend *t, const struct pauses *pauses);
