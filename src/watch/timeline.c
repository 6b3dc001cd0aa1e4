/*
 * timeline.c - see timeline.h.
 *
 * The spans of a row never overlap, and come in the order of their ends.  So each row has one *current
 * column*, in which times are summed by phase: a span that begins right of it completes it.  The columns
 * between the first and the last column of a longer span belong to it alone, and its last one becomes
 * current.
 *
 * This state is kept from picture to picture.  Spans that are open at the end of the picture are added to a
 * copy.
 */
#include "watch/timeline.h"

#include "model/span_time.h"

#define OPAQUE_KEPT 14
#define SUMS (RTEV_PHASE_COUNT + OPAQUE_KEPT)

/* A row, and the time by phase in its current column. */
struct row {
	unsigned column;
	uint64_t end; /* end of the column */
	unsigned used_count;
	uint8_t used[SUMS]; /* which of the sums are not 0 */
	uint64_t sums[SUMS];
};

struct work {
	struct timeline_cell *cells;
	struct timeline_column *columns;
	uint64_t t0;
	uint64_t width;
	unsigned column_count;

	uint64_t from; /* no span has time before it */
	uint64_t ts;   /* stamp of the latest record */
	bool lost;
	uint64_t lost_from;
	struct row rows[TIMELINE_ROWS_MAX];
	rtev_phase opaque[OPAQUE_KEPT]; /* phases of the last sums */
	unsigned opaque_count;
};

struct timeline {
	struct timeline_query query; /* query of the last picture */
	bool valid;		     /* there is a last picture */
	bool fixed;		     /* no later event can change it */
	struct history_cursor cursor;
	struct work work;
	struct work shown;
	/* the completed cells, and the picture; last members: only columns in use are touched */
	struct timeline_column columns[TIMELINE_COLUMNS_MAX], shown_columns[TIMELINE_COLUMNS_MAX];
	struct timeline_cell cells[TIMELINE_COLUMNS_MAX * TIMELINE_ROWS_MAX];
	struct timeline_cell shown_cells[TIMELINE_COLUMNS_MAX * TIMELINE_ROWS_MAX];
};

struct timeline *timeline_create(void)
{
	return calloc(1, sizeof(struct timeline));
}

