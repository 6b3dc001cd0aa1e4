/*
 * trend_cells.c - the steps of a trend: find those of a stamp, spread something over those of a stretch of time, fold
 * seconds into longer steps, and keep percentiles.
 *
 * A cell that is no longer kept is zeroed before it is reused.  TREND_CLOSED is set when the histogram of a step with
 * pauses is given up, and only if the cell has percentiles.  The histograms of a tier belong to different steps.
 */
#include "watch/trend_private.h"

#include "core/sum.h"
#include "model/span_time.h"

const struct trend_tier_row trend_tier_rows[TREND_TIER_COUNT] = {
    {1 * TREND_SECOND, 1, 0, TREND_SECONDS_STEPS, 0, 8},
    {5 * TREND_SECOND, 5, TREND_SECONDS_STEPS, TREND_FIVES_STEPS, 8, 2},
    {60 * TREND_SECOND, 60, TREND_SECONDS_STEPS + TREND_FIVES_STEPS, TREND_MINUTES_STEPS, 10, 2},
};

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

void trend_fold(const struct trend *t, struct trend_cell *into, uint64_t second, bool rated)
{
	const struct trend_cell *c = &t->cells[trend_index(0, second)];
	uint64_t begin = second * TREND_SECOND, end = begin + TREND_SECOND;
	uint64_t tail = trend_tail_in(t, begin, end), seen = c->seen_ns + tail;
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
	if (trend_unseen(c))
		into->flags |= TREND_UNCOUNTED;
	else
		into->seen_ns += c->seen_ns;
	if (!rated || seen < TREND_RATE_LEAST || (c->flags & TREND_LOSSY) != 0)
		return;
	double gc = (double)c->gc_ns + (double)trend_open_in(t, begin, end),
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
			trend_fold(
			    t, &t->cells[trend_index(tier, k / trend_tier_rows[tier].seconds)], k, true);
	for (unsigned tier = 0; t->begun && tier < TREND_TIER_COUNT; tier++) {
		const struct trend_tier_row *row = &trend_tier_rows[tier];
		uint64_t last = second / row->seconds, k = t->head / row->seconds;
		if (last - k > row->steps)
			k = last - row->steps;
		while (k++ < last)
			memset(&t->cells[trend_index(tier, k)], 0, sizeof(t->cells[0]));
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
	if (!trend_keeps(t, 0, second))
		return false;
	t->hot = (struct trend_hot){.from = second * TREND_SECOND,
	    .to = (second + 1) * TREND_SECOND,
	    .cell = &t->cells[trend_index(0, second)]};
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
		uint64_t k = second / trend_tier_rows[tier].seconds;
		if (!trend_keeps(t, tier, k))
			continue;
		out[count] = &t->cells[trend_index(tier, k)];
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
		uint64_t length = trend_tier_rows[tier].length;
		uint64_t begin = tier == 0 && from < kept ? kept : from,
			 end = tier > 0 && kept < to ? kept : to;
		uint64_t head = t->head / trend_tier_rows[tier].seconds;
		uint64_t first = begin / length, oldest = head - trend_tier_rows[tier].steps + 1;
		if (begin >= end)
			continue;
		if (head >= trend_tier_rows[tier].steps && first < oldest)
			first = oldest;
		for (uint64_t k = first; k <= (end - 1) / length; k++) {
			uint64_t step = k * length, over = span_time_after(step, length);
			struct trend_part part = {.from = step > begin ? step : begin,
			    .to = over < end ? over : end,
			    .whole = step >= from && over <= to,
			    .folded = tier > 0};
			add(&t->cells[trend_index(tier, k)], &part, what);
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

uint64_t trend_hist_percentile(const struct trend_hist *h, unsigned num, unsigned den)
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

const struct trend_hist *trend_hist_open(const struct trend *t, unsigned tier, uint64_t step)
{
	const struct trend_tier_row *row = &trend_tier_rows[tier];

	for (unsigned i = row->first_hist; i < row->first_hist + row->hists; i++)
		if (t->hists[i].used && t->hists[i].step == step)
			return &t->hists[i];
	return NULL;
}

/* Close a histogram: its percentiles are stored in the cell of its step. */
static void hist_close(struct trend *t, unsigned tier, struct trend_hist *h)
{
	if (trend_keeps(t, tier, h->step)) {
		struct trend_cell *cell = &t->cells[trend_index(tier, h->step)];
		cell->p50 = (float)trend_hist_percentile(h, 50, 100);
		cell->p99 = (float)trend_hist_percentile(h, 99, 100);
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
	const struct trend_tier_row *row = &trend_tier_rows[tier];
	const struct trend_hist *open = trend_hist_open(t, tier, step);
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
	struct trend_cell *cell = &t->cells[trend_index(tier, step)];
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
			uint64_t step = end / trend_tier_rows[tier].length;
			h = trend_keeps(t, tier, step) ? hist_look(t, tier, step) : NULL;
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
