/*
 * timeline.c - see timeline.h.
 *
 * Events are processed in order of time, with one *current column*.  A span that closes in the column in
 * which it began is added to the sums by phase; so is the last part of a longer span.  When time leaves a
 * column, each cell that a span crosses to the right is computed twice: without that span, which goes into
 * the cell, and with it, which the span's frame keeps until it closes.  The columns between a span's first
 * and last belong to it alone.
 *
 * This state is kept from picture to picture.  Open spans and the current column are added on a copy.
 */
#include "watch/timeline.h"

#include "model/span_time.h"
#include "watch/history_private.h"

#define OPAQUE_KEPT 14
#define SUMS (RTEV_PHASE_COUNT + OPAQUE_KEPT)
#define USER_LOOKAHEAD 262144 /* events */
#define NO_ROW UINT_MAX

/* Time by phase in one row of the current column. */
struct row {
	uint64_t sums[SUMS];
	uint8_t used[SUMS]; /* which of them are not 0 */
	unsigned used_count;
};

/* An open span. */
struct tframe {
	uint64_t begin;
	rtev_phase phase;
	bool has_with;	/* `with` is what the cell before column `alone` becomes */
	unsigned row;	/* that the span was in when it crossed a column's edge */
	unsigned alone; /* the first column that it has for itself, once time has left its first one */
	struct timeline_cell with;
};

struct work {
	struct timeline_cell *cells;
	struct timeline_column *columns;
	uint64_t t0;
	uint64_t width;
	unsigned column_count;

	unsigned current; /* column_count when all are left */
	uint64_t current_begin;
	uint64_t current_end;
	uint64_t ts; /* of the latest event */
	unsigned depth;
	bool lost;
	uint64_t lost_from;
	struct tframe frames[HISTORY_DEPTH];
	struct row rows[TIMELINE_ROWS_MAX];
	rtev_phase opaque[OPAQUE_KEPT]; /* the phases of the last sums */
	unsigned opaque_count;
};

struct timeline {
	struct timeline_query query; /* of the last picture */
	bool valid;		     /* there is one */
	bool fixed;		     /* no later event can change it */
	size_t cell_size;
	size_t column_size;
	struct timeline_cell *cells; /* what work settles */
	struct timeline_column *columns;
	struct timeline_cell *shown_cells; /* the picture */
	struct timeline_column *shown_columns;
	struct history_cursor cursor;
	struct work work;
	struct work shown;
};

struct timeline *timeline_create(void)
{
	return calloc(1, sizeof(struct timeline));
}

void timeline_destroy(struct timeline *t)
{
	if (t == NULL)
		return;
	free(t->cells);
	free(t->columns);
	free(t->shown_cells);
	free(t->shown_columns);
	free(t);
}

void timeline_forget(struct timeline *t)
{
	t->valid = false;
}

void timeline_align(uint64_t to, uint64_t span, unsigned columns, uint64_t *t0, uint64_t *width)
{
	uint64_t last, back = columns > 0 ? columns - 1 : 0;

	*width = columns > 0 ? span / columns + (span % columns != 0) : span;
	if (*width == 0)
		*width = 1;
	last = to / *width;
	*t0 = last < back ? 0 : (last - back) * *width;
}

/* Index of a phase's sum.  If the tables lack too many phases, the last ones share one. */
static unsigned sum_of(struct work *w, rtev_phase phase)
{
	unsigned i = 0;

	if (phase < RTEV_PHASE_COUNT)
		return phase;
	while (i < w->opaque_count && w->opaque[i] != phase)
		i++;
	if (i == OPAQUE_KEPT)
		i--;
	else if (i == w->opaque_count)
		w->opaque[w->opaque_count++] = phase;
	return RTEV_PHASE_COUNT + i;
}

/* The phase of a sum. */
static rtev_phase sum_phase(const struct work *w, unsigned sum)
{
	return sum < RTEV_PHASE_COUNT ? (rtev_phase)sum : w->opaque[sum - RTEV_PHASE_COUNT];
}

/* Add time of a phase to a row of the current column. */
static void row_add(struct work *w, unsigned row, rtev_phase phase, uint64_t time)
{
	struct row *r = &w->rows[row];
	unsigned sum = sum_of(w, phase);

	if (time == 0)
		return;
	if (r->sums[sum] == 0)
		r->used[r->used_count++] = (uint8_t)sum;
	r->sums[sum] += time;
}

