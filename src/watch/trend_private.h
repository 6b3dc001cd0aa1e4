/*
 * trend_private.h - internals of a trend: trend.c counts events, trend_now.c those of the current second,
 * trend_time.c the time in which they could be observed, and trend_read.c reads.
 *
 * A tier is a ring of cells: step k is at index k mod size, for the steps head - size + 1 .. head.  `begun`
 * is false until the first step.  A *histogram* belongs to a step of a tier while more pauses may come for
 * it.  It is then given to a later step, and the cell keeps the percentiles.
 */
#ifndef WATCH_TREND_PRIVATE_H
#define WATCH_TREND_PRIVATE_H

#include "core/sum.h"
#include "watch/trend.h"

#define TREND_SECOND UINT64_C(1000000000)

enum {
#define TREND_TIER_STEPS(name, seconds, steps) TREND_##name##_STEPS = (steps),
	TREND_TIERS(TREND_TIER_STEPS)
#undef TREND_TIER_STEPS
#define TREND_TIER_SUM(name, seconds, steps) +(steps)
	    TREND_CELLS = 0 TREND_TIERS(TREND_TIER_SUM),
#undef TREND_TIER_SUM
	TREND_HISTS = 12,      /* histograms of all tiers */
	TREND_HEAPS = 1024,    /* values of heaps that wait for their turn */
	TREND_UNREAD_MAX = 16, /* losses of a second or more since the last look */
	TREND_ENDED = 512      /* lives of domains that ended since the last look */
};

enum trend_flag {
	TREND_CLOSED = 1,   /* the percentiles are final */
	TREND_LATE = 2,	    /* a pause came after the step was closed */
	TREND_HAS_HEAP = 4, /* the levels are set */
	TREND_COUNTED = 8,  /* the number of events is set */
	TREND_FOLDED = 16,  /* the extremes are set */
	TREND_HAS_RESIDENT = 32,
	TREND_HAS_THROTTLED = 64,
	TREND_LOSSY = 128, /* events of the step were lost */
	TREND_UNREAD =
	    256 /* of all of it, or of some seconds, nothing else is known: they do not count as seen */
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
	uint32_t sampled_us; /* time covered by the kernel's figures: */
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

/* The state of a domain. */
struct trend_domain {
	uint64_t since; /* counted up to this stamp */
	float heap;
	bool noticed, alive, has_heap;
};

/* A life that ended, with the part that is not counted yet. */
struct trend_life {
	uint64_t from, to;
};

/* A stretch of time of which the events of a domain were lost. */
struct trend_unread {
	uint64_t from, to;
};

/* A value of a domain's heap.  Rings are read one after the other, so values wait until those of other
 * domains before them have come: a sum of old and new ones would be of no time. */
struct trend_heap_value {
	uint64_t ts;
	float words;
	unsigned domain;
};

/* The second that the last event fell into, and the steps it lies in. */
struct trend_hot {
	uint64_t from, to;			    /* `to` is 0 when there is none */
	struct trend_cell *cells[TREND_TIER_COUNT]; /* NULL: no longer kept */
	struct trend_hist *hists[TREND_TIER_COUNT]; /* NULL: not looked up yet */
};

/*
 * What came in that second and is not in its cells and histograms yet.  It is added to them when another
 * second begins, and before they are read: trend_flush.
 */
struct trend_now {
	uint64_t from, to;    /* stamps that are counted here; `to` is 0 when there are none */
	uint32_t room, given; /* pauses that may still come, and that at first might */
	uint64_t gc_ns, allocated, promoted;
	uint64_t min, max; /* of the pauses */
	uint32_t counts[HIST_PLACES];
};

struct trend_tier {
	bool begun;
	uint64_t head;
};

struct trend_ring {
	uint64_t count; /* number of marks ever set */
	struct trend_mark marks[TREND_MARKS_KEPT];
};

struct trend {
	bool live;
	uint64_t attach_ts;
	uint64_t begin_at; /* earlier stamps have been counted elsewhere */
	uint64_t latest;   /* stamps far beyond it are invalid */
	bool has_allocated, has_promoted, has_pauses;
	uint64_t sampled_to; /* samples up to here have been added */

	bool seen; /* the seen time has begun: */
	uint64_t seen_from;
	uint64_t settled; /* and is counted up to here */
	uint64_t tail_to; /* the tail ends here */
	unsigned alive;	  /* number of domains */
	bool stopped;	  /* the latest of ring_start and ring_stop was a ring_stop: */
	uint64_t stop_ts;
	uint64_t folded;    /* earlier seconds have been folded into the longer steps */
	uint64_t marked_to; /* pauses of the target that ended before have a mark */

	uint64_t heap_ts; /* the level is in the cells up to here */
	double heap;
	unsigned heaps; /* number of domains in the sum; 0: not known */
	bool heap_late; /* of a file: past sums are not known */

	unsigned domain_limit;
	struct trend_domain domains[MODEL_DOMAINS_MAX];
	unsigned ended_count;
	struct trend_life ended[TREND_ENDED];

	unsigned waiting_count;
	struct trend_heap_value waiting[TREND_HEAPS]; /* ascending */

	unsigned unread_count;
	struct trend_unread unread[TREND_UNREAD_MAX];

