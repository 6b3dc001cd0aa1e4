/*
 * trend_read.c - sum up the steps of a trend.
 *
 * When a step is read, the tail counts as seen, and an open histogram gives its current percentiles.
 */
#include "watch/trend_private.h"

#include <limits.h>
#include <math.h>

#include "core/sum.h"

#define SEEN_LEAST (TREND_SECOND / 2) /* time that a rate needs */

bool trend_range(const struct trend *t, uint64_t *from, uint64_t *to)
{
	*from = t->seen_from;
	*to = t->tail_to > t->settled ? t->tail_to : t->settled;
	return t->seen;
}

uint64_t trend_step(unsigned tier)
{
	return trend_tier_rows[tier].length;
}

unsigned trend_tier_of(const struct trend *t, uint64_t ts)
{
	unsigned tier = 0;

	while (tier < TREND_TIER_COUNT && !trend_keeps(t, tier, ts / trend_tier_rows[tier].length))
		tier++;
	/* A stamp later than all steps belongs to the finest tier. */
	if (tier == TREND_TIER_COUNT && t->tiers[0].begun && ts / TREND_SECOND > t->tiers[0].head)
		return 0;
	return tier;
}

size_t trend_marks(const struct trend *t, enum trend_mark_kind kind)
{
	uint64_t count = t->marks[kind].count;

	return count < TREND_MARKS_KEPT ? (size_t)count : TREND_MARKS_KEPT;
}

const struct trend_mark *trend_mark_at(const struct trend *t, enum trend_mark_kind kind, size_t index)
{
	const struct trend_ring *ring = &t->marks[kind];
	uint64_t first = ring->count - trend_marks(t, kind);

	return index < trend_marks(t, kind) ? &ring->marks[(first + index) % TREND_MARKS_KEPT] : NULL;
}

/* Return the open histogram of a step; NULL when there is none. */
static const struct trend_hist *hist_open(const struct trend *t, unsigned tier, uint64_t step)
{
	const struct trend_tier_row *row = &trend_tier_rows[tier];

	for (unsigned i = row->first_hist; i < row->first_hist + row->hists; i++)
		if (t->hists[i].used && t->hists[i].step == step)
			return &t->hists[i];
	return NULL;
}

/* ---- one step after the other ---- */

/* Extend a range by a value. */
static void within(struct trend_value *v, double low, double high)
{
	if (isnan(v->low) || low < v->low)
		v->low = low;
	if (isnan(v->high) || high > v->high)
		v->high = high;
}

/* The state of a sum over steps.  A flag is set if a figure is not known in one of them. */
struct reading {
	const struct trend *t;
	unsigned tier;
	bool late;		     /* percentiles */
	bool uncounted;		     /* events */
	double cpu_ns, throttled_ns; /* the latter NAN until known */
	struct trend_span *out;
};

/* Add the percentiles of a step. */
static void read_percentiles(struct reading *r, uint64_t step, const struct trend_cell *cell)
{
	struct trend_value *p50 = &r->out->figures[TREND_P50], *p99 = &r->out->figures[TREND_P99];
	const struct trend_hist *h = hist_open(r->t, r->tier, step);

	if (cell->pauses == 0)
		return;
	if ((cell->flags & TREND_LATE) != 0 || (h == NULL && (cell->flags & TREND_CLOSED) == 0)) {
		r->late = true;
		return;
	}
	double low = h != NULL ? (double)trend_hist_percentile(h, 50, 100) : (double)cell->p50;
	double high = h != NULL ? (double)trend_hist_percentile(h, 99, 100) : (double)cell->p99;
	within(p50, low, low);
	within(p99, high, high);
}

/* Add the extremes of a step: of a second its own values, of a longer step those of its seconds.  As in a
 * longer step, a second of which little was seen, or of which events were lost, gives none. */
static void read_extremes(struct reading *r, const struct trend_cell *cell, uint64_t seen, uint64_t observed)
{
	struct trend_value *figures = r->out->figures;
	double seconds = (double)seen / (double)TREND_SECOND;

	if (r->tier > 0 && (cell->flags & TREND_FOLDED) != 0) {
		within(&figures[TREND_GC], cell->gc_low / TREND_SHARE_ONE, cell->gc_high / TREND_SHARE_ONE);
		within(&figures[TREND_ALLOCATED], (double)cell->allocated_low, (double)cell->allocated_high);
		within(&figures[TREND_PROMOTED], (double)cell->promoted_low, (double)cell->promoted_high);
	} else if (r->tier == 0 && seen >= SEEN_LEAST && (cell->flags & TREND_LOSSY) == 0) {
		double share = observed != 0 ? (double)cell->gc_ns / (double)observed : 0;
		within(&figures[TREND_GC], share, share);
		within(&figures[TREND_ALLOCATED], (double)cell->allocated / seconds,
		    (double)cell->allocated / seconds);
		within(&figures[TREND_PROMOTED], (double)cell->promoted / seconds,
		    (double)cell->promoted / seconds);
	}
}