/* Give a cell to a phase if its time is the largest; of equals the first in the table wins. */
static void cell_offer(struct timeline_cell *cell, rtev_phase phase, uint64_t time)
{
	if (time > cell->time || (time == cell->time && time > 0 && phase < cell->phase)) {
		cell->time = time;
		cell->phase = phase;
	}
}

/* Let a phase cover time of a cell. */
static void cell_cover(struct timeline_cell *cell, rtev_phase phase, uint64_t time)
{
	cell->covered += time;
	cell->idle += phase == RTEV_PHASE_DOMAIN_CONDITION_WAIT ? time : 0;
}

/* The cell of a column and a row. */
static struct timeline_cell *cell_at(struct work *w, unsigned column, unsigned row)
{
	return &w->cells[(size_t)column * TIMELINE_ROWS_MAX + row];
}

/* Compute one row of the current column as time leaves it. */
static void row_settle(struct work *w, unsigned row)
{
	struct row *r = &w->rows[row];
	struct timeline_cell cell = {0};

	for (unsigned i = 0; i < r->used_count; i++) {
		unsigned sum = r->used[i];

		cell_cover(&cell, sum_phase(w, sum), r->sums[sum]);
		cell_offer(&cell, sum_phase(w, sum), r->sums[sum]);
	}
	*cell_at(w, w->current, row) = cell;
	if (row < w->depth && w->frames[row].begin >= w->current_begin) {
		struct tframe *f = &w->frames[row];
		uint64_t part = w->current_end - f->begin;

		f->has_with = true;
		f->row = row;
		f->alone = w->current + 1;
		f->with = cell;
		cell_cover(&f->with, f->phase, part);
		cell_offer(&f->with, f->phase, r->sums[sum_of(w, f->phase)] + part);
	}
	for (unsigned i = 0; i < r->used_count; i++)
		r->sums[r->used[i]] = 0;
	r->used_count = 0;
}

/* Finish the columns before ts. */
static void work_leave(struct work *w, uint64_t ts)
{
	while (ts >= w->current_end && w->current < w->column_count) {
		for (unsigned row = 0; row < TIMELINE_ROWS_MAX; row++)
			row_settle(w, row);
		w->current++;
		w->current_begin = w->current_end;
		w->current_end = span_time_after(w->current_end, w->width);
	}
}

/* Advance to ts. */
static inline void work_advance(struct work *w, uint64_t ts)
{
	if (ts >= w->current_end)
		work_leave(w, ts);
}

/* Add the time of the open span at a depth, up to `end`. */
static void work_commit(struct work *w, unsigned depth, uint64_t end)
{
	struct tframe *f = &w->frames[depth];

	if (depth >= TIMELINE_ROWS_MAX)
		return;
	if (f->begin >= w->current_begin) {
		row_add(w, depth, f->phase, end - f->begin);
		return;
	}
	row_add(w, depth, f->phase, end - w->current_begin);
	/* A span that came to another row, because one around it was dropped, has no past there. */
	if (f->row != depth)
		return;
	if (f->has_with)
		*cell_at(w, f->alone - 1, depth) = f->with;
	struct timeline_cell whole = {.time = w->width, .phase = f->phase};
	cell_cover(&whole, f->phase, w->width);
	for (unsigned c = f->alone; c < w->current; c++)
		*cell_at(w, c, depth) = whole;
}

/* Add a stretch of time to one of the times of the columns that it lies in. */
static void columns_add(struct work *w, enum timeline_time time, uint64_t from, uint64_t to)
{
	uint64_t c = from < w->t0 ? 0 : (from - w->t0) / w->width;

	for (; c < w->column_count; c++) {
		uint64_t begin = w->t0 + c * w->width;

		if (begin >= to)
			break;
		w->columns[c].times[time] += span_time(from, to, begin, begin + w->width);
	}
}

/* Enter a user span in the columns where none is longer. */
static void columns_user(struct work *w, uint32_t slot, uint64_t begin, uint64_t end)
{
	uint64_t c = begin < w->t0 ? 0 : (begin - w->t0) / w->width;

	for (; c < w->column_count; c++) {
		uint64_t from = w->t0 + c * w->width;

		if (from >= end)
			break;
		uint64_t time = span_time(begin, end, from, from + w->width);
		if (time > w->columns[c].user_time) {
			w->columns[c].user_time = time;
			w->columns[c].user_slot = slot;
		}
	}
}

