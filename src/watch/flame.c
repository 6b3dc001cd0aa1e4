/*
 * flame.c - a flame graph of the last seconds; see flame.h, and flame_private.h for how it is kept.
 */
#include "watch/flame_private.h"

#include "core/copy.h"
#include "model/span_time.h"

#define MS 1000000u
#define ROWS_FIRST 8

struct flame_ring {
	uint64_t length; /* of a slice */
	unsigned count;	 /* of slices */
	unsigned offset; /* in a row */
};

/* The finest first. */
static const struct flame_ring flame_rings[FLAME_RINGS] = {
    {20 * MS, FLAME_RING_NARROW, 0},
    {100 * MS, FLAME_RING_NARROW, FLAME_RING_NARROW},
    {500 * MS, FLAME_RING_WIDE, 2 * FLAME_RING_NARROW},
};

/* The cells of a row. */
static uint32_t *row_cells(const struct flame_domain *d, unsigned row)
{
	return d->rows + (size_t)row * FLAME_ROW;
}

/* The position in a row of a slice of a ring. */
static unsigned ring_position(const struct flame_ring *r, uint64_t slice)
{
	return r->offset + (unsigned)(slice % r->count);
}

struct flame *flame_create(const struct path_tree *paths)
{
	struct flame *f = calloc(1, sizeof(*f));

	if (f != NULL)
		f->paths = paths;
	return f;
}

void flame_set_budget(struct flame *f, struct budget *budget)
{
	f->budget = budget;
}

bool flame_left_out(const struct flame *f, unsigned domain)
{
	return domain < MODEL_DOMAINS_MAX && f->left_out[domain];
}

/* Take memory for a domain.  False when there is none left. */
static bool domain_take(struct flame_domain *d, size_t bytes)
{
	if (!budget_take(d->budget, bytes)) {
		d->refused = true;
		return false;
	}
	d->bytes += bytes;
	return true;
}

/* Free a domain; NULL is allowed. */
static void domain_destroy(struct flame_domain *d)
{
	if (d == NULL)
		return;
	budget_give(d->budget, d->bytes);
	free(d->rows);
	for (unsigned i = 0; i < PATH_DEPTH_MAX; i++)
		free(d->spill[i]);
	free(d);
}

void flame_destroy(struct flame *f)
{
	if (f == NULL)
		return;
	for (unsigned i = 0; i < MODEL_DOMAINS_MAX; i++)
		domain_destroy(f->domains[i]);
	free(f);
}

/* Copy a domain; NULL of NULL. */
static struct flame_domain *domain_copy(const struct flame_domain *from, bool *ok)
{
	struct flame_domain *d = copy_bytes(from, sizeof(*from), ok);

	if (d == NULL)
		return NULL;
	d->budget = NULL;
	d->rows = copy_bytes(from->rows, (size_t)from->row_size * FLAME_ROW * sizeof(*from->rows), ok);
	for (unsigned i = 0; i < PATH_DEPTH_MAX; i++)
		d->spill[i] = copy_bytes(from->spill[i], FLAME_ROW * sizeof(*from->spill[i]), ok);
	return d;
}

struct flame *flame_copy(const struct flame *from, const struct path_tree *paths)
{
	struct flame *f = flame_create(paths);
	bool ok = f != NULL;

	for (unsigned i = 0; i < MODEL_DOMAINS_MAX && ok; i++) {
		f->left_out[i] = from->left_out[i];
		f->domains[i] = domain_copy(from->domains[i], &ok);
	}
	if (ok)
		return f;
	flame_destroy(f);
	return NULL;
}

