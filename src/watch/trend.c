/*
 * trend.c - count events in the steps of a trend.
 *
 * Invariants: a cell that is no longer kept is zeroed before it is reused.  TREND_CLOSED is set when the
 * histogram of a step with pauses is given up, and only if the cell has percentiles.  The histograms of a
 * tier belong to different steps.
 */
#include "watch/trend_private.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/sum.h"
#include "model/copy.h"

static_assert(sizeof(struct trend_cell) == 128, "a cell is of two cache lines");
static_assert(sizeof(struct trend) <= TREND_BYTES, "a week fits into what is promised");

/* A stamp this far ahead of the latest one is invalid. */
#define AHEAD_MAX TREND_WEEK

/* Maximum number of steps that pauses are spread over between two looks.  A domain has one pause at a time,
 * so pauses with stamps in order need far fewer. */
#define SPREADS_MAX (1u << 20)

const struct trend_tier_row trend_tier_rows[TREND_TIER_COUNT] = {
    {1 * TREND_SECOND, 0, TREND_SECONDS_STEPS, 0, 8},
    {5 * TREND_SECOND, TREND_SECONDS_STEPS, TREND_FIVES_STEPS, 8, 2},
    {60 * TREND_SECOND, TREND_SECONDS_STEPS + TREND_FIVES_STEPS, TREND_MINUTES_STEPS, 10, 2},
};

struct trend *trend_create(uint64_t attach_ts)
{
	struct trend *t = calloc(1, sizeof(*t));

	if (t == NULL)
		return NULL;
	t->live = attach_ts != 0;
	t->attach_ts = t->latest = t->heap_ts = attach_ts;
	t->spreads = SPREADS_MAX;
	return t;
}

void trend_destroy(struct trend *t)
{
	free(t);
}

struct trend *trend_copy(struct trend *from)
{
	bool ok = true;

	trend_flush(from);
	struct trend *t = copy_bytes(from, sizeof(*from), &ok);
	if (t == NULL)
		return NULL;
	memset(&t->hot, 0, sizeof(t->hot));
	t->now.to = 0;
	return t;
}

bool trend_plausible(const struct trend *t, uint64_t ts)
{
	return ts >= t->begin_at && (!t->live || ts < t->latest || ts - t->latest < AHEAD_MAX);
}

/* ---- cells ---- */

struct trend_cell *trend_cell_make(struct trend *t, unsigned tier, uint64_t step)
{
	const struct trend_tier_row *row = &trend_tier_rows[tier];
	struct trend_cell *cells = &t->cells[row->first];
	struct trend_tier *r = &t->tiers[tier];

	if (!r->begun) {
		r->begun = true;
		r->head = step;
	}
	if (step > r->head) {
		trend_now_end(t);
		if (step - r->head >= row->steps)
			memset(cells, 0, row->steps * sizeof(*cells));
		else
			for (uint64_t k = r->head + 1; k <= step; k++)
				memset(&cells[k % row->steps], 0, sizeof(*cells));
		r->head = step;
	}
	return r->head - step < row->steps ? &cells[step % row->steps] : NULL;
}

/* Look up the cells of the steps that a stamp lies in. */
static __attribute__((noinline)) struct trend_hot *steps_find(struct trend *t, uint64_t ts)
{
	struct trend_hot *hot = &t->hot;

	trend_now_end(t);
	for (unsigned tier = 0; tier < TREND_TIER_COUNT; tier++) {
		hot->cells[tier] = trend_cell_make(t, tier, ts / trend_tier_rows[tier].length);
		hot->hists[tier] = NULL;
	}
	hot->from = ts / TREND_SECOND * TREND_SECOND;
	hot->to = hot->from + TREND_SECOND;
	return hot;
}