/* Take the spans that a reader has open as begun at ts, or before the current column when `before`. */
static void work_adopt(struct work *w, const struct history_cursor *c, uint64_t ts, bool before)
{
	w->depth = c->depth;
	for (unsigned i = 0; i < c->depth; i++)
		w->frames[i] = (struct tframe){
		    .begin = before ? c->open[i].begin : ts,
		    .phase = (rtev_phase)c->open[i].id,
		    .row = i,
		    .alone = w->current,
		};
}

/* A span is dropped: those inside it move down. */
static void work_drop(struct work *w, unsigned depth)
{
	w->depth--;
	memmove(&w->frames[depth], &w->frames[depth + 1], (w->depth - depth) * sizeof(w->frames[0]));
}

/* A user span ends; most lie in one column. */
static void work_user(struct work *w, const struct history_event *e)
{
	struct timeline_column *c = &w->columns[w->current];

	if (e->begin < w->current_begin) {
		if (e->begin != 0)
			columns_user(w, e->id, e->begin, e->ts);
	} else if (e->ts - e->begin > c->user_time) {
		c->user_time = e->ts - e->begin;
		c->user_slot = e->id;
	}
}

/* A span begins.  What else its frame has gets a meaning when time leaves the column. */
static inline void work_open(struct work *w, uint32_t phase, uint64_t ts)
{
	struct tframe *f = &w->frames[w->depth++];

	f->begin = ts;
	f->phase = (rtev_phase)phase;
	f->row = NO_ROW;
}

/* A span begins or ends; most events are such. */
static inline void work_take_edge(struct work *w, const struct history_edge *e)
{
	work_advance(w, e->ts);
	if (e->opened) {
		work_open(w, e->phase, e->ts);
	} else {
		work_commit(w, e->depth, e->ts);
		w->depth = e->depth;
	}
	w->ts = e->ts;
}

static void work_take(struct work *w, const struct history_event *e)
{
	work_advance(w, e->ts);
	if (w->lost && e->kind == HISTORY_GAP && e->id == MODEL_NOTE_LOST && e->value == 0)
		w->lost_from = e->ts;
	if (w->lost && e->kind != HISTORY_DROPPED && e->kind != HISTORY_RESUMED) {
		columns_add(w, TIMELINE_LOST, w->lost_from, e->ts);
		w->lost = false;
	}
	switch (e->kind) {
	case HISTORY_OPENED:
		work_open(w, e->id, e->ts);
		break;
	case HISTORY_CLOSED:
		work_commit(w, e->depth, e->ts);
		w->depth = e->depth;
		break;
	case HISTORY_DROPPED:
		work_drop(w, e->depth);
		break;
	case HISTORY_USER:
		w->columns[w->current].points++;
		break;
	case HISTORY_USER_CLOSED:
		work_user(w, e);
		break;
	case HISTORY_LIFECYCLE:
		w->columns[w->current].marks++;
		break;
	case HISTORY_GAP:
		w->lost = true;
		w->lost_from = e->ts;
		break;
	default:
		break;
	}
	w->ts = e->ts;
}

/* Where a picture ends. */
static uint64_t query_end(const struct timeline_query *q)
{
	return q->t0 + q->columns * q->width;
}

/* Begin a picture. */
static void timeline_begin(struct timeline *t, const struct timeline_query *q)
{
	struct work *w = &t->work;
	bool first;

	memset(w, 0, sizeof(*w));
	*w = (struct work){
	    .cells = t->cells,
	    .columns = t->columns,
	    .t0 = q->t0,
	    .width = q->width,
	    .column_count = q->columns,
	    .current_begin = q->t0,
	    .current_end = q->t0 + q->width,
	    .ts = q->t0,
	};
	memset(t->columns, 0, q->columns * sizeof(*t->columns));
	if (!history_seek(q->history, q->domain, q->t0, &t->cursor))
		return;
	uint64_t from = history_domain_from(q->history, q->domain, &first);
	if (from <= q->t0) {
		work_adopt(w, &t->cursor, q->t0, true);
		return;
	}
	if (from > query_end(q))
		from = query_end(q);
	if (!first)
		columns_add(w, TIMELINE_UNKNOWN, q->t0, from);
	work_advance(w, from);
	work_adopt(w, &t->cursor, from, false);
	w->ts = from;
}

