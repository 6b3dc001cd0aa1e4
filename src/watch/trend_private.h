/*
 * trend_private.h - internals of a trend: trend.c counts, trend_read.c reads.
 *
 * Everything is counted in the *second* that it is of.  When a second is no longer kept it is folded into the
 * longer steps that it lies in.  So the cell of a longer step has what is older than the seconds that are
 * kept; a reader adds those.  What comes for a second that is not kept any more is counted in the longer
 * steps at once.
 *
 * Only percentiles are made for each tier by itself.  A *histogram* belongs to a step of a tier while more
 * pauses may come for it.  It is then given to a later step, and the cell keeps the percentiles.
 *
 * A tier is a ring of cells: step k is at index k mod size.  The latest step of each tier is the one that the
 * head, a second, lies in.
 */
#pragma once

#include "core/sum.h"
#include "watch/trend.h"

#define TREND_SECOND UINT64_C(1000000000)
#define TREND_RATE_LEAST (TREND_SECOND / 2) /* time that a rate needs */

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
	TREND_LATE = 2,	  /* a pause came after that */
	TREND_HAS_HEAP = 4,
	TREND_HAS_RESIDENT = 8,
	TREND_HAS_THROTTLED = 16,
	TREND_LOSSY = 32,      /* events of the step were lost */
	TREND_UNREAD = 64,     /* all of the step lies in a stretch of which a domain's events were lost */
	TREND_UNCOUNTED = 128, /* the number of events is not known */
	TREND_RATED = 256,     /* the rates are set */
	TREND_UNRATED = 512    /* something came after its second was folded: the rates are not known */
};

/* What has a least and a largest second. */
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
	uint16_t sampled_ms; /* time that cpu_ns and throttled_ns cover */
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
	uint64_t touched; /* octaves with counts, a bit each */
	uint32_t counts[HIST_PLACES];
};

/* The state of a domain. */
struct trend_domain {
	uint64_t since;	 /* its observed time is counted up to here */
	uint64_t events; /* counted so far */
	bool noticed, alive, counting;
};

/* A life that ended, or a part of one before a loss, that is not counted yet: the pauses of the target in it
 * are known at the next look. */
struct trend_life {
	uint64_t from, to;
};

/* The second that the last event fell into. */
struct trend_hot {
	uint64_t from, to; /* `to` is 0 when there is none */
	struct trend_cell *cell;
	struct trend_hist *hists[TREND_TIER_COUNT]; /* of its steps; NULL: not looked up yet */
};

struct trend_ring {
	uint64_t count; /* number of marks ever set */
	struct trend_mark marks[TREND_MARKS_KEPT];
};

struct trend {
	const struct model *model; /* NULL: a copy */
	bool live;
	uint64_t attach_ts;
	uint64_t latest; /* stamps far beyond it are invalid */
	uint64_t now;	 /* of the last look, 0 before the first */
	bool has_allocated, has_promoted;
	uint64_t sampled_to; /* samples up to here have been added */
	bool counts_events;
	uint64_t counted_from; /* stamp from which on events are counted, if counts_events */
	uint64_t spreads; /* seconds that pauses and losses may still be spread over until the next look */

	bool seen;	    /* the seen time has begun */
	uint64_t seen_from; /* its begin */
	uint64_t settled;   /* the seen time is counted up to here */
	uint64_t tail_to;   /* the tail ends here */
	uint64_t read_to;   /* all events up to here had come at the last look */
	unsigned alive;	    /* number of domains */
	bool stopped;	    /* the latest of ring_start and ring_stop was a ring_stop */
	uint64_t stop_ts;   /* the stamp of that ring_stop */
	uint64_t marked_to; /* pauses of the target that ended before have a mark */

