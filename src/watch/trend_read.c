/*
 * trend_read.c - sum up the steps of a trend.
 *
 * When a step is read, the tail counts as seen, and an open histogram gives its current percentiles.
 */
#include "watch/trend_private.h"

#include "core/sum.h"
#include "figures/figures.h"

bool trend_range(const struct trend *t, uint64_t *from, uint64_t *to)
{
	*from = t->seen_from;
	*to = t->tail_to > t->settled ? t->tail_to : t->settled;
	return t->seen;
}

/* Return the finest tier whose steps go back to a stamp; TREND_TIER_COUNT: none. */
static unsigned tier_of(const struct trend *t, uint64_t ts)
{
	unsigned tier = 0;

	while (tier < TREND_TIER_COUNT && !trend_keeps(t, tier, ts / trend_tier_rows[tier].length))
		tier++;
	/* A stamp later than all steps belongs to the finest tier. */
	if (tier == TREND_TIER_COUNT && t->begun && ts / TREND_SECOND > t->head)
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

uint64_t trend_tail_in(const struct trend *t, uint64_t begin, uint64_t end)
{
	uint64_t from = t->settled > begin ? t->settled : begin, to = t->tail_to < end ? t->tail_to : end;

	return to > from ? to - from : 0;
}

uint64_t trend_open_in(const struct trend *t, uint64_t begin, uint64_t end)
{
	uint64_t sum = 0, from, to = t->tail_to < end ? t->tail_to : end;

	for (unsigned i = 0; i < t->open_count; i++) {
		from = t->open[i] > begin ? t->open[i] : begin;
		sum += to > from ? to - from : 0;
	}
	return sum;
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
	double cpu_ns, throttled_ns; /* NAN until known */
	struct trend_span *out;
};

/* Add the percentiles of a step. */
static void read_percentiles(struct reading *r, uint64_t step, const struct trend_cell *cell)
{
	struct trend_value *p50 = &r->out->figures[TREND_P50], *p99 = &r->out->figures[TREND_P99];
	const struct trend_hist *h = trend_hist_open(r->t, r->tier, step);

	if ((cell->flags & TREND_LATE) != 0 || (h == NULL && (cell->flags & TREND_CLOSED) == 0)) {
		r->late = true;
		return;
	}
	double low = h != NULL ? (double)trend_hist_percentile(h, 50, 100) : (double)cell->p50;
	double high = h != NULL ? (double)trend_hist_percentile(h, 99, 100) : (double)cell->p99;
	within(p50, low, low);
	within(p99, high, high);
}

/* Add the least and the largest of the seconds of a step. */
static void read_rates(struct reading *r, const struct trend_cell *c)
{
	static const enum trend_figure rates[TREND_RATES] = {
	    [TREND_RATE_GC] = TREND_GC,
	    [TREND_RATE_ALLOCATED] = TREND_ALLOCATED,
	    [TREND_RATE_PROMOTED] = TREND_PROMOTED,
	};

	if ((c->flags & (TREND_RATED | TREND_UNRATED)) != TREND_RATED)
		return;
	for (int i = 0; i < TREND_RATES; i++)
		if (!isnan(c->low[i]))
			within(&r->out->figures[rates[i]], (double)c->low[i], (double)c->high[i]);
}

/* Add a level. */
static void read_level(struct trend_value *v, const struct trend_level *level)
{
	within(v, (double)level->low, (double)level->high);
	v->value = (double)level->last;
}

/* Add a kept step: its cell, and its seconds that are kept. */
static void read_step(struct reading *r, uint64_t step)
{
	const struct trend *t = r->t;
	struct trend_span *out = r->out;
	uint64_t seconds = trend_tier_rows[r->tier].seconds, first = step * seconds;
	uint64_t begin = first * TREND_SECOND, end = begin + seconds * TREND_SECOND;
	const struct trend_cell *cell = &t->cells[trend_index(r->tier, step)];
	struct trend_cell sum = r->tier == 0 ? (struct trend_cell){0} : *cell;

	/* The last seconds of a longer step that is not over may not have been read yet. */
	for (uint64_t k = first; k < first + seconds; k++)
		if (trend_keeps(t, 0, k))
			trend_fold(t, &sum, k, r->tier == 0 || (k + 1) * TREND_SECOND <= t->read_to);
	if (r->tier > 0 && trend_unseen(&sum)) {
		sum.flags |= TREND_UNCOUNTED;
		sum.seen_ns = 0;
	}
	uint64_t tail = trend_tail_in(t, begin, end), seen = sum.seen_ns + tail;
	out->from = out->steps++ == 0 ? begin : out->from;
	out->to = end;
	out->seen_ns += seen;
	out->observed_ns += sum.observed_ns + tail * t->alive;
	out->gc_ns = sum_saturating(out->gc_ns, sum_saturating(sum.gc_ns, trend_open_in(t, begin, end)));
	out->lossy |= (sum.flags & TREND_LOSSY) != 0 || sum.lost_words != 0;
	out->pauses += sum.pauses;
	out->pause_max = sum.pause_max > out->pause_max ? sum.pause_max : out->pause_max;
	out->allocated = sum_saturating(out->allocated, sum.allocated);
	out->promoted = sum_saturating(out->promoted, sum.promoted);
	out->events += sum.events;
	out->lost_words += sum.lost_words;
	out->sampled_ns += sum.sampled_ms * UINT64_C(1000000);
	r->cpu_ns += (double)sum.cpu_ns;
	if ((sum.flags & TREND_HAS_THROTTLED) != 0)
		r->throttled_ns = (isnan(r->throttled_ns) ? 0 : r->throttled_ns) + (double)sum.throttled_ns;
	if ((sum.flags & TREND_HAS_RESIDENT) != 0)
		read_level(&out->figures[TREND_RESIDENT], &sum.resident);
	/* Events around a loss were counted together with those in it. */
	r->uncounted |= (sum.flags & TREND_UNCOUNTED) != 0;
	if (seen == 0)
		return;
	r->uncounted |= !t->counts_events || end <= t->counted_from;
	read_rates(r, &sum);
	if (sum.pauses != 0)
		read_percentiles(r, step, cell);
	if ((sum.flags & TREND_HAS_HEAP) != 0 && !t->heap_late)
		read_level(&out->figures[TREND_HEAP], &sum.heap);
}

/* ---- figures of the sum ---- */

/* Compute a percentile: exact for one step, else bounded by those of the steps. */
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

	bool known = s->seen_ns >= TREND_RATE_LEAST;

	if (known)
		f[TREND_GC].value = figure_share((double)s->gc_ns, (double)s->observed_ns);
	percentile(&f[TREND_P50], r);
	percentile(&f[TREND_P99], r);
	if (s->pauses != 0)
		f[TREND_MAX].value = f[TREND_MAX].high = (double)s->pause_max;
	/* While memory alone tells of the target, nothing is known of its events. */
	const bool events = s->observed_ns != 0;
	if (events || s->lost_words != 0)
		f[TREND_LOST].value = (double)s->lost_words;
	if (known && events)
		f[TREND_PAUSES].value = figure_rate((double)s->pauses, s->seen_ns);
	if (known) {
		f[TREND_ALLOCATED].value = figure_rate((double)s->allocated, s->seen_ns);
		f[TREND_PROMOTED].value = figure_rate((double)s->promoted, s->seen_ns);
	}
	if (known && events && !r->uncounted)
		f[TREND_EVENTS].value = figure_rate((double)s->events, s->seen_ns);
	/* Some seconds have no rate of their own; the mean lies within the range of the others. */
	for (size_t i = 0; i < sizeof(means) / sizeof(means[0]); i++)
		if (!isnan(f[means[i]].value) && !isnan(f[means[i]].low) && !s->lossy)
			within(&f[means[i]], f[means[i]].value, f[means[i]].value);
	if (!t->has_allocated)
		f[TREND_ALLOCATED] = (struct trend_value){NAN, NAN, NAN};
	if (!t->has_promoted)
		f[TREND_PROMOTED] = (struct trend_value){NAN, NAN, NAN};
}

