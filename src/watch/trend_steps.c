/*
 * trend_steps.c - the steps of a trend: find those of a stamp, spread something over those of a stretch of time, fold
 * seconds into longer steps, keep percentiles, and sum steps up.
 *
 * A cell that is no longer kept is zeroed before it is reused.  TREND_CLOSED is set when the histogram of a step with
 * pauses is given up, and only if the cell has percentiles.  The histograms of a tier belong to different steps.
 *
 * When a step is read, the tail counts as seen, and an open histogram gives its current percentiles.
 */
#include "watch/trend_private.h"

#include "figures/figures.h"
#include "core/sum.h"

/* The table of tiers. */
struct tier {
	uint64_t length, seconds;
	unsigned first, steps; /* its cells in the array */
	unsigned first_hist, hists;
};
static const struct tier tiers[TREND_TIER_COUNT] = {
    {1 * TREND_SECOND, 1, 0, TREND_SECONDS_STEPS, 0, 8},
    {5 * TREND_SECOND, 5, TREND_SECONDS_STEPS, TREND_FIVES_STEPS, 8, 2},
    {60 * TREND_SECOND, 60, TREND_SECONDS_STEPS + TREND_FIVES_STEPS, TREND_MINUTES_STEPS, 10, 2},
};

/* Return whether a tier keeps a step. */
static bool keeps(const struct trend *t, unsigned tier, uint64_t step)
{
	uint64_t head = t->head / tiers[tier].seconds;

	return t->begun && step <= head && head - step < tiers[tier].steps;
}

/* Return the index of the cell of a kept step. */
static size_t index_of(unsigned tier, uint64_t step)
{
	return tiers[tier].first + step % tiers[tier].steps;
}

void trend_level_add(struct trend_level *to, bool known, const struct trend_level *more)
{
	to->low = !known || more->low < to->low ? more->low : to->low;
	to->high = !known || more->high > to->high ? more->high : to->high;
	to->last = more->last;
}

void trend_rate_add(struct trend_cell *c, const float rates[TREND_RATES])
{
	bool known = (c->flags & TREND_RATED) != 0;

	for (int i = 0; i < TREND_RATES; i++) {
		/* For a second that was read from memory only the share of GC is unknown. */
		const bool first = !known || isnan(c->low[i]);
		c->low[i] = first || rates[i] < c->low[i] ? rates[i] : c->low[i];
		c->high[i] = first || rates[i] > c->high[i] ? rates[i] : c->high[i];
	}
	c->flags |= TREND_RATED;
}

/* Return how much of the tail lies in [begin, end). */
static uint64_t tail_in(const struct trend *t, uint64_t begin, uint64_t end)
{
	uint64_t from = t->settled > begin ? t->settled : begin, to = t->tail_to < end ? t->tail_to : end;

	return to > from ? to - from : 0;
}

/* Return the time of [begin, end) in pauses that are still open, all domains together. */
static uint64_t open_in(const struct trend *t, uint64_t begin, uint64_t end)
{
	uint64_t sum = 0, from, to = t->tail_to < end ? t->tail_to : end;

	for (unsigned i = 0; i < t->open_count; i++) {
		from = t->open[i] > begin ? t->open[i] : begin;
		sum += to > from ? to - from : 0;
	}
	return sum;
}

/* Return whether a step counts as not seen: the events of a domain were lost, and no other domain had events
 * in it. */
static bool unseen(const struct trend_cell *c)
{
	return (c->flags & TREND_UNREAD) != 0 && (c->gc_ns | c->allocated | c->promoted | c->pauses) == 0;
}

