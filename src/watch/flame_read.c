/*
 * flame_read.c - the bars of a graph, and the graph of an interval out of the history; see flame.h.
 */
#include "watch/flame.h"

#include "model/span_time.h"

/* The path that follows n depth first, leaving out what is inside n unless told to enter it; 0: n is the last. */
static unsigned path_after(const struct path_tree *t, unsigned n, bool enter, unsigned *depth)
{
	if (enter && t->nodes[n].child != 0) {
		++*depth;
		return t->nodes[n].child;
	}
	while (n != 0 && t->nodes[n].next == 0) {
		n = t->nodes[n].parent;
		--*depth;
	}
	return t->nodes[n].next;
}

size_t flame_bars(const struct path_tree *t, const uint64_t *self, uint64_t *sum, struct flame_bar *out)
{
	uint64_t ends[PATH_DEPTH_MAX + 1] = {0}; /* where the next bar of a row begins */
	uint16_t owner[PATH_DEPTH_MAX + 1];	 /* the bar that a row is inside of */
	unsigned depth = 0;
	size_t bars = 0;

	sum[0] = 0;
	for (unsigned n = 1; n <= t->count; n++)
		sum[n] = self[n];
	for (unsigned n = t->count; n > 0; n--)
		sum[t->nodes[n].parent] += sum[n];
	owner[0] = FLAME_NONE;
	for (unsigned n = t->nodes[0].child; n != 0;) {
		bool shown = sum[n] > 0;

		if (shown) {
			out[bars] = (struct flame_bar){
			    .phase = t->nodes[n].phase,
			    .parent = owner[depth],
			    .depth = (uint8_t)depth,
			    .x = ends[depth],
			    .total = sum[n],
			    .self = self[n],
			};
			ends[depth + 1] = ends[depth];
			owner[depth + 1] = (uint16_t)bars++;
			ends[depth] += sum[n];
		}
		n = path_after(t, n, shown, &depth);
	}
	return bars;
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
	uint16_t path;
	rtev_phase phase;
};

struct flame_past {
	struct path_tree tree;
	unsigned depth;
	struct past_frame frames[HISTORY_DEPTH];
	bool lost;
	uint64_t lost_from;
	uint64_t lost_ns;
	struct history_cursor cursor;
	uint64_t self[PATHS_MAX];
	uint64_t sum[PATHS_MAX];
	struct flame_bar bars[PATHS_MAX];
};

struct flame_past *flame_past_create(void)
{
	return calloc(1, sizeof(struct flame_past));
}

void flame_past_destroy(struct flame_past *p)
{
	free(p);
}

/* Give the span at a depth its path. */
static void past_place(struct flame_past *p, unsigned depth)
{
	p->frames[depth].path =
	    path_inside(&p->tree, depth > 0 ? p->frames[depth - 1].path : 0, p->frames[depth].phase);
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

	if (f->path == PATH_NONE)
		return;
	p->self[f->path] += time > f->kids ? time - f->kids : 0;
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

	path_tree_clear(&p->tree);
	memset(p->self, 0, sizeof(p->self));
	p->lost = false;
	p->lost_ns = 0;
	*from = kept > q->from ? kept : q->from;
	if (*from >= q->to || !history_seek(q->history, q->domain, *from, &p->cursor))
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
	out->count = flame_bars(&p->tree, p->self, p->sum, p->bars);
	for (size_t i = 0; i < out->count; i++)
		out->in_phases += p->bars[i].depth == 0 ? p->bars[i].total : 0;
	out->from = from;
	out->to = query->to;
	out->lost = p->lost_ns;
	out->paused = span_time_paused(query->pauses, query->pause_count, from, query->to);
	return true;
}
