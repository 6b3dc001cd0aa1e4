/*
 * flame_read.c - a window read out of a flame graph, or out of the history; see flame.h, and flame_private.h
 * for how a graph is kept.
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
	unsigned r = ring_for(window);
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

/* ---- of an earlier time ---- */

struct past_frame {
	uint64_t begin; /* moved up to where the window begins */
	uint64_t kids;	/* time of what has closed inside */
	uint16_t node;
	rtev_phase phase;
};

struct flame_past {
	struct flame_tree tree;
	unsigned depth;
	struct past_frame frames[HISTORY_DEPTH];
	bool lost;
	uint64_t lost_from;
	uint64_t lost_ns;
	struct history_cursor cursor;
	uint64_t self[FLAME_NODES_MAX];
	uint64_t sum[FLAME_NODES_MAX];
	struct flame_bar bars[FLAME_NODES_MAX];
};

struct flame_past *flame_past_create(void)
{
	return calloc(1, sizeof(struct flame_past));
}

void flame_past_destroy(struct flame_past *p)
{
	if (p == NULL)
		return;
	flame_tree_fini(&p->tree);
	free(p);
}

/* Give the span at a depth its node. */
static void past_place(struct flame_past *p, unsigned depth)
{
	unsigned parent = depth == 0 ? FLAME_ROOT : p->frames[depth - 1].node;

	p->frames[depth].node = (uint16_t)flame_tree_child(&p->tree, parent, p->frames[depth].phase);
}

/* A span begins. */
static void past_open(struct flame_past *p, rtev_phase phase, uint64_t ts)
{
	if (p->depth == HISTORY_DEPTH)
		return;
	p->frames[p->depth] = (struct past_frame){.begin = ts, .phase = phase};
	past_place(p, p->depth);
	p->depth++;
}

/* Count time that the span at a depth had inside it to the one around it. */
static void past_inside(struct flame_past *p, unsigned depth, uint64_t time)
{
	if (depth > 0)
		p->frames[depth - 1].kids += time;
}

/* The innermost span ends, or the window does. */
static void past_close(struct flame_past *p, uint64_t end)
{
	const struct past_frame *f = &p->frames[--p->depth];
	uint64_t time = end > f->begin ? end - f->begin : 0;

	if (f->node == FLAME_NONE)
		return;
	p->self[f->node] += time > f->kids ? time - f->kids : 0;
	past_inside(p, p->depth, time);
}

/* The span at a depth is dropped. */
static void past_drop(struct flame_past *p, unsigned depth)
{
	past_inside(p, depth, p->frames[depth].kids);
	p->depth--;
	memmove(&p->frames[depth], &p->frames[depth + 1], (p->depth - depth) * sizeof(p->frames[0]));
	for (unsigned i = depth; i < p->depth; i++)
		past_place(p, i);
}

static void past_take(struct flame_past *p, const struct flame_past_query *q, const struct history_event *e)
{
	if (p->lost && e->kind == HISTORY_GAP && e->id == MODEL_NOTE_LOST && e->value == 0)
		p->lost_from = e->ts;
	if (p->lost && e->kind != HISTORY_DROPPED && e->kind != HISTORY_RESUMED) {
		p->lost_ns +=
		    e->ts - p->lost_from - span_time_paused(q->pauses, q->pause_count, p->lost_from, e->ts);
		p->lost = false;
	}
	if (e->kind == HISTORY_OPENED)
		past_open(p, (rtev_phase)e->id, e->ts);
	else if (e->kind == HISTORY_CLOSED && e->depth + 1 == p->depth)
		past_close(p, e->ts);
	else if (e->kind == HISTORY_DROPPED && e->depth < p->depth)
		past_drop(p, e->depth);
	else if (e->kind == HISTORY_GAP) {
		p->lost = true;
		p->lost_from = e->ts;
	}
}

/* Count the spans that are open at the end of the window. */
static void past_close_rest(struct flame_past *p, const struct flame_past_query *q)
{
	uint64_t ends[HISTORY_DEPTH];

	/* While the target has paused its events nothing is known of the open spans: their ends will never be
	 * written. */
	bool paused = span_time_paused(q->pauses, q->pause_count, q->now, span_time_after(q->now, 1)) > 0;

	history_ends(&p->cursor, p->depth, ends);
	for (unsigned i = p->depth; i-- > 0;) {
		if (ends[i] == HISTORY_CUT || (ends[i] == HISTORY_OPEN && paused))
			past_drop(p, i);
		else
			past_close(p, ends[i] == HISTORY_OPEN && q->now < q->to ? q->now : q->to);
	}
}

/* Begin a reading: an empty tree, and the reader at the window's begin.  False when nothing is kept. */
static bool past_begin(struct flame_past *p, const struct flame_past_query *q, uint64_t *from)
{
	uint64_t kept = history_domain_from(q->history, q->domain, NULL);

	flame_tree_fini(&p->tree);
	memset(p->self, 0, sizeof(p->self));
	p->lost = false;
	p->lost_ns = 0;
	*from = kept > q->from ? kept : q->from;
	if (*from >= q->to || !flame_tree_init(&p->tree) ||
	    !history_seek(q->history, q->domain, *from, &p->cursor))
		return false;
	p->depth = 0;
	for (unsigned i = 0; i < p->cursor.depth; i++)
		past_open(p, (rtev_phase)p->cursor.open[i].id, *from);
	return true;
}

bool flame_past_read(struct flame_past *p, const struct flame_past_query *query, struct flame_view *out)
{
	struct history_event e;
	uint64_t from;

	*out = (struct flame_view){.bars = p->bars};
	if (!past_begin(p, query, &from))
		return false;
	while (history_next(&p->cursor, query->to, &e))
		past_take(p, query, &e);
	past_close_rest(p, query);
	if (p->lost)
		p->lost_ns += query->to - p->lost_from -
			      span_time_paused(query->pauses, query->pause_count, p->lost_from, query->to);
	out->count = flame_tree_bars(&p->tree, p->self, p->sum, p->bars);
	for (size_t i = 0; i < out->count; i++)
		out->in_phases += p->bars[i].depth == 0 ? p->bars[i].total : 0;
	out->from = from;
	out->to = query->to;
	out->lost = p->lost_ns;
	out->paused = span_time_paused(query->pauses, query->pause_count, from, query->to);
	return true;
}