/* Add a kept second to a sum; `rated`: also its rates, if it was seen for long enough. */
static void fold_second(const struct trend *t, struct trend_cell *into, uint64_t second, bool rated)
{
	const struct trend_cell *c = &t->cells[index_of(0, second)];
	uint64_t begin = second * TREND_SECOND, end = begin + TREND_SECOND;
	uint64_t tail = tail_in(t, begin, end), seen = c->seen_ns + tail;
	uint64_t observed = c->observed_ns + tail * t->alive;

	if ((c->flags & TREND_HAS_HEAP) != 0)
		trend_level_add(&into->heap, (into->flags & TREND_HAS_HEAP) != 0, &c->heap);
	if ((c->flags & TREND_HAS_RESIDENT) != 0)
		trend_level_add(&into->resident, (into->flags & TREND_HAS_RESIDENT) != 0, &c->resident);
	into->flags |= c->flags & (TREND_HAS_HEAP | TREND_HAS_RESIDENT | TREND_HAS_THROTTLED | TREND_LOSSY);
	into->gc_ns = sum_saturating(into->gc_ns, c->gc_ns);
	into->observed_ns += c->observed_ns;
	into->allocated = sum_saturating(into->allocated, c->allocated);
	into->promoted = sum_saturating(into->promoted, c->promoted);
	into->pause_max = c->pause_max > into->pause_max ? c->pause_max : into->pause_max;
	trend_add_32(&into->pauses, c->pauses);
	trend_add_32(&into->events, c->events);
	trend_add_32(&into->lost_words, c->lost_words);
	into->sampled_ms += c->sampled_ms;
	into->cpu_ns += c->cpu_ns;
	into->throttled_ns += c->throttled_ns;
	if (unseen(c))
		into->flags |= TREND_UNCOUNTED;
	else
		into->seen_ns += c->seen_ns;
	if (!rated || seen < TREND_RATE_LEAST || (c->flags & TREND_LOSSY) != 0)
		return;
	double gc = (double)c->gc_ns + (double)open_in(t, begin, end),
	       seconds = (double)seen / (double)TREND_SECOND;
	trend_rate_add(into, (float[]){[TREND_RATE_GC] = observed != 0 ? (float)(gc / (double)observed) : NAN,
				 [TREND_RATE_ALLOCATED] = (float)((double)c->allocated / seconds),
				 [TREND_RATE_PROMOTED] = (float)((double)c->promoted / seconds)});
}

/* Return the oldest second that is kept when a second is the latest. */
static uint64_t oldest_of(uint64_t head)
{
	return head >= TREND_SECONDS_STEPS ? head - TREND_SECONDS_STEPS + 1 : 0;
}

void trend_reach(struct trend *t, uint64_t second)
{
	if (t->begun && second <= t->head)
		return;
	t->hot.to = 0;
	for (uint64_t k = oldest_of(t->head); t->begun && k <= t->head && k < oldest_of(second); k++)
		for (unsigned tier = 1; tier < TREND_TIER_COUNT; tier++)
			fold_second(t, &t->cells[index_of(tier, k / tiers[tier].seconds)], k, true);
	for (unsigned tier = 0; t->begun && tier < TREND_TIER_COUNT; tier++) {
		const struct tier *row = &tiers[tier];
		uint64_t last = second / row->seconds, k = t->head / row->seconds;
		if (last - k > row->steps)
			k = last - row->steps;
		while (k++ < last)
			memset(&t->cells[index_of(tier, k)], 0, sizeof(t->cells[0]));
	}
	t->begun = true;
	t->head = second;
}

/* Make the second of a stamp the hot one.  Returns false if it is no longer kept. */
static inline bool hot_at(struct trend *t, uint64_t ts)
{
	if (trend_is_hot(t, ts))
		return true;
	uint64_t second = ts / TREND_SECOND;
	trend_reach(t, second);
	if (!keeps(t, 0, second))
		return false;
	t->hot = (struct trend_hot){.from = second * TREND_SECOND,
	    .to = (second + 1) * TREND_SECOND,
	    .cell = &t->cells[index_of(0, second)]};
	return true;
}

unsigned trend_cells_find(struct trend *t, uint64_t ts, struct trend_cell *out[TREND_TIER_COUNT])
{
	uint64_t second = ts / TREND_SECOND;
	unsigned count = 0;

	if (hot_at(t, ts)) {
		out[0] = t->hot.cell;
		return 1;
	}
	for (unsigned tier = 1; tier < TREND_TIER_COUNT; tier++) {
		uint64_t k = second / tiers[tier].seconds;
		if (!keeps(t, tier, k))
			continue;
		out[count] = &t->cells[index_of(tier, k)];
		out[count++]->flags |= TREND_UNRATED;
	}
	return count;
}

