/*
 * flame_read.c - a window read out of a flame graph; see flame.h, and flame_private.h for how it is kept.
 */
#include "watch/flame_private.h"

#include "model/span_time.h"

/* Sum the slices [first, current] of a ring in a row. */
static uint64_t row_sum(const struct flame_domain *d, const uint32_t *row, unsigned r, uint64_t first)
{
	uint64_t sum = 0;

	for (uint64_t s = first; s <= d->cur[r]; s++)
		sum += row[flame_ring_position(&flame_rings[r], s)];
	return sum;
}

/* Add to self[] the own time that the open frames have in the window so far. */
static void domain_add_open(
    const struct flame_domain *d, unsigned r, uint64_t first, uint64_t now, uint64_t *self)
{
	uint64_t from = first * flame_rings[r].length, inner = now;

	for (unsigned i = d->depth; i-- > 0;) {
		const struct flame_frame *f = &d->frames[i];
		uint64_t begin = f->begin > from ? f->begin : from, time, kids = 0;

		if (f->node == FLAME_NONE)
			continue;
		if (begin > inner)
			begin = inner;
		time = inner - begin;
		if (f->spilled)
			kids = row_sum(d, d->spill[i], r, first);
		if (f->kids_slice / (flame_rings[r].length / flame_rings[0].length) >= first)
			kids += f->kids;
		self[f->node] += time > kids ? time - kids : 0;
		inner = begin;
	}
}

/* Time of the window in which events were lost, and none of it counted as paused. */
static uint64_t domain_lost(
    const struct flame_domain *d, const struct flame_query *q, uint64_t from, uint64_t to)
{
	unsigned kept = d->gap_count < FLAME_GAPS ? d->gap_count : FLAME_GAPS;
	uint64_t lost = 0;

	for (unsigned i = 0; i < kept + (d->gap_open ? 1u : 0u); i++) {
		struct flame_gap g = i < kept ? d->gaps[i] : (struct flame_gap){d->last, to};
		uint64_t time = span_time(g.from, g.to, from, to);

		if (time > 0) {
			uint64_t begin = g.from > from ? g.from : from;

			lost += time - span_time_paused(q->pauses, q->pause_count, begin, begin + time);
		}
	}
	return lost;
}

/* The ring of slices for a window. */
static unsigned ring_for(uint64_t window)
{
	unsigned r = 0;

	while (r + 1 < FLAME_RINGS && flame_rings[r].length * (flame_rings[r].count - 2) < window)
		r++;
	return r;
}

bool flame_read(struct flame *f, const struct flame_query *query, struct flame_view *out)
{
	struct flame_domain *d = query->domain < MODEL_DOMAINS_MAX ? f->domains[query->domain] : NULL;
	uint64_t window = query->window, now = query->now, first, from;
	unsigned r;

	*out = (struct flame_view){.bars = f->bars};
	if (d == NULL || d->slice_end == 0)
		return false;
	window = window < FLAME_WINDOW_MIN ? FLAME_WINDOW_MIN : window;
	window = window > FLAME_WINDOW_MAX ? FLAME_WINDOW_MAX : window;
	if (now < d->last)
		now = d->last;
	if (now >= d->slice_end)
		flame_domain_turn(d, now);
	flame_domain_flush(d);
	r = ring_for(window);
	first = now < window ? 0 : (now - window) / flame_rings[r].length;
	for (unsigned n = 0; n < d->tree.count; n++)
		f->self[n] = row_sum(d, d->rows + (size_t)n * FLAME_ROW, r, first);
	/* While the target has paused its events nothing is known of the open spans: their ends will never be
	 * written. */
	if (span_time_paused(query->pauses, query->pause_count, now, span_time_after(now, 1)) == 0)
		domain_add_open(d, r, first, now, f->self);
	out->count = flame_tree_bars(&d->tree, f->self, f->sum, f->bars);
	for (size_t i = 0; i < out->count; i++)
		out->in_phases += f->bars[i].depth == 0 ? f->bars[i].total : 0;
	from = d->first;
	if (query->observed_from != 0 && query->observed_from < from)
		from = query->observed_from;
	if (from < first * flame_rings[r].length)
		from = first * flame_rings[r].length;
	out->from = from;
	out->to = now;
	out->paused = span_time_paused(query->pauses, query->pause_count, out->from, now);
	out->lost = domain_lost(d, query, out->from, now);
	return true;
}

uint64_t flame_window_next(uint64_t window, int direction)
{
	static const uint64_t seconds[] = {1, 2, 5, 10, 20, 30, 60};
	size_t count = sizeof(seconds) / sizeof(seconds[0]);

	for (size_t i = 0; i < count; i++) {
		uint64_t up = seconds[i] * 1000000000, down = seconds[count - 1 - i] * 1000000000;

		if (direction > 0 && up > window)
			return up;
		if (direction <= 0 && down < window)
			return down;
	}
	return direction > 0 ? FLAME_WINDOW_MAX : FLAME_WINDOW_MIN;
}
