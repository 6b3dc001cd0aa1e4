/* flame.c - the bars of a graph, and the graph of an interval from the history; see flame.h. */
#include "watch/flame.h"

#include "model/span_time.h"
#include "model/waiting.h"

#define MS UINT64_C(1000000)
#define SECOND (1000 * MS)

/* Return the path that follows n depth first; with `enter`, paths inside n are included.  0: n is the
 * last. */
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

/*
 * Compute the bars of all paths with any time, depth first.  self[path] is each path's own time; sum[path] is
 * overwritten.  Both arrays have PATHS_MAX members, and `out` has room for as many.  Returns the number of
 * bars.
 */
static size_t bars(const struct path_tree *t, const uint64_t *self, uint64_t *sum, struct flame_bar *out)
{
	uint64_t ends[PATH_DEPTH_MAX + 1] = {0}; /* start of the next bar in a row */
	uint16_t owner[PATH_DEPTH_MAX + 1];	 /* the bar that contains a row's bars */
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
	unsigned minor = UINT_MAX; /* depth of the enclosing minor collection, if any */
	bool pause = false;

	for (size_t i = 0; i < view->count; i++) {
		const struct flame_bar *bar = &view->bars[i];
		if (bar->depth <= minor)
			minor = rtev_phase_class(bar->phase) == RTEV_CLASS_MINOR ? bar->depth : UINT_MAX;
		/* Bars come depth first.  A wait is not time of the collector. */
		if (bar->depth == 0) {
			pause = rtev_phase_class(bar->phase) != RTEV_CLASS_IDLE;
			*(pause ? &sums.gc : &sums.idle) += bar->total;
		}
		if (pause && model_phase_waits(bar->phase) && !view->alone)
			sums.wait += bar->self;
		else if (pause && minor != UINT_MAX)
			sums.minor += bar->self;
	}
	return sums;
}

/* ---- reading ---- */

struct flame {
	struct history_cursor cursor;
	uint64_t inside
	    [HISTORY_DEPTH +
		1]; /* time of spans that ended at each depth, and that no enclosing span has counted yet */
	uint64_t self[PATHS_MAX + 1];
	uint64_t sum[PATHS_MAX];
	struct flame_bar bars[PATHS_MAX];
};

struct flame *flame_create(void)
{
	return calloc(1, sizeof(struct flame));
}

void flame_destroy(struct flame *f)
{
	free(f);
}

/* End a span, or the window.  Time without a path counts for the enclosing span. */
static void span_close(struct flame *f, unsigned depth, uint16_t path, uint64_t time)
{
	uint64_t inside = f->inside[depth + 1];

	f->inside[depth + 1] = 0;
	if (path == PATH_NONE)
		return;
	f->self[path] += time > inside ? time - inside : 0;
	f->inside[depth] = depth > 0 ? f->inside[depth] + time : 0;
}

/* Drop a span: spans inside it then belong to the enclosing one. */
static void span_drop(struct flame *f, unsigned depth)
{
	if (depth > 0)
		f->inside[depth] += f->inside[depth + 1];
	memmove(
	    &f->inside[depth + 1], &f->inside[depth + 2], (HISTORY_DEPTH - 1 - depth) * sizeof(f->inside[0]));
	f->inside[HISTORY_DEPTH] = 0;
}

/* Read the window.  Returns the time in it for which events were lost. */
static uint64_t window_read(struct flame *f, const struct flame_query *q, uint64_t from)
{
	struct history_record r;
	uint64_t lost_from = f->cursor.losing ? from : UINT64_MAX, lost = 0;

	while (true) {
		if (history_sums(&f->cursor, from, q->to, f->self, f->inside) ||
		    history_spans(&f->cursor, from, q->to, f->self, f->inside))
			continue;
		if (!history_next(&f->cursor, q->to, &r))
			break;
		uint64_t until = r.ts;

		if (r.kind == HISTORY_SPAN)
			span_close(f, r.depth, r.path, span_time(r.begin, r.ts, from, q->to));
		else if (r.kind == HISTORY_DROPPED)
			span_drop(f, r.depth);
		if (r.kind != HISTORY_GAP && r.kind != HISTORY_SEEN)
			continue;
		if (r.kind == HISTORY_GAP && r.id == MODEL_NOTE_LOST && r.value == 0)
			until = 0;
		if (lost_from < until)
			lost += until - lost_from -
				span_time_paused(q->present.pauses, q->present.pause_count, lost_from, until);
		lost_from = r.kind == HISTORY_GAP ? r.ts : UINT64_MAX;
	}
	if (lost_from < q->to)
		lost += q->to - lost_from -
			span_time_paused(q->present.pauses, q->present.pause_count, lost_from, q->to);
	return lost;
}