/* Make the row of a path.  0, and the domain to be left out, when memory ran out; 0 also of PATH_NONE. */
static __attribute__((noinline)) unsigned domain_row_make(struct flame_domain *d, uint16_t path)
{
	unsigned size = d->row_size == 0 ? ROWS_FIRST : 2 * d->row_size;

	if (path == PATH_NONE)
		return 0;
	if (d->row_count + 1 >= d->row_size) {
		if (!domain_take(d, (size_t)(size - d->row_size) * FLAME_ROW * sizeof(*d->rows)))
			return 0;
		uint32_t *rows = realloc(d->rows, (size_t)size * FLAME_ROW * sizeof(*rows));
		d->refused = rows == NULL;
		if (rows == NULL)
			return 0;
		d->rows = rows;
		d->row_size = size;
	}
	d->row_of[path] = (uint16_t)++d->row_count;
	memset(row_cells(d, d->row_count), 0, FLAME_ROW * sizeof(*d->rows));
	return d->row_count;
}

/* The domain, made when it is not there yet; NULL when there is no place for it. */
static struct flame_domain *domain_get(struct flame *f, unsigned domain)
{
	struct flame_domain *d;

	if (domain >= MODEL_DOMAINS_MAX)
		return NULL;
	if (f->domains[domain] != NULL || f->left_out[domain])
		return f->domains[domain];
	d = calloc(1, sizeof(*d));
	if (d == NULL)
		return NULL;
	d->budget = f->budget;
	if (!domain_take(d, sizeof(*d))) {
		f->left_out[domain] = d->refused;
		domain_destroy(d);
		return NULL;
	}
	f->domains[domain] = d;
	return d;
}

/* Leave a domain out from now on that has had no more memory: part of its time would be a wrong number. */
static void domain_leave_out(struct flame *f, unsigned domain)
{
	f->left_out[domain] = true;
	domain_destroy(f->domains[domain]);
	f->domains[domain] = NULL;
}

/* Zero some positions of every row: of the paths, and of the frames that have spilled. */
static void domain_clear(struct flame_domain *d, unsigned position, unsigned count)
{
	for (unsigned n = 1; n <= d->row_count; n++)
		memset(row_cells(d, n) + position, 0, count * sizeof(*d->rows));
	for (unsigned i = 0; i < PATH_DEPTH_MAX; i++)
		if (d->frames[i].spilled)
			memset(d->spill[i] + position, 0, count * sizeof(*d->spill[i]));
}

/* Add to one place of a row, which stays at its largest. */
static void row_add(uint32_t *place, uint64_t time)
{
	*place = time > UINT32_MAX - *place ? UINT32_MAX : *place + (uint32_t)time;
}

/* Add the time that waits to the rows. */
static void domain_flush(struct flame_domain *d)
{
	unsigned places[FLAME_RINGS];

	for (unsigned r = 0; r < FLAME_RINGS; r++)
		places[r] = ring_position(&flame_rings[r], d->cur[r]);
	for (unsigned n = 1; n <= d->row_count; n++) {
		if (d->now[n] == 0)
			continue;
		for (unsigned r = 0; r < FLAME_RINGS; r++)
			row_add(&row_cells(d, n)[places[r]], d->now[n]);
		d->now[n] = 0;
	}
}

/* Have the next event looked at closely if it is not of the current slice, or ends a gap. */
static void domain_set_plain(struct flame_domain *d)
{
	d->plain_end = d->gap_open ? 0 : d->slice_end;
}

/* Advance all rings to the slices of ts, which must not be before the current ones. */
static void domain_turn(struct flame_domain *d, uint64_t ts)
{
	bool fresh = d->slice_end == 0;

	domain_flush(d);
	for (unsigned r = 0; r < FLAME_RINGS; r++) {
		uint64_t slice = ts / flame_rings[r].length;

		if (fresh || slice - d->cur[r] >= flame_rings[r].count)
			domain_clear(d, flame_rings[r].offset, flame_rings[r].count);
		else
			for (uint64_t s = d->cur[r] + 1; s <= slice; s++)
				domain_clear(d, ring_position(&flame_rings[r], s), 1);
		d->cur[r] = slice;
	}
	d->slice_end = d->cur[0] >= UINT64_MAX / flame_rings[0].length
			   ? UINT64_MAX
			   : (d->cur[0] + 1) * flame_rings[0].length;
	d->slice_begin = d->cur[0] * flame_rings[0].length;
	domain_set_plain(d);
}