	uint64_t heap_ts;   /* the level is in the cells up to here */
	uint64_t heap_told; /* the latest stamp of what says something of it */
	double heap;	    /* NAN: not known */
	bool heap_late;	    /* of a file: past sums are not known */

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

/* The table of tiers. */
struct trend_tier_row {
	uint64_t length, seconds;
	unsigned first, steps; /* its cells */
	unsigned first_hist, hists;
};
extern const struct trend_tier_row trend_tier_rows[TREND_TIER_COUNT];

/* Return whether a tier keeps a step. */
static inline bool trend_keeps(const struct trend *t, unsigned tier, uint64_t step)
{
	uint64_t head = t->head / trend_tier_rows[tier].seconds;

	return t->begun && step <= head && head - step < trend_tier_rows[tier].steps;
}

/* Return the index of the cell of a kept step. */
static inline size_t trend_index(unsigned tier, uint64_t step)
{
	return trend_tier_rows[tier].first + step % trend_tier_rows[tier].steps;
}

/* Return how much of the tail lies in [begin, end). */
uint64_t trend_tail_in(const struct trend *t, uint64_t begin, uint64_t end);

/* Return the time of [begin, end) in pauses that are still open, all domains together. */
uint64_t trend_open_in(const struct trend *t, uint64_t begin, uint64_t end);

/* Return whether a step counts as not seen: the events of a domain were lost, and no other says that anything
 * happened in it. */
static inline bool trend_unseen(const struct trend_cell *c)
{
	return (c->flags & TREND_UNREAD) != 0 && (c->gc_ns | c->allocated | c->promoted | c->pauses) == 0;
}

/* Add a kept second to a sum; `rated`: also its rates, if it has been seen for long enough. */
void trend_fold(const struct trend *t, struct trend_cell *into, uint64_t second, bool rated);

/* Return the histogram of a step, NULL when it has none (any more); and a percentile of it. */
const struct trend_hist *trend_hist_open(const struct trend *t, unsigned tier, uint64_t step);
uint64_t trend_hist_percentile(const struct trend_hist *h, unsigned num, unsigned den);

/* ---- trend_cells.c ---- */

/* Add to a 32-bit counter, which saturates. */
static inline void trend_add_32(uint32_t *to, uint64_t more)
{
	*to = more > UINT32_MAX - *to ? UINT32_MAX : *to + (uint32_t)more;
}

/* A part [from, to) of a stretch of time that lies in one step. */
struct trend_part {
	uint64_t from, to;
	bool whole;  /* it lies in the stretch as a whole */
	bool folded; /* the step is a longer one */
};
typedef void trend_part_add(struct trend_cell *c, const struct trend_part *part, const void *what);

/* Add a level to another one that comes before. */
void trend_level_add(struct trend_level *to, bool known, const struct trend_level *more);

/* Add the rates of a second to the least and the largest of a step. */
void trend_rate_add(struct trend_cell *c, const float rates[TREND_RATES]);

/* Make a second the latest, if it is later than the latest. */
void trend_reach(struct trend *t, uint64_t second);

/* Get the cells that what happens at a stamp is counted in: that of its second or, when it is no longer kept,
 * those of the longer steps.  Returns their number. */
unsigned trend_cells_find(struct trend *t, uint64_t ts, struct trend_cell *out[TREND_TIER_COUNT]);

/* Whether a stamp is of the second that is at hand. */
static inline bool trend_is_hot(const struct trend *t, uint64_t ts)
{
	return ts >= t->hot.from && ts < t->hot.to;
}

/* trend_cells_find, quickly of a stamp of that second. */
static inline unsigned trend_cells_at(struct trend *t, uint64_t ts, struct trend_cell *out[TREND_TIER_COUNT])
{
	if (!trend_is_hot(t, ts))
		return trend_cells_find(t, ts, out);
	out[0] = t->hot.cell;
	return 1;
}

/* Add something to all steps of a stretch of time: to the seconds that are kept and, for the time before
 * these, to the longer steps. */
void trend_spread(struct trend *t, uint64_t from, uint64_t to, trend_part_add *add, const void *what);

/* Limit what a target can have spread.  Returns where to begin. */
uint64_t trend_spread_from(struct trend *t, uint64_t from, uint64_t to);

/* Add a pause to the histograms of its steps. */
void trend_hists_count(struct trend *t, uint64_t end, uint64_t duration);
