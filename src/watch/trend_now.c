/*
 * trend_now.c - the counts of the current second on their way into the cells.
 */
#include "watch/trend_private.h"

#include <string.h>

#include "core/sum.h"

/* Let as many pauses come as the histograms have room for. */
static void room_make(struct trend *t)
{
	uint32_t most = 0;

	for (unsigned tier = 0; tier < TREND_TIER_COUNT; tier++)
		most = t->hot.hists[tier]->count > most ? t->hot.hists[tier]->count : most;
	t->now.room = t->now.given = UINT32_MAX - most;
	t->now.min = UINT64_MAX;
}

void trend_now_begin(struct trend *t)
{
	const struct trend_hot *hot = &t->hot;
	uint64_t from = hot->from > t->begin_at ? hot->from : t->begin_at;

	for (unsigned tier = 0; tier < TREND_TIER_COUNT; tier++)
		if (hot->cells[tier] == NULL || hot->hists[tier] == NULL)
			return;
	if (from >= hot->to || !trend_plausible(t, hot->to - 1))
		return;
	t->now.from = from;
	t->now.to = hot->to;
	room_make(t);
}

/* Move the counts of an octave to the histograms. */
static void octave_flush(struct trend *t, unsigned octave)
{
	uint32_t *from = &t->now.counts[(size_t)octave * HIST_OCTAVE_BUCKETS];

	for (unsigned tier = 0; tier < TREND_TIER_COUNT; tier++) {
		struct trend_hist *h = t->hot.hists[tier];
		uint32_t *to = &h->counts[(size_t)octave * HIST_OCTAVE_BUCKETS];
		for (unsigned i = 0; i < HIST_OCTAVE_BUCKETS; i++)
			to[i] += from[i];
		h->touched |= UINT64_C(1) << octave;
	}
	memset(from, 0, HIST_OCTAVE_BUCKETS * sizeof(*from));
}

/* Move the pauses to the cells and the histograms. */
static void pauses_flush(struct trend *t)
{
	struct trend_now *now = &t->now;
	uint32_t count = now->given - now->room;

	if (count == 0)
		return;
	for (unsigned tier = 0; tier < TREND_TIER_COUNT; tier++) {
		struct trend_cell *cell = t->hot.cells[tier];
		struct trend_hist *h = t->hot.hists[tier];
		cell->gc_ns = sum_saturating(cell->gc_ns, now->gc_ns);
		trend_add_32(&cell->pauses, count);
		cell->pause_max = now->max > cell->pause_max ? now->max : cell->pause_max;
		h->min = h->count == 0 || now->min < h->min ? now->min : h->min;
		h->max = now->max > h->max ? now->max : h->max;
		h->count += count;
	}
	unsigned last = hist_place(now->max) / HIST_OCTAVE_BUCKETS;
	for (unsigned octave = hist_place(now->min) / HIST_OCTAVE_BUCKETS; octave <= last; octave++)
		octave_flush(t, octave);
	now->gc_ns = now->max = 0;
}

void trend_flush(struct trend *t)
{
	struct trend_now *now = &t->now;

	if (now->to == 0)
		return;
	pauses_flush(t);
	for (unsigned tier = 0; tier < TREND_TIER_COUNT; tier++) {
		struct trend_cell *cell = t->hot.cells[tier];
		cell->allocated = sum_saturating(cell->allocated, now->allocated);
		cell->promoted = sum_saturating(cell->promoted, now->promoted);
	}
	now->allocated = now->promoted = 0;
	room_make(t);
}

void trend_now_end(struct trend *t)
{
	trend_flush(t);
	t->now.to = t->hot.to = 0;
}