/* Shift a picture to a later begin, by whole columns. */
static void timeline_shift(struct timeline *t, unsigned shift)
{
	struct work *w = &t->work;
	unsigned kept = w->column_count - shift;
	size_t column = TIMELINE_ROWS_MAX * sizeof(*w->cells);

	memmove(w->cells, w->cells + (size_t)shift * TIMELINE_ROWS_MAX, kept * column);
	memmove(w->columns, w->columns + shift, kept * sizeof(*w->columns));
	memset(w->columns + kept, 0, shift * sizeof(*w->columns));
	w->t0 += shift * w->width;
	w->current -= shift;
	for (unsigned i = 0; i < w->depth; i++) {
		struct tframe *f = &w->frames[i];

		f->has_with = f->has_with && f->alone > shift;
		f->alone = f->alone > shift ? f->alone - shift : 0;
	}
}

/* Whether the cached state can be extended to the picture of a query. */
static bool timeline_goes_on(const struct timeline *t, const struct timeline_query *q)
{
	const struct timeline_query *last = &t->query;

	return t->valid && q->history == last->history && q->domain == last->domain &&
	       q->width == last->width && q->columns == last->columns && q->t0 >= last->t0 &&
	       (q->t0 - last->t0) % q->width == 0 && (q->t0 - last->t0) / q->width <= t->work.current &&
	       (q->t0 - last->t0) / q->width < q->columns &&
	       history_domain_to(q->history, q->domain) >= t->work.ts;
}

/* Make room for a picture. */
static bool timeline_grow(struct timeline *t, const struct timeline_query *q)
{
	size_t cells = (size_t)q->columns * TIMELINE_ROWS_MAX;

	if (t->cell_size < cells) {
		free(t->cells);
		free(t->shown_cells);
		t->cells = calloc(cells, sizeof(*t->cells));
		t->shown_cells = calloc(cells, sizeof(*t->cells));
		t->valid = false;
		t->cell_size = t->cells == NULL || t->shown_cells == NULL ? 0 : cells;
	}
	if (t->column_size < q->columns) {
		free(t->columns);
		free(t->shown_columns);
		t->columns = calloc(q->columns, sizeof(*t->columns));
		t->shown_columns = calloc(q->columns, sizeof(*t->columns));
		t->valid = false;
		t->column_size = t->columns == NULL || t->shown_columns == NULL ? 0 : q->columns;
	}
	return t->cell_size >= cells && t->column_size >= q->columns;
}

/* Remove from the open user spans those that end after the picture, and those that are cut. */
static void users_look_ahead(struct history_cursor *c, bool *ended, bool *cut)
{
	struct history_cursor ahead = *c;
	struct history_event e;
	unsigned left = c->user_count;

	for (unsigned n = 0; left > 0 && n < USER_LOOKAHEAD && history_next(&ahead, UINT64_MAX, &e); n++) {
		if (e.kind != HISTORY_USER_CLOSED && e.kind != HISTORY_GAP && e.kind != HISTORY_RESUMED)
			continue;
		for (unsigned i = 0; i < c->user_count; i++) {
			if (ended[i] || cut[i])
				continue;
			if (e.kind == HISTORY_USER_CLOSED)
				ended[i] = e.id == c->users[i].id && e.begin == c->users[i].begin;
			else
				cut[i] = e.kind != HISTORY_RESUMED || c->users[i].begin < e.begin;
			left -= ended[i] || cut[i];
		}
	}
}

/* Add the spans open at the end of the picture.  True if the ends of all are known. */
static bool timeline_show_open(struct timeline *t, struct work *w, uint64_t end, uint64_t now)
{
	bool ended[HISTORY_DEPTH] = {false}, cut[HISTORY_DEPTH] = {false}, fixed = true;
	uint64_t ends[HISTORY_DEPTH];
	uint64_t open_until = now < w->ts ? w->ts : now < end ? now : end;
	struct history_cursor *c = &t->cursor;
	uint64_t resume = history_resume(t->query.history);

	users_look_ahead(c, ended, cut);
	for (unsigned i = 0; i < c->user_count; i++) {
		if (!cut[i] && (ended[i] || c->users[i].begin >= resume || resume > now))
			columns_user(w, c->users[i].id, c->users[i].begin, ended[i] ? end : open_until);
		fixed = fixed && (cut[i] || ended[i]);
	}
	history_ends(c, w->depth, ends);
	work_advance(w, open_until);
	for (unsigned i = w->depth; i-- > 0;) {
		if (ends[i] == HISTORY_OPEN) {
			work_commit(w, i, open_until);
			fixed = false;
		}
	}
	/* Those that end later take the rest of the picture, which is empty otherwise. */
	work_advance(w, end);
	for (unsigned i = w->depth; i-- > 0;)
		if (ends[i] != HISTORY_OPEN && ends[i] != HISTORY_CUT)
			work_commit(w, i, end);
	return fixed;
}