void trend_spread(struct trend *t, uint64_t from, uint64_t to, trend_part_add *add, const void *what)
{
	if (from >= to)
		return;
	trend_reach(t, (to - 1) / TREND_SECOND);
	uint64_t kept = oldest_of(t->head) * TREND_SECOND;
	for (unsigned tier = 0; tier < TREND_TIER_COUNT; tier++) {
		uint64_t length = tiers[tier].length;
		uint64_t begin = tier == 0 && from < kept ? kept : from,
			 end = tier > 0 && kept < to ? kept : to;
		uint64_t head = t->head / tiers[tier].seconds;
		uint64_t first = begin / length, oldest = head - tiers[tier].steps + 1;
		if (begin >= end)
			continue;
		if (head >= tiers[tier].steps && first < oldest)
			first = oldest;
		for (uint64_t k = first; k <= (end - 1) / length; k++) {
			uint64_t step = k * length, over = sum_saturating(step, length);
			struct trend_part part = {.from = step > begin ? step : begin,
			    .to = over < end ? over : end,
			    .whole = step >= from && over <= to,
			    .folded = tier > 0};
			add(&t->cells[index_of(tier, k)], &part, what);
		}
	}
}

uint64_t trend_spread_from(struct trend *t, uint64_t from, uint64_t to)
{
	uint64_t seconds = (to - from) / TREND_SECOND, most = TREND_CELLS;
	uint64_t cost = seconds < most ? seconds : most;

	if (cost > t->spreads)
		from = to - t->spreads * TREND_SECOND;
	t->spreads -= cost < t->spreads ? cost : t->spreads;
	return from;
}

/* ---- percentiles ---- */

/* Return a percentile of a histogram. */
static uint64_t percentile_of(const struct trend_hist *h, unsigned num, unsigned den)
{
	uint64_t rank = hist_rank(h->count, num, den), seen = 0;

	if (rank <= 1)
		return h->min;
	if (rank >= h->count)
		return h->max;
	for (uint64_t left = h->touched; left != 0; left &= left - 1) {
		unsigned octave = (unsigned)__builtin_ctzll(left);
		for (unsigned i = octave * HIST_OCTAVE_BUCKETS; i < (octave + 1) * HIST_OCTAVE_BUCKETS; i++) {
			seen += h->counts[i];
			if (seen < rank)
				continue;
			uint64_t middle = hist_place_middle(i);
			return middle < h->min ? h->min : middle > h->max ? h->max : middle;
		}
	}
	return h->max;
}

/* Return the histogram of a step; NULL: it has none any more. */
static const struct trend_hist *hist_open(const struct trend *t, unsigned tier, uint64_t step)
{
	const struct tier *row = &tiers[tier];

	for (unsigned i = row->first_hist; i < row->first_hist + row->hists; i++)
		if (t->hists[i].used && t->hists[i].step == step)
			return &t->hists[i];
	return NULL;
}

/* Close a histogram: its percentiles are stored in the cell of its step. */
static void hist_close(struct trend *t, unsigned tier, struct trend_hist *h)
{
	if (keeps(t, tier, h->step)) {
		struct trend_cell *cell = &t->cells[index_of(tier, h->step)];
		cell->p50 = (float)percentile_of(h, 50, 100);
		cell->p99 = (float)percentile_of(h, 99, 100);
		cell->flags |= TREND_CLOSED;
	}
	for (uint64_t left = h->touched; left != 0; left &= left - 1)
		memset(&h->counts[__builtin_ctzll(left) * HIST_OCTAVE_BUCKETS], 0,
		    HIST_OCTAVE_BUCKETS * sizeof(h->counts[0]));
	h->used = false;
	h->max = 0;
	h->count = 0;
	h->touched = 0;
}

/* Return the histogram of a step; NULL: it was given to a later step. */
static struct trend_hist *hist_for(
    struct trend *t, unsigned tier, uint64_t step, const struct trend_cell *cell)
{
	const struct tier *row = &tiers[tier];
	const struct trend_hist *open = hist_open(t, tier, step);
	struct trend_hist *oldest = NULL, *hists = &t->hists[row->first_hist];