/* Count the spans that were open at the end of the window, which the reader has reached. */
static void window_end(struct flame *f, const struct flame_query *q, uint64_t from)
{
	struct history_standing now;

	/* While the target has paused its events the open spans are unknown: their ends will never be
	 * written. */
	bool paused = span_time_paused(
			  q->present.pauses, q->present.pause_count, q->now, sum_saturating(q->now, 1)) > 0;

	history_after(&f->cursor, q->to, &q->present, &now);
	for (unsigned i = now.depth; i-- > 0;) {
		const struct history_frame *frame = &now.open[i];
		uint64_t until = frame->end == HISTORY_OPEN && q->now < q->to ? q->now : q->to;

		/* Spans that ended deeper were inside spans that were dropped later. */
		for (unsigned depth = HISTORY_DEPTH; depth > frame->depth + 1u; depth--) {
			f->inside[depth - 1] += f->inside[depth];
			f->inside[depth] = 0;
		}
		if (frame->end == HISTORY_OPEN && paused)
			span_drop(f, frame->depth);
		else
			span_close(f, frame->depth, frame->path, span_time(frame->begin, until, from, q->to));
	}
}

/* Read a window that follows the reader's position. */
static void flame_window(struct flame *f, const struct flame_query *q, uint64_t from, struct flame_view *out)
{
	memset(f->self, 0, sizeof(f->self));
	memset(f->inside, 0, sizeof(f->inside));
	out->lost = window_read(f, q, from);
	window_end(f, q, from);
	out->count = bars(q->paths, f->self, f->sum, f->bars);
	for (size_t i = 0; i < out->count; i++)
		out->in_phases += f->bars[i].depth == 0 ? f->bars[i].total : 0;
	out->from = from;
	out->to = q->to;
	out->alone = q->present.alone;
	out->paused = span_time_paused(q->present.pauses, q->present.pause_count, from, q->to);
}

bool flame_read(struct flame *f, const struct flame_query *query, struct flame_view *out)
{
	uint64_t kept = history_domain_from(query->history, query->domain, NULL);
	uint64_t from = kept > query->from ? kept : query->from;

	*out = (struct flame_view){.bars = f->bars};
	if (from >= query->to || !history_seek(query->history, query->domain, from, &f->cursor))
		return false;
	flame_window(f, query, from, out);
	return true;
}

bool flame_read_last(struct flame *f, const struct flame_query *query, uint64_t window,
    uint64_t observed_from, struct flame_view *out)
{
	struct flame_query q = *query;
	uint64_t last = history_domain_to(q.history, q.domain);
	bool first;
	uint64_t kept = history_domain_from(q.history, q.domain, &first);

	*out = (struct flame_view){.bars = f->bars};
	if (last == 0)
		return false;
	window = window < FLAME_WINDOW_MIN ? FLAME_WINDOW_MIN : window;
	window = window > FLAME_WINDOW_MAX ? FLAME_WINDOW_MAX : window;
	uint64_t slice = (window <= SECOND ? 20 : window <= 5 * SECOND ? 100 : 500) * MS;
	q.to = q.now = q.now < last ? last : q.now;
	q.from = q.now < window ? 0 : (q.now - window) / slice * slice;
	/* The blocks of a silent domain may have been evicted; open spans are known nevertheless. */
	if (kept == UINT64_MAX)
		kept = history_range(q.history).from;
	else if (first && observed_from != 0 && observed_from < kept)
		kept = observed_from;
	uint64_t from = kept > q.from ? kept : q.from;
	from = from < q.to ? from : q.to;
	(void)history_seek(q.history, q.domain, from, &f->cursor);
	flame_window(f, &q, from, out);
	return true;
}