/* Build the picture on a copy of the state. */
static void timeline_show(struct timeline *t, const struct timeline_query *q)
{
	struct work *w = &t->shown;
	uint64_t end = query_end(q);

	t->shown = t->work;
	w->cells = t->shown_cells;
	w->columns = t->shown_columns;
	memcpy(w->cells, t->cells, (size_t)w->current * TIMELINE_ROWS_MAX * sizeof(*w->cells));
	memcpy(w->columns, t->columns, w->column_count * sizeof(*w->columns));
	t->fixed = timeline_show_open(t, w, end, q->now) && !w->lost &&
		   history_domain_to(q->history, q->domain) >= end;
	if (w->lost)
		columns_add(w, TIMELINE_LOST, w->lost_from, q->now < end ? q->now : end);
	for (size_t i = 0; i < q->pause_count; i++)
		if (q->pauses[i].to > q->t0 && q->pauses[i].from < end)
			columns_add(w, TIMELINE_PAUSED, q->pauses[i].from,
			    q->pauses[i].to < q->now ? q->pauses[i].to : q->now);
}

/* Process up to so many new events of the picture; returns how many there were. */
static uint64_t timeline_take(struct timeline *t, uint64_t max_events)
{
	uint64_t end = query_end(&t->query), count = 0;
	struct history_event e;
	struct history_edge edge;

	for (; count < max_events && !t->cursor.gone; count++) {
		if (!t->work.lost && history_take_edge(&t->cursor, end, &edge))
			work_take_edge(&t->work, &edge);
		else if (history_next(&t->cursor, end, &e))
			work_take(&t->work, &e);
		else
			break;
	}
	return count;
}

/* Process the events of the picture that are new; returns how many. */
static uint64_t timeline_work(struct timeline *t)
{
	uint64_t count = 0;

	for (unsigned tries = 0; tries < 2; tries++) {
		count += timeline_take(t, UINT64_MAX);
		/* The place where the last picture stopped is no longer kept. */
		if (!t->cursor.gone)
			break;
		timeline_begin(t, &t->query);
	}
	return count;
}

/* Whether the picture was that of the present. */
static bool timeline_present(const struct timeline *t)
{
	const struct timeline_query *q = &t->query;

	return t->valid && !t->fixed && q->now < query_end(q) && query_end(q) - q->now <= q->width &&
	       history_domain_to(q->history, q->domain) >= t->work.ts;
}

void timeline_follow(struct timeline *t, uint64_t now, uint64_t max_events)
{
	struct timeline_query *q = &t->query;

	while (timeline_present(t)) {
		/* The domain had no events yet, or they came faster than they were taken. */
		if (t->cursor.gone)
			timeline_begin(t, q);
		uint64_t to = history_domain_to(q->history, q->domain), end = query_end(q);
		max_events -= timeline_take(t, max_events);
		to = now < to ? now : to;
		if (max_events == 0 || t->cursor.gone || to < end)
			return;
		/* All before the end is taken.  What is at `to` comes into the last column. */
		uint64_t shift = (to - end) / q->width + 1;
		if (shift >= q->columns || to > UINT64_MAX - q->width)
			return;
		work_advance(&t->work, end);
		timeline_shift(t, (unsigned)shift);
		q->t0 += shift * q->width;
		q->now = to;
	}
}

bool timeline_read(struct timeline *t, const struct timeline_query *q, struct timeline_view *out)
{
	*out = (struct timeline_view){0};
	if (q->columns < 1 || q->columns > TIMELINE_COLUMNS_MAX || q->width < 1 ||
	    q->width > (UINT64_MAX - q->t0) / q->columns || !timeline_grow(t, q)) {
		t->valid = false;
		return false;
	}
	bool same = t->valid && t->fixed && q->t0 == t->query.t0 && q->pause_count == t->query.pause_count;
	if (!timeline_goes_on(t, q)) {
		timeline_begin(t, q);
		same = false;
	} else if (q->t0 > t->query.t0)
		timeline_shift(t, (unsigned)((q->t0 - t->query.t0) / q->width));
	t->valid = true;
	t->query = *q;
	if (!same) {
		out->decoded = timeline_work(t);
		timeline_show(t, q);
	}
	out->cells = t->shown_cells;
	out->columns = t->shown_columns;
	out->column_count = q->columns;
	return true;
}