bool trend_read_tier(const struct trend *t, unsigned tier, uint64_t from, uint64_t to, struct trend_span *out)
{
	struct reading r = {.t = t, .tier = tier, .throttled_ns = NAN, .out = out};
	const struct trend_tier_row *row = &trend_tier_rows[tier];
	uint64_t head = t->head / row->seconds;

	*out = (struct trend_span){.from = from, .to = to};
	for (int f = 0; f < TREND_FIGURE_COUNT; f++)
		out->figures[f] = (struct trend_value){NAN, NAN, NAN};
	if (to <= from || !t->seen)
		return false;
	uint64_t first = from / row->length + (from % row->length != 0), last = (to - 1) / row->length;
	/* A period within one step reads that step. */
	if (first * row->length >= to)
		first = last;
	if (head >= row->steps && first <= head - row->steps)
		first = head - row->steps + 1;
	for (; first <= last && first <= head; first++)
		read_step(&r, first);
	if (out->sampled_ns != 0) {
		out->figures[TREND_CPU].value = r.cpu_ns / (double)out->sampled_ns;
		out->figures[TREND_THROTTLED].value = r.throttled_ns / (double)out->sampled_ns;
	}
	if (out->seen_ns == 0)
		return false;
	work_out(&r);
	return true;
}

bool trend_read(const struct trend *t, uint64_t from, uint64_t to, struct trend_span *out)
{
	unsigned finest = tier_of(t, from), tier = TREND_TIER_COUNT - 1;

	while (
	    tier > 0 && (from % trend_tier_rows[tier].length != 0 || to % trend_tier_rows[tier].length != 0))
		tier--;
	/* If no tier goes back far enough, the longest one is read. */
	if (tier < finest)
		tier = finest < TREND_TIER_COUNT ? finest : TREND_TIER_COUNT - 1;
	return trend_read_tier(t, tier, from, to, out);
}

/* ---- names ---- */

const char *trend_mark_name(enum trend_mark_kind kind)
{
	static const char *const names[TREND_MARK_COUNT] = {TREND_MARKS(LIST_TEXT)};
	return names[kind];
}

const char *trend_figure_name(enum trend_figure figure)
{
	static const char *const names[TREND_FIGURE_COUNT] = {TREND_FIGURES(LIST_TEXT)};
	return names[figure];
}

enum unit trend_figure_unit(enum trend_figure figure)
{
	static const uint8_t units[TREND_FIGURE_COUNT] = {TREND_FIGURES(LIST_UNIT)};
	return (enum unit)units[figure];
}