/* Forget all of a domain but its paths. */
static void domain_restart(struct flame_domain *d)
{
	d->slice_end = d->plain_end = 0;
	memset(d->frames, 0, sizeof(d->frames));
	d->gap_count = 0;
	d->gap_open = false;
}

/* Close the gap that is open: events come again at ts. */
static void domain_gap_end(struct flame_domain *d, uint64_t ts)
{
	struct flame_gap *g = &d->gaps[d->gap_count++ % FLAME_GAPS];

	d->gap_open = false;
	domain_set_plain(d);
	*g = (struct flame_gap){d->last, ts};
}

/* domain_stamp of an event that is not plain. */
static __attribute__((noinline)) uint64_t domain_stamp_rare(struct flame_domain *d, uint64_t ts)
{
	if (ts < d->last && d->slice_end != 0) {
		if (d->last - ts <= FLAME_WINDOW_MAX)
			return d->last;
		domain_restart(d);
	}
	if (d->slice_end == 0) {
		domain_turn(d, ts);
		d->first = d->last = ts;
	}
	if (d->gap_open)
		domain_gap_end(d, ts);
	if (ts >= d->slice_end)
		domain_turn(d, ts);
	d->last = ts;
	return ts;
}

/* Take in the stamp of an event and return it, moved up to the domain's latest when it goes back. */
static inline uint64_t domain_stamp(struct flame_domain *d, uint64_t ts)
{
	if (ts < d->last || ts >= d->plain_end)
		return domain_stamp_rare(d, ts);
	d->last = ts;
	return ts;
}

/* Bring what ended inside an open span, in the fine slice that it is counted for, to a row of its own. */
static bool frame_spill(struct flame_domain *d, unsigned depth)
{
	struct flame_frame *f = &d->frames[depth];

	if (!f->spilled) {
		if (d->spill[depth] == NULL && domain_take(d, FLAME_ROW * sizeof(*d->spill[depth])))
			d->spill[depth] = malloc(FLAME_ROW * sizeof(*d->spill[depth]));
		if (d->spill[depth] == NULL)
			return false;
		memset(d->spill[depth], 0, FLAME_ROW * sizeof(*d->spill[depth]));
		f->spilled = true;
	}
	for (unsigned r = 0; r < FLAME_RINGS; r++) {
		uint64_t slice = f->kids_slice / (flame_rings[r].length / flame_rings[0].length);

		if (d->cur[r] - slice < flame_rings[r].count)
			row_add(&d->spill[depth][ring_position(&flame_rings[r], slice)], f->kids);
	}
	f->kids = 0;
	return true;
}

/* Add a stretch of time, split at the slices, to a row, less what `except` (may be NULL) has there. */
static void domain_add_split(
    const struct flame_domain *d, uint32_t *row, uint64_t begin, uint64_t end, const uint32_t *except)
{
	for (unsigned r = 0; r < FLAME_RINGS; r++) {
		const struct flame_ring *ring = &flame_rings[r];
		uint64_t oldest = d->cur[r] < ring->count ? 0 : d->cur[r] - ring->count + 1;
		uint64_t slice = begin / ring->length;

		for (slice = slice < oldest ? oldest : slice; slice <= d->cur[r]; slice++) {
			uint64_t from = slice * ring->length;
			unsigned p = ring_position(ring, slice);

			if (from >= end)
				break;
			uint64_t time = span_time(begin, end, from, span_time_after(from, ring->length));
			if (except != NULL)
				time = time > except[p] ? time - except[p] : 0;
			row_add(&row[p], time);
		}
	}
}

/* Add the time of a span that lies in several slices, or not in the current one. */
static void domain_add_slices(
    struct flame_domain *d, const struct model_span *span, unsigned row, uint64_t begin, uint64_t end)
{
	const unsigned depth = span->depth;
	const struct flame_frame *f = &d->frames[depth];

	if ((f->kids > 0 || f->spilled) && !frame_spill(d, depth))
		return;
	domain_add_split(d, row_cells(d, row), begin, end, f->spilled ? d->spill[depth] : NULL);
	if (depth > 0 && frame_spill(d, depth - 1))
		domain_add_split(d, d->spill[depth - 1], begin, end, NULL);
}