	if (open != NULL)
		return &t->hists[open - t->hists];
	if ((cell->flags & TREND_CLOSED) != 0)
		return NULL;
	for (unsigned i = 0; i < row->hists && (oldest == NULL || oldest->used); i++)
		if (oldest == NULL || !hists[i].used || hists[i].step < oldest->step)
			oldest = &hists[i];
	if (oldest->used && oldest->step > step)
		return NULL;
	if (oldest->used)
		hist_close(t, tier, oldest);
	oldest->used = true;
	oldest->step = step;
	return oldest;
}

/* Return the histogram of a kept step for more pauses; NULL: it has none. */
static struct trend_hist *hist_look(struct trend *t, unsigned tier, uint64_t step)
{
	struct trend_cell *cell = &t->cells[index_of(tier, step)];
	struct trend_hist *h = hist_for(t, tier, step, cell);

	if (h != NULL && h->count <= UINT32_MAX - PAUSES_AT_ONCE)
		return h;
	cell->flags |= TREND_LATE;
	return NULL;
}

void trend_hists_count(struct trend *t, const struct pauses *pauses)
{
	const uint64_t end = pauses->list[pauses->count - 1].end;
	bool hot = hot_at(t, end);

	for (unsigned tier = 0; tier < TREND_TIER_COUNT; tier++) {
		struct trend_hist *h = hot ? t->hot.hists[tier] : NULL;
		if (h == NULL || h->count > UINT32_MAX - PAUSES_AT_ONCE) {
			uint64_t step = end / tiers[tier].length;
			h = keeps(t, tier, step) ? hist_look(t, tier, step) : NULL;
			t->hot.hists[tier] = hot ? h : NULL;
		}
		if (h == NULL)
			continue;
		h->min = h->count == 0 || pauses->least < h->min ? pauses->least : h->min;
		h->max = pauses->most > h->max ? pauses->most : h->max;
		h->count += pauses->count;
		h->touched |= pauses->octaves;
		for (unsigned i = 0; i < pauses->count; i++)
			h->counts[pauses->places[i]]++;
	}
}

/* ---- reading ---- */

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

	while (tier < TREND_TIER_COUNT && !keeps(t, tier, ts / tiers[tier].length))
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
	const struct trend_hist *h = hist_open(r->t, r->tier, step);

	if ((cell->flags & TREND_LATE) != 0 || (h == NULL && (cell->flags & TREND_CLOSED) == 0)) {
		r->late = true;
		return;
	}
	double low = h != NULL ? (double)percentile_of(h, 50, 100) : (double)cell->p50;
	double high = h != NULL ? (double)percentile_of(h, 99, 100) : (double)cell->p99;
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
	uint64_t seconds = tiers[r->tier].seconds, first = step * seconds;
	uint64_t begin = first * TREND_SECOND, end = begin + seconds * TREND_SECOND;
	const struct trend_cell *cell = &t->cells[index_of(r->tier, step)];
	struct trend_cell sum = r->tier == 0 ? (struct trend_cell){0} : *cell;

	/* The last seconds of a longer step that is not over may not have been read yet. */
	for (uint64_t k = first; k < first + seconds; k++)
		if (keeps(t, 0, k))
			fold_second(t, &sum, k, r->tier == 0 || (k + 1) * TREND_SECOND <= t->read_to);
	if (r->tier > 0 && unseen(&sum)) {
		sum.flags |= TREND_UNCOUNTED;
		sum.seen_ns = 0;
	}
	uint64_t tail = tail_in(t, begin, end), seen = sum.seen_ns + tail;
	out->from = out->steps++ == 0 ? begin : out->from;
	out->to = end;
	out->seen_ns += seen;
	out->observed_ns += sum.observed_ns + tail * t->alive;
	out->gc_ns = sum_saturating(out->gc_ns, sum_saturating(sum.gc_ns, open_in(t, begin, end)));
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
	const struct tier *row = &tiers[tier];
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

	while (tier > 0 && (from % tiers[tier].length != 0 || to % tiers[tier].length != 0))
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