void timeline_destroy(struct timeline *t)
{
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

/* Return the index of a phase's sum.  If the tables lack too many phases, the last ones share a sum. */
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

/* Assign a cell to a phase if its time is the largest; of equal times the first in the table counts. */
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

/* Add time of a phase to the current column of a row. */
static inline void row_add(struct work *w, struct row *r, rtev_phase phase, uint64_t time)
{
	unsigned sum = sum_of(w, phase);

	if (time == 0)
		return;
	if (r->sums[sum] == 0)
		r->used[r->used_count++] = (uint8_t)sum;
	r->sums[sum] += time;
}

/* Compute the current cell of a row. */
static void row_settle(struct work *w, unsigned row)
{
	struct row *r = &w->rows[row];
	struct timeline_cell cell = {0};

	if (r->used_count == 0)
		return;
	for (unsigned i = 0; i < r->used_count; i++) {
		unsigned sum = r->used[i];

		cell_cover(&cell, sum_phase(w, sum), r->sums[sum]);
		cell_offer(&cell, sum_phase(w, sum), r->sums[sum]);
		r->sums[sum] = 0;
	}
	*cell_at(w, r->column, row) = cell;
	r->used_count = 0;
}

/* Make the column of ts, which is in the picture or at its end, the current one of a row. */
static void row_turn(struct work *w, struct row *r, uint64_t ts)
{
	r->column = (unsigned)((ts - w->t0) / w->width);
	r->end = sum_saturating(w->t0 + r->column * w->width, w->width);
}

/* Add a span that ends inside the picture, or at its end. */
static void work_span(struct work *w, unsigned row, rtev_phase phase, uint64_t begin, uint64_t end)
{
	uint64_t from = w->from > w->t0 ? w->from : w->t0;

	if (row >= TIMELINE_ROWS_MAX)
		return;
	struct row *r = &w->rows[row];
	begin = begin < from ? from : begin;
	if (begin >= end)
		return;
	if (begin >= r->end) {
		row_settle(w, row);
		row_turn(w, r, begin);
	}
	if (end <= r->end) {
		row_add(w, r, phase, end - begin);
		return;
	}
	row_add(w, r, phase, r->end - begin);
	row_settle(w, row);
	struct timeline_cell whole = {.time = w->width, .phase = phase};
	cell_cover(&whole, phase, w->width);
	unsigned column = r->column + 1;
	row_turn(w, r, end);
	for (; column < r->column; column++)
		*cell_at(w, column, row) = whole;
	row_add(w, r, phase, end - (w->t0 + r->column * w->width));
}

/* Add a period to one of the times of the columns that it overlaps. */
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

/* Enter a user span in the columns that have no longer one. */
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

/* Add a record. */
static inline void work_take(struct work *w, const struct history_record *r)
{
	w->ts = r->ts;
	if (r->kind == HISTORY_SPAN) {
		work_span(w, r->depth, (rtev_phase)r->id, r->begin, r->ts);
		return;
	}
	switch (r->kind) {
	case HISTORY_USER:
		if (r->ts >= w->t0)
			w->columns[(r->ts - w->t0) / w->width].points++;
		break;
	case HISTORY_USER_SPAN:
		columns_user(w, r->id, r->begin, r->ts);
		break;
	case HISTORY_LIFECYCLE:
		if (r->ts >= w->t0)
			w->columns[(r->ts - w->t0) / w->width].marks++;
		break;
	case HISTORY_GAP:
		if (w->lost && (r->id != MODEL_NOTE_LOST || r->value != 0))
			columns_add(w, TIMELINE_LOST, w->lost_from, r->ts);
		w->lost = true;
		w->lost_from = r->ts;
		break;
	case HISTORY_SEEN:
		if (w->lost)
			columns_add(w, TIMELINE_LOST, w->lost_from, r->ts);
		w->lost = false;
		break;
	default:
		break;
	}
}

/* Return the end of a picture. */
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
	w->cells = t->cells;
	w->columns = t->columns;
	w->t0 = w->ts = q->t0;
	w->width = q->width;
	w->column_count = q->columns;
	for (unsigned row = 0; row < TIMELINE_ROWS_MAX; row++)
		w->rows[row].end = q->t0 + q->width;
	memset(t->cells, 0, (size_t)q->columns * TIMELINE_ROWS_MAX * sizeof(*t->cells));
	memset(t->columns, 0, q->columns * sizeof(*t->columns));
	if (!history_seek(q->history, q->domain, q->t0, &t->cursor))
		return;
	uint64_t from = history_domain_from(q->history, q->domain, &first);
	if (from <= q->t0)
		return;
	if (!first)
		columns_add(w, TIMELINE_UNKNOWN, q->t0, from > query_end(q) ? query_end(q) : from);
	w->ts = w->from = from;
}

/* Shift a picture to a later begin, by whole columns. */
static void timeline_shift(struct timeline *t, unsigned shift)
{
	struct work *w = &t->work;
	unsigned kept = w->column_count - shift;
	size_t column = TIMELINE_ROWS_MAX * sizeof(*w->cells);

	memmove(w->cells, w->cells + (size_t)shift * TIMELINE_ROWS_MAX, kept * column);
	memset(w->cells + (size_t)kept * TIMELINE_ROWS_MAX, 0, shift * column);
	memmove(w->columns, w->columns + shift, kept * sizeof(*w->columns));
	memset(w->columns + kept, 0, shift * sizeof(*w->columns));
	w->t0 += shift * w->width;
	for (unsigned row = 0; row < TIMELINE_ROWS_MAX; row++) {
		struct row *r = &w->rows[row];

		if (r->column >= shift) {
			r->column -= shift;
			continue;
		}
		for (unsigned i = 0; i < r->used_count; i++)
			r->sums[r->used[i]] = 0;
		r->used_count = 0;
		row_turn(w, r, w->t0);
	}
}

/* Whether the cached state can be extended to the picture of a query. */
static bool timeline_goes_on(const struct timeline *t, const struct timeline_query *q)
{
	const struct timeline_query *last = &t->query;

	return t->valid && q->history == last->history && q->domain == last->domain &&
	       q->width == last->width && q->columns == last->columns && q->t0 >= last->t0 &&
	       (q->t0 - last->t0) % q->width == 0 && (q->t0 - last->t0) / q->width < q->columns &&
	       history_domain_to(q->history, q->domain) >= t->work.ts;
}