/* Add the time of a span that ends at `end`: none if that is later than its own stamp, as stamps went back. */
static void domain_add(struct flame_domain *d, const struct model_span *span, uint64_t end)
{
	const struct flame_frame *f = &d->frames[span->depth];
	uint64_t begin = span->end == end && span->begin < end ? span->begin : end, duration = end - begin;
	unsigned row = d->row_of[span->path];

	if (row == 0 && (row = domain_row_make(d, span->path)) == 0)
		return;
	if (f->spilled || begin < d->slice_begin) {
		domain_add_slices(d, span, row, begin, end);
		return;
	}
	d->now[row] += duration > f->kids ? (uint32_t)(duration - f->kids) : 0;
	if (span->depth == 0)
		return;
	struct flame_frame *around = &d->frames[span->depth - 1];
	if (around->kids_slice != d->cur[0]) {
		if (around->kids > 0 && !frame_spill(d, span->depth - 1))
			return;
		around->kids_slice = d->cur[0];
	}
	around->kids += duration;
}

void flame_closed(struct flame *f, unsigned domain, const struct model_span *span)
{
	struct flame_domain *d = domain < MODEL_DOMAINS_MAX ? f->domains[domain] : NULL;

	if (d == NULL)
		return;
	uint64_t end = domain_stamp(d, span->end);
	if (span->depth >= PATH_DEPTH_MAX)
		return;
	domain_add(d, span, end);
	d->frames[span->depth].kids = 0;
	d->frames[span->depth].spilled = false;
	if (d->refused)
		domain_leave_out(f, domain);
}

/*
 * A span is dropped.  What has ended inside it is time that the span around it doesn't have for itself either.  Spans
 * inside it that are left move down.
 */
static void flame_dropped(void *ctx, unsigned domain, rtev_phase phase, uint64_t begin, unsigned depth)
{
	struct flame *f = ctx;
	struct flame_domain *d = domain < MODEL_DOMAINS_MAX ? f->domains[domain] : NULL;

	if (d == NULL || depth >= PATH_DEPTH_MAX)
		return;
	const struct flame_frame gone = d->frames[depth];
	if (depth > 0 && (gone.kids > 0 || gone.spilled)) {
		struct flame_frame *around = &d->frames[depth - 1];

		if (gone.spilled && frame_spill(d, depth - 1))
			for (unsigned i = 0; i < FLAME_ROW; i++)
				row_add(&d->spill[depth - 1][i], d->spill[depth][i]);
		if (around->kids > 0 && around->kids_slice != gone.kids_slice)
			frame_spill(d, depth - 1);
		around->kids_slice = gone.kids_slice;
		around->kids += gone.kids;
	}
	uint32_t *spill = d->spill[depth];
	size_t above = PATH_DEPTH_MAX - 1 - depth;
	memmove(&d->frames[depth], &d->frames[depth + 1], above * sizeof(d->frames[0]));
	memmove(&d->spill[depth], &d->spill[depth + 1], above * sizeof(d->spill[0]));
	d->frames[PATH_DEPTH_MAX - 1] = (struct flame_frame){0};
	d->spill[PATH_DEPTH_MAX - 1] = spill;
	if (d->refused)
		domain_leave_out(f, domain);
}

/* Words were lost, so nothing is known of the time until the next event. */
static void flame_gap(void *ctx, unsigned domain, enum model_note_kind kind, uint64_t after_ts,
    uint64_t words, uint64_t history)
{
	struct flame *f = ctx;
	struct flame_domain *d = domain < MODEL_DOMAINS_MAX ? f->domains[domain] : NULL;

	if (d == NULL || d->slice_end == 0)
		return;
	domain_stamp(d, after_ts > d->last ? after_ts : d->last);
	d->gap_open = true;
	domain_set_plain(d);
}