/* Return the time of a step in pauses that are still open, all domains together. */
static uint64_t open_in(const struct trend *t, uint64_t begin, uint64_t end)
{
	uint64_t sum = 0, from, to = t->tail_to < end ? t->tail_to : end;

	for (unsigned i = 0; i < t->open_count; i++) {
		from = t->open[i] > begin ? t->open[i] : begin;
		sum += to > from ? to - from : 0;
	}
	return sum;
}

/* Return how much of the tail lies in a step. */
static uint64_t tail_in(const struct trend *t, uint64_t begin, uint64_t end)
{
	uint64_t from = t->settled > begin ? t->settled : begin, to = t->tail_to < end ? t->tail_to : end;

	return to > from ? to - from : 0;
}

/* Add the heap of a step. */
static void read_heap(struct reading *r, const struct trend_cell *cell, bool kept, uint64_t tail)
{
	const struct trend *t = r->t;
	struct trend_value *heap = &r->out->figures[TREND_HEAP];

	if (t->heap_late)
		return;
	if (kept && (cell->flags & TREND_HAS_HEAP) != 0) {
		within(heap, (double)cell->heap.low, (double)cell->heap.high);
		heap->value = (double)cell->heap.last;
	} else if (tail != 0 && t->heaps > 0) {
		within(heap, t->heap, t->heap);
		heap->value = t->heap;
	}
}

/* Add the kernel's figures of a step. */
static void read_system(struct reading *r, const struct trend_cell *cell)
{
	struct trend_value *figures = r->out->figures;

	r->out->sampled_ns += cell->sampled_us * UINT64_C(1000);
	r->cpu_ns += (double)cell->cpu * TREND_CPU_NS;
	if ((cell->flags & TREND_HAS_THROTTLED) != 0)
		r->throttled_ns = (isnan(r->throttled_ns) ? 0 : r->throttled_ns) + cell->throttled_us * 1e3;
	if ((cell->flags & TREND_HAS_RESIDENT) != 0) {
		within(&figures[TREND_RESIDENT], (double)cell->resident.low, (double)cell->resident.high);
		figures[TREND_RESIDENT].value = (double)cell->resident.last;
	}
}

/* Add the steps from `first` to `last`, which are one, or which all have no cell. */
static void read_steps(struct reading *r, uint64_t first, uint64_t last)
{
	static const struct trend_cell empty;
	const struct trend *t = r->t;
	struct trend_span *out = r->out;
	uint64_t begin = first * trend_tier_rows[r->tier].length,
		 end = (last + 1) * trend_tier_rows[r->tier].length;
	bool kept = trend_keeps(t, r->tier, first);
	const struct trend_cell *cell = kept ? trend_cell_of(t, r->tier, first) : &empty;
	uint64_t tail = tail_in(t, begin, end), seen = cell->seen_ns + tail;

	if (out->steps == 0)
		out->from = begin;
	out->steps =
	    (unsigned)(last - first < UINT_MAX - out->steps ? out->steps + last - first + 1 : UINT_MAX);
	out->to = end;
	uint64_t observed = cell->observed_ns + tail * t->alive;
	out->seen_ns += seen;
	out->observed_ns += observed;
	out->gc_ns = sum_saturating(out->gc_ns, sum_saturating(cell->gc_ns, open_in(t, begin, end)));
	out->lossy |= (cell->flags & TREND_LOSSY) != 0 || cell->lost_words != 0;
	out->pauses += cell->pauses;
	out->allocated = sum_saturating(out->allocated, cell->allocated);
	out->promoted = sum_saturating(out->promoted, cell->promoted);
	out->events += cell->events;
	out->lost_words += cell->lost_words;
	read_system(r, cell);
	out->pause_max = cell->pause_max > out->pause_max ? cell->pause_max : out->pause_max;
	/* The events around the loss were counted together with those in it. */
	bool unread = (cell->flags & TREND_UNREAD) != 0;
	if (seen == 0) {
		r->uncounted |= unread;
		return;
	}
	r->uncounted |= ((cell->flags & TREND_COUNTED) == 0 && cell->seen_ns != 0) || unread;
	read_percentiles(r, first, cell);
	read_extremes(r, cell, seen, observed);
	read_heap(r, cell, kept, tail);
}