/* Add spans that are open at the end of the picture.  Returns true if no event can change them. */
static bool timeline_show_open(
    struct work *w, const struct timeline_query *q, const struct history_cursor *at)
{
	uint64_t end = query_end(q), last = history_domain_to(q->history, q->domain);
	uint64_t latest = last < end ? last : w->ts, open_until = q->now > latest ? q->now : latest;
	uint64_t resume = history_resume(q->history);
	struct history_standing now;
	bool fixed = true;

	open_until = open_until < end ? open_until : end;
	history_after(at, end, &q->present, &now);
	for (unsigned i = 0; i < now.user_count; i++) {
		const struct history_frame *u = &now.users[i];
		bool open = u->end == HISTORY_OPEN;

		if (u->end != HISTORY_CUT && (!open || u->begin >= resume || resume > q->now))
			columns_user(w, u->id, u->begin, open ? open_until : end);
		fixed = fixed && !open;
	}
	for (unsigned i = 0; i < now.depth; i++) {
		const struct history_frame *f = &now.open[i];
		bool open = f->end == HISTORY_OPEN;

		work_span(w, f->depth, (rtev_phase)f->id, f->begin, open ? open_until : end);
		fixed = fixed && !open;
	}
	for (unsigned row = 0; row < TIMELINE_ROWS_MAX; row++)
		row_settle(w, row);
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
	memcpy(w->cells, t->cells, (size_t)w->column_count * TIMELINE_ROWS_MAX * sizeof(*w->cells));
	memcpy(w->columns, t->columns, w->column_count * sizeof(*w->columns));
	t->fixed = timeline_show_open(w, q, &t->cursor) && !w->lost &&
		   history_domain_to(q->history, q->domain) >= end;
	if (w->lost)
		columns_add(w, TIMELINE_LOST, w->lost_from, q->now < end ? q->now : end);
	for (size_t i = 0; i < q->present.pause_count; i++)
		if (q->present.pauses[i].to > q->t0 && q->present.pauses[i].from < end)
			columns_add(w, TIMELINE_PAUSED, q->present.pauses[i].from,
			    q->present.pauses[i].to < q->now ? q->present.pauses[i].to : q->now);
}

/* Process up to max_records new records of the picture.  Returns their number. */
static uint64_t timeline_take(struct timeline *t, uint64_t max_records)
{
	uint64_t end = query_end(&t->query), count = 0;
	struct history_record r;

	for (; count < max_records && history_next(&t->cursor, end, &r); count++)
		work_take(&t->work, &r);
	return count;
}

/* Process the new records of the picture.  Returns their number. */
static uint64_t timeline_work(struct timeline *t)
{
	uint64_t count = 0;

	for (unsigned tries = 0; tries < 2; tries++) {
		count += timeline_take(t, UINT64_MAX);
		/* The record where the last picture stopped was evicted. */
		if (!t->cursor.gone)
			break;
		timeline_begin(t, &t->query);
	}
	return count;
}

/* Whether the picture was of the present. */
static bool timeline_present(const struct timeline *t)
{
	const struct timeline_query *q = &t->query;

	return t->valid && !t->fixed && q->now < query_end(q) && query_end(q) - q->now <= q->width &&
	       history_domain_to(q->history, q->domain) >= t->work.ts;
}

void timeline_follow(struct timeline *t, uint64_t now, uint64_t max_records)
{
	struct timeline_query *q = &t->query;

	while (timeline_present(t)) {
		/* The domain had no events yet, or they came faster than they were processed. */
		if (t->cursor.gone)
			timeline_begin(t, q);
		uint64_t to = history_domain_to(q->history, q->domain), end = query_end(q);
		max_records -= timeline_take(t, max_records);
		to = now < to ? now : to;
		if (max_records == 0 || t->cursor.gone || to < end)
			return;
		/* Everything before the end was processed.  Events at `to` belong to the last column. */
		uint64_t shift = (to - end) / q->width + 1;
		if (shift >= q->columns || to > UINT64_MAX - q->width)
			return;
		timeline_shift(t, (unsigned)shift);
		q->t0 += shift * q->width;
		q->now = to;
	}
}

bool timeline_read(struct timeline *t, const struct timeline_query *q, struct timeline_view *out)
{
	*out = (struct timeline_view){0};
	if (q->columns < 1 || q->columns > TIMELINE_COLUMNS_MAX || q->width < 1 ||
	    q->width > (UINT64_MAX - q->t0) / q->columns) {
		t->valid = false;
		return false;
	}
	bool same = t->valid && t->fixed && q->t0 == t->query.t0 &&
		    q->present.pause_count == t->query.present.pause_count;
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