/* The loss began later than the last event. */
static void flame_lost_from(void *ctx, unsigned domain, uint64_t ts)
{
	struct flame *f = ctx;
	struct flame_domain *d = domain < MODEL_DOMAINS_MAX ? f->domains[domain] : NULL;

	if (d == NULL || !d->gap_open || ts <= d->last)
		return;
	d->gap_open = false;
	domain_stamp(d, ts);
	d->gap_open = true;
	domain_set_plain(d);
}

void flame_touch(struct flame *f, unsigned domain, uint64_t ts)
{
	struct flame_domain *d = domain_get(f, domain);

	if (d != NULL)
		domain_stamp(d, ts);
}

static void flame_any_opened(void *ctx, unsigned domain, rtev_phase phase, uint64_t ts, unsigned depth)
{
	flame_touch(ctx, domain, ts);
}

static void flame_any_closed(void *ctx, unsigned domain, const struct model_span *span)
{
	flame_closed(ctx, domain, span);
}

static void flame_counter(void *ctx, unsigned domain, uint64_t ts, rtev_counter counter, int64_t value)
{
	flame_touch(ctx, domain, ts);
}

static void flame_lifecycle(void *ctx, unsigned domain, uint64_t ts, rtev_lifecycle event, int64_t data)
{
	flame_touch(ctx, domain, ts);
}

static void flame_user(void *ctx, unsigned domain, uint64_t ts, unsigned slot, int64_t value)
{
	flame_touch(ctx, domain, ts);
}

static void flame_user_opened(void *ctx, unsigned domain, uint64_t ts, unsigned slot)
{
	flame_touch(ctx, domain, ts);
}

void flame_observer(struct flame *f, struct model_observer *out)
{
	*out = (struct model_observer){
	    .ctx = f,
	    .opened = flame_any_opened,
	    .closed = flame_any_closed,
	    .dropped = flame_dropped,
	    .counter = flame_counter,
	    .lifecycle = flame_lifecycle,
	    .user = flame_user,
	    .user_opened = flame_user_opened,
	    .gap = flame_gap,
	    .lost_from = flame_lost_from,
	};
}

/* ---- reading ---- */

/* Sum the slices [first, current] of a ring in a row. */
static uint64_t row_sum(const struct flame_domain *d, const uint32_t *row, unsigned r, uint64_t first)
{
	uint64_t sum = 0;

	for (uint64_t s = first; s <= d->cur[r]; s++)
		sum += row[ring_position(&flame_rings[r], s)];
	return sum;
}

/* Add to self[] the own time that the open spans have in the window so far. */
static void domain_add_open(const struct flame_domain *d, const struct flame_query *q, unsigned r,
    uint64_t first, uint64_t now, uint64_t *self)
{
	uint64_t from = first * flame_rings[r].length, inner = now;

	for (unsigned i = q->depth < PATH_DEPTH_MAX ? q->depth : PATH_DEPTH_MAX; i-- > 0;) {
		const struct flame_frame *f = &d->frames[i];
		const struct model_open_span *open = &q->stack[i];
		uint64_t begin = open->begin > from ? open->begin : from, time, kids = 0;

		if (open->path == PATH_NONE)
			continue;
		if (begin > inner)
			begin = inner;
		time = inner - begin;
		if (f->spilled)
			kids = row_sum(d, d->spill[i], r, first);
		if (f->kids_slice / (flame_rings[r].length / flame_rings[0].length) >= first)
			kids += f->kids;
		self[open->path] += time > kids ? time - kids : 0;
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
		domain_turn(d, now);
	domain_flush(d);
	unsigned r = ring_for(window);
	first = now < window ? 0 : (now - window) / flame_rings[r].length;
	for (unsigned n = 1; n <= f->paths->count; n++)
		f->self[n] = d->row_of[n] != 0 ? row_sum(d, row_cells(d, d->row_of[n]), r, first) : 0;
	/* While the target has paused its events nothing is known of the open spans: their ends will never be
	 * written. */
	if (span_time_paused(query->pauses, query->pause_count, now, span_time_after(now, 1)) == 0)
		domain_add_open(d, query, r, first, now, f->self);
	out->count = flame_bars(f->paths, f->self, f->sum, f->bars);
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