/* Return the cells of the steps that a stamp lies in. */
static inline struct trend_hot *steps_at(struct trend *t, uint64_t ts)
{
	return ts >= t->hot.from && ts < t->hot.to ? &t->hot : steps_find(t, ts);
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

/* Close a histogram: its percentiles are stored in the cell of its step. */
static void hist_close(struct trend *t, unsigned tier, struct trend_hist *h)
{
	if (trend_keeps(t, tier, h->step)) {
		const struct trend_tier_row *row = &trend_tier_rows[tier];
		struct trend_cell *cell = &t->cells[row->first + h->step % row->steps];
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

/* Return the histogram of a step; NULL when it has been given to a later step. */
static struct trend_hist *hist_for(
    struct trend *t, unsigned tier, uint64_t step, const struct trend_cell *cell)
{
	const struct trend_tier_row *row = &trend_tier_rows[tier];
	struct trend_hist *oldest = NULL, *hists = &t->hists[row->first_hist];

	for (unsigned i = 0; i < row->hists; i++)
		if (hists[i].used && hists[i].step == step)
			return &hists[i];
	if ((cell->flags & TREND_CLOSED) != 0)
		return NULL;
	for (unsigned i = 0; i < row->hists; i++) {
		if (oldest == NULL || !hists[i].used || (oldest->used && hists[i].step < oldest->step))
			oldest = &hists[i];
		if (!hists[i].used)
			break;
	}
	if (oldest->used && oldest->step > step)
		return NULL;
	if (oldest->used)
		hist_close(t, tier, oldest);
	oldest->used = true;
	oldest->step = step;
	return oldest;
}

/* Add a pause to the histogram of its step. */
static void hist_count(struct trend *t, unsigned tier, uint64_t end, uint64_t duration, unsigned place)
{
	struct trend_cell *cell = t->hot.cells[tier];
	struct trend_hist *h = t->hot.hists[tier];

	if (h == NULL)
		h = t->hot.hists[tier] = hist_for(t, tier, end / trend_tier_rows[tier].length, cell);
	if (h == NULL || h->count == UINT32_MAX) {
		cell->flags |= TREND_LATE;
		return;
	}
	if (h->count == 0 || duration < h->min)
		h->min = duration;
	if (duration > h->max)
		h->max = duration;
	h->count++;
	h->touched |= UINT64_C(1) << place / HIST_OCTAVE_BUCKETS;
	h->counts[place]++;
}

/* ---- events ---- */

/* Add the time of a pause to the steps it lies in; of too many steps, to the last ones. */
static void pause_spread(struct trend *t, unsigned tier, uint64_t begin, uint64_t end)
{
	uint64_t length = trend_tier_rows[tier].length, last = end / length, first = begin / length;

	if (last - first >= trend_tier_rows[tier].steps)
		first = last - trend_tier_rows[tier].steps + 1;
	if (last - first > t->spreads)
		first = last - t->spreads;
	t->spreads -= last - first;
	for (uint64_t k = last + 1; k-- > first;) {
		struct trend_cell *cell = trend_cell_make(t, tier, k);
		if (cell == NULL)
			return;
		uint64_t from = k * length > begin ? k * length : begin;
		uint64_t to = k < last ? (k + 1) * length : end;
		cell->gc_ns = sum_saturating(cell->gc_ns, to - from);
		/* The second had been folded without this pause, so the extremes are wrong. */
		if (tier > 0 && from / TREND_SECOND < t->folded)
			cell->flags &= ~(unsigned)TREND_FOLDED;
	}
}

void trend_pause_any(struct trend *t, uint64_t begin, uint64_t end)
{
	uint64_t duration = end - begin;
	unsigned place = hist_place(duration);

	if (!trend_plausible(t, end))
		return;
	trend_flush(t);
	/* Of a pause that began before begin_at, count the rest. */
	begin = begin > t->begin_at ? begin : t->begin_at;
	t->has_pauses = true;
	const struct trend_hot *hot = steps_at(t, end);
	for (unsigned tier = 0; tier < TREND_TIER_COUNT; tier++) {
		struct trend_cell *cell = hot->cells[tier];
		if (cell == NULL)
			continue;
		if (begin >= hot->from)
			cell->gc_ns = sum_saturating(cell->gc_ns, end - begin);
		else
			pause_spread(t, tier, begin, end);
		trend_add_32(&cell->pauses, 1);
		if (duration > cell->pause_max)
			cell->pause_max = duration;
		hist_count(t, tier, end, duration, place);
	}
	trend_now_begin(t);
}

void trend_pause(struct trend *t, uint64_t begin, uint64_t end)
{
	if (begin <= end)
		trend_take_pause(t, begin, end, hist_place(end - begin));
	else
		trend_pause_any(t, begin, end);
}

void trend_allocated_any(struct trend *t, uint64_t ts, int64_t bytes)
{
	if (bytes < 0 || !trend_plausible(t, ts))
		return;
	t->has_allocated = true;
	const struct trend_hot *hot = steps_at(t, ts);
	for (unsigned tier = 0; tier < TREND_TIER_COUNT; tier++)
		if (hot->cells[tier] != NULL)
			hot->cells[tier]->allocated =
			    sum_saturating(hot->cells[tier]->allocated, (uint64_t)bytes);
}

void trend_allocated(struct trend *t, uint64_t ts, int64_t bytes)
{
	trend_take_allocated(t, ts, bytes);
}

void trend_promoted_any(struct trend *t, uint64_t ts, int64_t bytes)
{
	if (bytes < 0 || !trend_plausible(t, ts))
		return;
	t->has_promoted = true;
	const struct trend_hot *hot = steps_at(t, ts);
	for (unsigned tier = 0; tier < TREND_TIER_COUNT; tier++)
		if (hot->cells[tier] != NULL)
			hot->cells[tier]->promoted =
			    sum_saturating(hot->cells[tier]->promoted, (uint64_t)bytes);
}

void trend_promoted(struct trend *t, uint64_t ts, int64_t bytes)
{
	trend_take_promoted(t, ts, bytes);
}

void trend_events(struct trend *t, uint64_t from, uint64_t to, uint64_t count)
{
	if (to == 0 || !trend_plausible(t, to))
		return;
	from = from < to ? from : to - 1;
	from = from > t->begin_at ? from : t->begin_at;
	if (from >= to)
		return;
	for (unsigned tier = 0; tier < TREND_TIER_COUNT; tier++) {
		uint64_t length = trend_tier_rows[tier].length, last = (to - 1) / length,
			 first = from / length;
		uint64_t all = to - from, begin = from, left = count;
		if (last - first >= trend_tier_rows[tier].steps) {
			first = last - trend_tier_rows[tier].steps + 1;
			begin = first * length;
			left = (uint64_t)((double)count * ((double)(to - begin) / (double)all));
		}
		for (uint64_t k = first; k <= last; k++) {
			struct trend_cell *cell = trend_cell_make(t, tier, k);
			uint64_t end = k < last ? (k + 1) * length : to;
			/* Each step gets its share of the remaining count by its share of the remaining
			 * time, so that the parts add up. */
			uint64_t part =
			    (uint64_t)((double)left * ((double)(end - begin) / (double)(to - begin)) + 0.5);
			part = part < left ? part : left;
			begin = end;
			left -= part;
			if (cell == NULL)
				continue;
			trend_add_32(&cell->events, part);
			cell->flags |= TREND_COUNTED;
		}
	}
}

void trend_lost(struct trend *t, uint64_t ts, uint64_t words)
{
	if (!trend_plausible(t, ts))
		return;
	const struct trend_hot *hot = steps_at(t, ts);
	for (unsigned tier = 0; tier < TREND_TIER_COUNT; tier++)
		if (hot->cells[tier] != NULL)
			trend_add_32(&hot->cells[tier]->lost_words, words);
	trend_mark(t, TREND_MARK_LOSS, ts, ts, words);
}

void trend_restart(struct trend *t, uint64_t ts)
{
	trend_mark(t, TREND_MARK_RESTART, ts, ts, 0);
}

void trend_mark(struct trend *t, enum trend_mark_kind kind, uint64_t from, uint64_t to, uint64_t value)
{
	struct trend_ring *ring = &t->marks[kind];
	struct trend_mark *last = ring->count > 0 ? &ring->marks[(ring->count - 1) % TREND_MARKS_KEPT] : NULL;

	if (!trend_plausible(t, from))
		return;
	if (last != NULL && last->from / TREND_SECOND == from / TREND_SECOND) {
		last->to = to > last->to ? to : last->to;
		last->value = sum_saturating(last->value, value);
		trend_add_32(&last->count, 1);
		return;
	}
	ring->marks[ring->count++ % TREND_MARKS_KEPT] =
	    (struct trend_mark){.from = from, .to = to, .value = value, .count = 1, .kind = kind};
}

/* ---- the heap ---- */

/* Add a value to a level. */
void trend_level_take(struct trend_level *level, bool known, float value)
{
	if (!known || value < level->low)
		level->low = value;
	if (!known || value > level->high)
		level->high = value;
	level->last = value;
}

void trend_heap_reach(struct trend *t, uint64_t ts)
{
	if (ts < t->heap_ts)
		return;
	for (unsigned tier = 0; tier < TREND_TIER_COUNT && t->heaps > 0; tier++) {
		const struct trend_tier_row *row = &trend_tier_rows[tier];
		uint64_t last = ts / row->length, first = t->heap_ts / row->length;
		if (last - first >= row->steps)
			first = last - row->steps + 1;
		for (uint64_t k = first; k <= last; k++) {
			struct trend_cell *cell = trend_cell_make(t, tier, k);
			if (cell == NULL)
				continue;
			trend_level_take(&cell->heap, (cell->flags & TREND_HAS_HEAP) != 0, (float)t->heap);
			cell->flags |= TREND_HAS_HEAP;
		}
	}
	t->heap_ts = ts;
}

void trend_heap_sum(struct trend *t, uint64_t ts)
{
	double sum = 0;
	unsigned heaps = 0;
	bool standing = t->alive > 0;

	trend_heap_reach(t, ts);
	/* A domain that is not known yet has not ended. */
	for (unsigned i = 0; i < t->domain_limit && !standing; i++)
		standing = t->domains[i].has_heap && !t->domains[i].noticed;
	for (unsigned i = 0; i < t->domain_limit; i++) {
		const struct trend_domain *d = &t->domains[i];
		if (!d->has_heap || (standing && d->noticed && !d->alive))
			continue;
		sum += (double)d->heap;
		heaps++;
	}
	/* After the last domain has ended, the heap keeps its last value. */
	if (!standing && t->heaps > 0)
		return;
	t->heap = sum;
	t->heaps = heaps;
	if (ts >= t->attach_ts)
		trend_heap_reach(t, t->heap_ts);
}

/* Return whether the current steps are those of a stamp and already have the level. */
static bool heap_at_hand(const struct trend *t, uint64_t ts)
{
	const struct trend_hot *hot = &t->hot;

	if (ts < t->heap_ts || ts >= hot->to || t->heap_ts < hot->from)
		return false;
	for (unsigned tier = 0; tier < TREND_TIER_COUNT; tier++)
		if (hot->cells[tier] == NULL || (hot->cells[tier]->flags & TREND_HAS_HEAP) == 0)
			return false;
	return true;
}

/* Set the words of a domain's heap, in the order of the stamps. */
static void heap_set(struct trend *t, unsigned domain, uint64_t ts, float value)
{
	struct trend_domain *d = &t->domains[domain];
	t->domain_limit = domain >= t->domain_limit ? domain + 1 : t->domain_limit;
	/* In a file the rings are read one after the other: the sum of the heaps at a past time is then not
	 * known. */
	t->heap_late |= !t->live && ts < t->heap_ts;
	if (!d->has_heap || t->heaps == 0 || (d->noticed && !d->alive)) {
		d->has_heap = true;
		d->heap = value;
		trend_heap_sum(t, ts);
		return;
	}
	bool at_hand = heap_at_hand(t, ts);
	if (!at_hand)
		trend_heap_reach(t, ts);
	/* Change the sum by the difference in this domain. */
	t->heap += (double)value - (double)d->heap;
	d->heap = value;
	if (at_hand)
		t->heap_ts = ts;
	else if (ts >= t->attach_ts)
		trend_heap_reach(t, t->heap_ts);
	for (unsigned tier = 0; at_hand && tier < TREND_TIER_COUNT; tier++)
		trend_level_take(&t->hot.cells[tier]->heap, true, (float)t->heap);
}

/* Take the first values that wait. */
static void heaps_take(struct trend *t, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		heap_set(t, t->waiting[i].domain, t->waiting[i].ts, t->waiting[i].words);
	t->waiting_count -= count;
	memmove(t->waiting, t->waiting + count, t->waiting_count * sizeof(t->waiting[0]));
}

void trend_heap_take(struct trend *t, uint64_t ts)
{
	unsigned count = 0;

	while (count < t->waiting_count && t->waiting[count].ts <= ts)
		count++;
	if (count > 0)
		heaps_take(t, count);
}

void trend_heap(struct trend *t, unsigned domain, uint64_t ts, double words)
{
	if (domain >= MODEL_DOMAINS_MAX || !trend_plausible(t, ts))
		return;
	if (!t->live) {
		heap_set(t, domain, ts, (float)words);
		return;
	}
	if (t->waiting_count == TREND_HEAPS)
		heaps_take(t, TREND_HEAPS / 2);
	unsigned at = t->waiting_count++;
	for (; at > 0 && t->waiting[at - 1].ts > ts; at--)
		t->waiting[at] = t->waiting[at - 1];
	t->waiting[at] = (struct trend_heap_value){.ts = ts, .words = (float)words, .domain = domain};
}

void trend_heap_forget(struct trend *t, unsigned domain)
{
	trend_heap_take(t, UINT64_MAX);
	if (domain < t->domain_limit && t->domains[domain].has_heap) {
		t->domains[domain].has_heap = false;
		trend_heap_sum(t, t->heap_ts);
	}
}

/* Names of marks. */
const char *trend_mark_name(enum trend_mark_kind kind)
{
	static const char *const names[TREND_MARK_COUNT] = {
#define NAME(name, text) text,
	    TREND_MARKS(NAME)
#undef NAME
	};
	return names[kind];
}

const char *trend_figure_name(enum trend_figure figure)
{
	static const char *const names[TREND_FIGURE_COUNT] = {
#define NAME(name, unit, text) text,
	    TREND_FIGURES(NAME)
#undef NAME
	};
	return names[figure];
}

enum trend_unit trend_figure_unit(enum trend_figure figure)
{
	static const uint8_t units[TREND_FIGURE_COUNT] = {
#define UNIT(name, unit, text) TREND_##unit,
	    TREND_FIGURES(UNIT)
#undef UNIT
	};
	return (enum trend_unit)units[figure];
}