/* ---- figures of the sum ---- */

/* Return a sum per second of the seen time. */
static double per_second(const struct trend_span *s, uint64_t sum)
{
	return (double)sum * (double)TREND_SECOND / (double)s->seen_ns;
}

/* Compute a percentile: exact for one step, else within those of the steps. */
static void percentile(struct trend_value *v, const struct reading *r)
{
	if (r->late || r->out->pauses == 0)
		*v = (struct trend_value){NAN, NAN, NAN};
	else if (r->out->steps == 1 || v->low == v->high)
		v->value = v->high;
}

/* Compute the figures from the sums. */
static void work_out(const struct reading *r)
{
	static const enum trend_figure means[] = {TREND_GC, TREND_ALLOCATED, TREND_PROMOTED};

	const struct trend *t = r->t;
	struct trend_span *s = r->out;
	struct trend_value *f = s->figures;

	bool known = s->seen_ns >= SEEN_LEAST;

	if (s->observed_ns != 0 && known)
		f[TREND_GC].value = (double)s->gc_ns / (double)s->observed_ns;
	percentile(&f[TREND_P50], r);
	percentile(&f[TREND_P99], r);
	if (s->pauses != 0)
		f[TREND_MAX].value = f[TREND_MAX].high = (double)s->pause_max;
	f[TREND_LOST].value = (double)s->lost_words;
	if (known) {
		f[TREND_PAUSES].value = per_second(s, s->pauses);
		f[TREND_ALLOCATED].value = per_second(s, s->allocated);
		f[TREND_PROMOTED].value = per_second(s, s->promoted);
	}
	if (known && !r->uncounted)
		f[TREND_EVENTS].value = per_second(s, s->events);
	/* Some seconds have no rate of their own; the mean lies within those of all. */
	for (size_t i = 0; i < sizeof(means) / sizeof(means[0]); i++)
		if (!isnan(f[means[i]].value) && !isnan(f[means[i]].low) && !s->lossy)
			within(&f[means[i]], f[means[i]].value, f[means[i]].value);
	if (!t->has_allocated)
		f[TREND_ALLOCATED] = (struct trend_value){NAN, NAN, NAN};
	if (!t->has_promoted)
		f[TREND_PROMOTED] = (struct trend_value){NAN, NAN, NAN};
}

bool trend_read_tier(struct trend *t, unsigned tier, uint64_t from, uint64_t to, struct trend_span *out)
{
	struct reading r = {.t = t, .tier = tier, .throttled_ns = NAN, .out = out};
	uint64_t length = trend_tier_rows[tier].length;

	trend_flush(t);
	*out = (struct trend_span){.from = from, .to = to};
	for (int f = 0; f < TREND_FIGURE_COUNT; f++)
		out->figures[f] = (struct trend_value){NAN, NAN, NAN};
	if (to <= from || !t->seen)
		return false;
	uint64_t first = from / length + (from % length != 0), last = (to - 1) / length;
	/* A stretch within one step reads that step. */
	if (first * length >= to)
		first = last;
	const struct trend_tier *ring = &t->tiers[tier];
	uint64_t newest = t->tail_to / length > ring->head ? t->tail_to / length : ring->head;
	if (ring->begun && ring->head >= trend_tier_rows[tier].steps &&
	    first <= ring->head - trend_tier_rows[tier].steps)
		first = ring->head - trend_tier_rows[tier].steps + 1;
	if (last > newest)
		last = newest;
	for (; ring->begun && first <= last && first <= ring->head; first++)
		read_steps(&r, first, first);
	/* Only the tail lies in later steps, which can be any number. */
	if (first <= last)
		read_steps(&r, first, last);
	if (out->sampled_ns != 0) {
		out->figures[TREND_CPU].value = r.cpu_ns / (double)out->sampled_ns;
		out->figures[TREND_THROTTLED].value = r.throttled_ns / (double)out->sampled_ns;
	}
	if (out->seen_ns == 0)
		return false;
	work_out(&r);
	return true;
}

bool trend_read(struct trend *t, uint64_t from, uint64_t to, struct trend_span *out)
{
	unsigned finest = trend_tier_of(t, from), tier = TREND_TIER_COUNT - 1;

	while (
	    tier > 0 && (from % trend_tier_rows[tier].length != 0 || to % trend_tier_rows[tier].length != 0))
		tier--;
	/* When no tier goes back far enough, read the longest. */
	if (tier < finest)
		tier = finest < TREND_TIER_COUNT ? finest : TREND_TIER_COUNT - 1;
	return trend_read_tier(t, tier, from, to, out);
}