	unsigned open_count; /* pauses that were open at the last look: */
	uint64_t open[MODEL_DOMAINS_MAX];

	struct trend_tier tiers[TREND_TIER_COUNT];
	struct trend_hot hot;
	struct trend_now now;
	uint64_t spreads; /* steps that pauses may still be spread over until the next look */
	struct trend_ring marks[TREND_MARK_COUNT];
	struct trend_cell cells[TREND_CELLS];
	struct trend_hist hists[TREND_HISTS];
};

/* The table of tiers. */
struct trend_tier_row {
	uint64_t length;
	unsigned first, steps; /* its cells */
	unsigned first_hist, hists;
};
extern const struct trend_tier_row trend_tier_rows[TREND_TIER_COUNT];

/* Return whether a tier keeps a step. */
static inline bool trend_keeps(const struct trend *t, unsigned tier, uint64_t step)
{
	const struct trend_tier *r = &t->tiers[tier];

	return r->begun && step <= r->head && r->head - step < trend_tier_rows[tier].steps;
}

/* Return the cell of a kept step. */
static inline const struct trend_cell *trend_cell_of(const struct trend *t, unsigned tier, uint64_t step)
{
	const struct trend_tier_row *row = &trend_tier_rows[tier];

	return &t->cells[row->first + step % row->steps];
}

/* Return the cell of a step; NULL when it is no longer kept.  A later step than the head becomes the head. */
struct trend_cell *trend_cell_make(struct trend *t, unsigned tier, uint64_t step);

/* Add to a 32-bit counter, which saturates. */
static inline void trend_add_32(uint32_t *to, uint64_t more)
{
	*to = more > UINT32_MAX - *to ? UINT32_MAX : *to + (uint32_t)more;
}

/* Stop counting steps as seen of which all was lost, up to a stamp that is settled. */
void trend_unread_settle(struct trend *t, uint64_t to);

/* Return whether a stamp is plausible. */
bool trend_plausible(const struct trend *t, uint64_t ts);

/* Store the heap's level in all steps up to a stamp. */
void trend_heap_reach(struct trend *t, uint64_t ts);

/* Take the values of heaps that wait, up to a stamp. */
void trend_heap_take(struct trend *t, uint64_t ts);

/* The set of domains with a heap changes at a stamp. */
void trend_heap_sum(struct trend *t, uint64_t ts);

/* Add a value to a level. */
void trend_level_take(struct trend_level *level, bool known, float value);

/* Return whether a second gives a rate, having been seen for so long. */
static inline bool trend_folds(const struct trend_cell *second, uint64_t seen)
{
	return seen >= TREND_SECOND / 2 && (second->flags & TREND_LOSSY) == 0;
}

/* Take a stretch that was lost out of the observed time of a domain. */
void trend_unobserve(struct trend *t, const struct model *m, unsigned domain, uint64_t from, uint64_t to);

/* Fold a second into the longer step that it lies in: update the least and the largest. */
void trend_fold(struct trend_cell *cell, const struct trend_cell *second, uint64_t seen, uint64_t observed);

/* Return a percentile of an open step. */
uint64_t trend_hist_percentile(const struct trend_hist *h, unsigned num, unsigned den);

/* ---- the current second ---- */

/* Count in `now` what comes in the second of `hot`, if its cells and histograms are at hand. */
void trend_now_begin(struct trend *t);

/* Add what was counted there to the cells; and leave the second. */
void trend_flush(struct trend *t);
void trend_now_end(struct trend *t);

/* Events of any stamp. */
void trend_pause_any(struct trend *t, uint64_t begin, uint64_t end);
void trend_allocated_any(struct trend *t, uint64_t ts, int64_t bytes);
void trend_promoted_any(struct trend *t, uint64_t ts, int64_t bytes);

/* A pause of the program ended, not before it began; its duration has this hist_place. */
static inline void trend_take_pause(struct trend *t, uint64_t begin, uint64_t end, unsigned place)
{
	struct trend_now *now = &t->now;
	uint64_t duration = end - begin;

	if (begin < now->from || end >= now->to || now->room == 0) {
		trend_pause_any(t, begin, end);
		return;
	}
	now->room--;
	now->gc_ns += duration;
	if (duration < now->min)
		now->min = duration;
	if (duration > now->max)
		now->max = duration;
	now->counts[place]++;
}

/* Return whether bytes are counted in `now`. */
static inline bool trend_takes_bytes(const struct trend *t, uint64_t ts, int64_t bytes)
{
	return ts >= t->now.from && ts < t->now.to && bytes >= 0;
}

/* Bytes were allocated in the minor heap, or promoted from it. */
static inline void trend_take_allocated(struct trend *t, uint64_t ts, int64_t bytes)
{
	if (!trend_takes_bytes(t, ts, bytes)) {
		trend_allocated_any(t, ts, bytes);
		return;
	}
	t->has_allocated = true;
	t->now.allocated = sum_saturating(t->now.allocated, (uint64_t)bytes);
}

static inline void trend_take_promoted(struct trend *t, uint64_t ts, int64_t bytes)
{
	if (!trend_takes_bytes(t, ts, bytes)) {
		trend_promoted_any(t, ts, bytes);
		return;
	}
	t->has_promoted = true;
	t->now.promoted = sum_saturating(t->now.promoted, (uint64_t)bytes);
}

#endif
