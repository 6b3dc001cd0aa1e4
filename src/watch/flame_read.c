/*
 * flame_read.c - the bars of a graph, and the graph of an interval out of the history; see flame.h.
 */
#include "watch/flame.h"

#include "model/span_time.h"
#include "model/waiting.h"

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

struct flame_sums flame_sums(const struct flame_view *view)
{
	struct flame_sums sums = {0};
	bool pause = false;

	for (size_t i = 0; i < view->count; i++) {
		const struct flame_bar *bar = &view->bars[i];
		/* Bars come depth first.  A wait is not the collector's time. */
		if (bar->depth == 0) {
			pause = rtev_phase_class(bar->phase) != RTEV_CLASS_IDLE;
			*(pause ? &sums.gc : &sums.idle) += bar->total;
		}
		if (pause && model_phase_waits(bar->phase))
			sums.wait += bar->self;
	}
	return sums;
}

/* ---- of an earlier time ---- */

struct flame_past {
	struct history_cursor cursor;
	uint64_t inside[HISTORY_DEPTH +
			1]; /* time of what ended at each depth, and that no span around it has had yet */
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

/* A span ends, or the window does.  What has no path counts for the span around it. */
static void past_close(struct flame_past *p, unsigned depth, uint16_t path, uint64_t time)
{
	uint64_t inside = p->inside[depth + 1];

	p->inside[depth + 1] = 0;
	if (path == PATH_NONE)
		return;
	p->self[path] += time > inside ? time - inside : 0;
	p->inside[depth] = depth > 0 ? p->inside[depth] + time : 0;
}

/* A span is dropped: what was inside it is inside the one around it. */
static void past_drop(struct flame_past *p, unsigned depth)
{
	if (depth > 0)
		p->inside[depth] += p->inside[depth + 1];
	memmove(
	    &p->inside[depth + 1], &p->inside[depth + 2], (HISTORY_DEPTH - 1 - depth) * sizeof(p->inside[0]));
	p->inside[HISTORY_DEPTH] = 0;
}

/* Read the window.  Returns how long events were lost in it. */
static uint64_t past_read(struct flame_past *p, const struct flame_past_query *q, uint64_t from)
{
	struct history_record r;
	uint64_t lost_from = UINT64_MAX, lost = 0;

	while (history_next(&p->cursor, q->to, &r)) {
		uint64_t until = r.ts;

		if (r.kind == HISTORY_SPAN)
			past_close(p, r.depth, r.path, span_time(r.begin, r.ts, from, q->to));
		else if (r.kind == HISTORY_DROPPED)
			past_drop(p, r.depth);
		if (r.kind != HISTORY_GAP && r.kind != HISTORY_SEEN)
			continue;
		if (r.kind == HISTORY_GAP && r.id == MODEL_NOTE_LOST && r.value == 0)
			until = 0;
		if (lost_from < until)
			lost +=
			    until - lost_from - span_time_paused(q->pauses, q->pause_count, lost_from, until);
		lost_from = r.kind == HISTORY_GAP ? r.ts : UINT64_MAX;
	}
	if (lost_from < q->to)
		lost += q->to - lost_from - span_time_paused(q->pauses, q->pause_count, lost_from, q->to);
	return lost;
}

/* Count the spans that were open at the end of the window. */
static void past_close_rest(struct flame_past *p, const struct flame_past_query *q, uint64_t from)
{
	struct history_standing now;

	/* While the target has paused its events nothing is known of the open spans: their ends will never be
	 * written. */
	bool paused = span_time_paused(q->pauses, q->pause_count, q->now, span_time_after(q->now, 1)) > 0;

	history_at(q->history, q->domain, q->to, q->stack, q->depth, &now);
	for (unsigned i = now.depth; i-- > 0;) {
		const struct history_frame *f = &now.open[i];
		uint64_t until = f->end == HISTORY_OPEN && q->now < q->to ? q->now : q->to;

		/* What ended deeper was inside spans that were dropped later. */
		for (unsigned depth = HISTORY_DEPTH; depth > f->depth + 1u; depth--) {
			p->inside[depth - 1] += p->inside[depth];
			p->inside[depth] = 0;
		}
		if (f->end == HISTORY_OPEN && paused)
			past_drop(p, f->depth);
		else
			past_close(p, f->depth, f->path, span_time(f->begin, until, from, q->to));
	}
}

bool flame_past_read(struct flame_past *p, const struct flame_past_query *query, struct flame_view *out)
{
	uint64_t kept = history_domain_from(query->history, query->domain, NULL);
	uint64_t from = kept > query->from ? kept : query->from;

	*out = (struct flame_view){.bars = p->bars};
	memset(p->self, 0, sizeof(p->self));
	memset(p->inside, 0, sizeof(p->inside));
	if (from >= query->to || !history_seek(query->history, query->domain, from, &p->cursor))
		return false;
	out->lost = past_read(p, query, from);
	past_close_rest(p, query, from);
	out->count = flame_bars(query->paths, p->self, p->sum, p->bars);
	for (size_t i = 0; i < out->count; i++)
		out->in_phases += p->bars[i].depth == 0 ? p->bars[i].total : 0;
	out->from = from;
	out->to = query->to;
	out->paused = span_time_paused(query->pauses, query->pause_count, from, query->to);
	return true;
}
