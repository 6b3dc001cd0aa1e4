/*
 * trend_bytes.c - serialize a trend for recordings, and read it back.
 *
 * Numbers are varints of core/varint.h, floats are their bits.  The format is: a version and the lengths of
 * the tiers; the members of the trend itself; the domains; the lives that ended; the open histograms; the
 * marks; and the cells of each tier, latest first.  A cell is the distance of its step to the previous one,
 * a mask of its non-zero fields, and these fields.  When there is no room the last cells, the oldest
 * minutes, are left out.
 *
 * Input is untrusted: every number is checked before it is used, and a trend is replaced only when all of it
 * is valid.
 */
#include "watch/trend_private.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/sum.h"
#include "core/varint.h"

#define VERSION 1
#define CELL_BYTES (2 * VARINT_MAX + 27 * VARINT_MAX + VARINT_SLACK) /* maximum size of a cell */
#define FLOAT_MOST 1e19F /* bound of floats that hold ns or words */

/* X(member): the fields of a cell. */
/* clang-format off */
#define CELL_NUMBERS(X) \
	X(gc_ns) X(observed_ns) X(seen_ns) X(allocated) X(promoted) X(pause_max) X(sampled_us) X(cpu) X(throttled_us) X(pauses) \
	X(events) X(lost_words) X(flags) X(gc_low) X(gc_high)
#define CELL_FLOATS(X) \
	X(p50) X(p99) X(heap.last) X(heap.low) X(heap.high) X(resident.last) X(resident.low) X(resident.high) \
	X(allocated_low) X(allocated_high) X(promoted_low) X(promoted_high)
/* clang-format on */

#define SIZE_OF(member) +sizeof(((struct trend_cell *)NULL)->member)
static_assert(
    0 CELL_NUMBERS(SIZE_OF) CELL_FLOATS(SIZE_OF) == sizeof(struct trend_cell), "no field is left out");

/* X(member): members of the trend itself. */
/* clang-format off */
#define WHOLE(X) \
	X(live) X(attach_ts) X(latest) X(has_allocated) X(has_promoted) X(has_pauses) X(seen) X(seen_from) X(settled) \
	X(tail_to) X(stopped) X(stop_ts) X(folded) X(marked_to) X(sampled_to) X(heap_ts) X(heaps) X(heap_late)
/* clang-format on */

/* ---- writing ---- */

struct writing {
	uint8_t *at, *end; /* `end` leaves room for the slack of a varint */
};

/* Return whether there is room for so many numbers. */
static bool room_for(const struct writing *w, size_t numbers)
{
	return (size_t)(w->end - w->at) >= numbers * VARINT_MAX;
}

static void put(struct writing *w, uint64_t value)
{
	w->at = varint_put(w->at, value);
}

static uint64_t bits_of(float value)
{
	uint32_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

/* Write a cell. */
static void put_cell(struct writing *w, const struct trend_cell *cell)
{
	uint32_t fields = 0;
	unsigned n = 0;

#define MARK_NUMBER(member) fields |= (uint32_t)(cell->member != 0) << n++;
#define MARK_FLOAT(member) fields |= (uint32_t)(bits_of(cell->member) != 0) << n++;
	CELL_NUMBERS(MARK_NUMBER)
	CELL_FLOATS(MARK_FLOAT)
#undef MARK_NUMBER
#undef MARK_FLOAT
	put(w, fields);
#define PUT_NUMBER(member)                                                                                   \
	if (cell->member != 0)                                                                               \
		put(w, cell->member);
#define PUT_FLOAT(member)                                                                                    \
	if (bits_of(cell->member) != 0)                                                                      \
		put(w, bits_of(cell->member));
	CELL_NUMBERS(PUT_NUMBER)
	CELL_FLOATS(PUT_FLOAT)
#undef PUT_NUMBER
#undef PUT_FLOAT
}

/* Write the non-empty cells of a tier, latest first, as many as there is room for.  A step of 0 ends them. */
static void put_tier(struct writing *w, const struct trend *t, unsigned tier)
{
	static const struct trend_cell empty;
	const struct trend_tier *r = &t->tiers[tier];
	uint64_t before = r->head + 1;

	put(w, r->begun);
	put(w, r->head);
	for (unsigned i = 0; r->begun && i < trend_tier_rows[tier].steps && i <= r->head; i++) {
		const struct trend_cell *cell = trend_cell_of(t, tier, r->head - i);
		/* Always leave room for the numbers that begin and end the following tiers. */
		if ((size_t)(w->end - w->at) < CELL_BYTES + 3 * TREND_TIER_COUNT * VARINT_MAX)
			break;
		if (memcmp(cell, &empty, sizeof(empty)) == 0)
			continue;
		put(w, before - (r->head - i));
		before = r->head - i;
		put_cell(w, cell);
	}
	put(w, 0);
}

/* Write an open histogram. */
static bool put_hist(struct writing *w, unsigned number, const struct trend_hist *h)
{
	uint32_t places = 0;

	for (unsigned i = 0; i < HIST_PLACES; i++)
		places += h->counts[i] != 0;
	if (!room_for(w, 6 + 2 * (size_t)places))
		return false;
	put(w, number + 1);
	put(w, h->step);
	put(w, h->min);
	put(w, h->max);
	put(w, places);
	for (unsigned i = 0, last = 0; i < HIST_PLACES; i++) {
		if (h->counts[i] == 0)
			continue;
		put(w, i - last);
		put(w, h->counts[i]);
		last = i;
	}
	return true;
}

/* Write the members of the trend itself.  False when there is no room. */
static bool put_whole(struct writing *w, const struct trend *t)
{
	uint64_t heap;

	if (!room_for(w, 32))
		return false;
	put(w, VERSION);
	for (unsigned tier = 0; tier < TREND_TIER_COUNT; tier++) {
		put(w, trend_tier_rows[tier].length);
		put(w, trend_tier_rows[tier].steps);
	}
#define PUT(member) put(w, t->member);
	WHOLE(PUT)
#undef PUT
	memcpy(&heap, &t->heap, sizeof(heap));
	put(w, heap);
	return true;
}

/* Write the domains, and the lives that ended.  False when there is no room. */
static bool put_domains(struct writing *w, const struct trend *t)
{
	if (!room_for(w, 2 + 4 * (size_t)t->domain_limit + 2 * (size_t)t->ended_count))
		return false;
	for (unsigned i = 0; i < t->domain_limit; i++) {
		const struct trend_domain *d = &t->domains[i];
		if (!d->noticed && !d->has_heap)
			continue;
		put(w, i + 1);
		put(w, (unsigned)d->noticed | (unsigned)d->alive << 1 | (unsigned)d->has_heap << 2);
		put(w, d->since);
		put(w, bits_of(d->heap));
	}
	put(w, 0);
	put(w, t->ended_count);
	for (unsigned i = 0; i < t->ended_count; i++) {
		put(w, t->ended[i].from);
		put(w, t->ended[i].to);
	}
	return true;
}

/* Write the marks of a kind. */
static bool put_marks(struct writing *w, const struct trend *t, enum trend_mark_kind kind)
{
	size_t count = trend_marks(t, kind);

	if (!room_for(w, 3 + 4 * count))
		return false;
	put(w, (uint64_t)kind + 1);
	put(w, count);
	for (size_t i = 0; i < count; i++) {
		const struct trend_mark *mark = trend_mark_at(t, kind, i);
		put(w, mark->from);
		put(w, mark->to);
		put(w, mark->value);
		put(w, mark->count);
	}
	return true;
}

size_t trend_save(struct trend *t, void *to, size_t room)
{
	struct writing w = {.at = to, .end = (uint8_t *)to + room - VARINT_SLACK};

	trend_flush(t);
	if (room < VARINT_SLACK || !put_whole(&w, t) || !put_domains(&w, t))
		return 0;
	for (unsigned i = 0; i < TREND_HISTS; i++)
		if (t->hists[i].used && !put_hist(&w, i, &t->hists[i]))
			return 0;
	put(&w, 0);
	for (int k = 0; k < TREND_MARK_COUNT; k++)
		if (!put_marks(&w, t, (enum trend_mark_kind)k))
			return 0;
	put(&w, 0);
	if (!room_for(&w, 3 * (size_t)TREND_TIER_COUNT))
		return 0;
	for (unsigned tier = 0; tier < TREND_TIER_COUNT; tier++)
		put_tier(&w, t, tier);
	return (size_t)(w.at - (uint8_t *)to);
}

/* ---- reading ---- */

/* Read a float, which must be a number and not negative. */
static float get_float(struct varint_bytes *r)
{
	uint32_t bits = (uint32_t)varint_next(r, UINT32_MAX);
	float value;

	memcpy(&value, &bits, sizeof(value));
	if (value >= 0 && value <= FLOAT_MOST)
		return value;
	r->fault = true;
	return 0;
}

/* The largest value of a member of an integer type. */
#define MOST(member) (sizeof(member) == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * (sizeof(member) % 8)) - 1)

/* Read a cell. */
static void get_cell(struct varint_bytes *r, struct trend_cell *cell)
{
	uint32_t fields = (uint32_t)varint_next(r, (1u << 27) - 1);

#define GET_NUMBER(member)                                                                                   \
	if ((fields & 1) != 0)                                                                               \
		cell->member = (__typeof__(cell->member))varint_next(r, MOST(cell->member));                 \
	fields >>= 1;
#define GET_FLOAT(member)                                                                                    \
	if ((fields & 1) != 0)                                                                               \
		cell->member = get_float(r);                                                                 \
	fields >>= 1;
	CELL_NUMBERS(GET_NUMBER)
	CELL_FLOATS(GET_FLOAT)
#undef GET_NUMBER
#undef GET_FLOAT
	cell->flags &= TREND_CLOSED | TREND_LATE | TREND_HAS_HEAP | TREND_COUNTED | TREND_FOLDED |
		       TREND_HAS_RESIDENT | TREND_HAS_THROTTLED | TREND_LOSSY | TREND_UNREAD;
}

/* Read the cells of a tier. */
static void get_tier(struct varint_bytes *r, struct trend *t, unsigned tier)
{
	const struct trend_tier_row *row = &trend_tier_rows[tier];
	struct trend_tier *ring = &t->tiers[tier];

	ring->begun = varint_next(r, 1) != 0;
	ring->head = varint_next(r, UINT64_MAX / row->length - 1);
	uint64_t step = ring->head + 1, back;
	while ((back = varint_next(r, step)) != 0) {
		step -= back;
		if (!trend_keeps(t, tier, step)) {
			r->fault = true;
			return;
		}
		get_cell(r, &t->cells[row->first + step % row->steps]);
	}
}

/* Read the histograms that were open. */
static void get_hists(struct varint_bytes *r, struct trend *t)
{
	uint64_t number;

	while ((number = varint_next(r, TREND_HISTS)) != 0) {
		struct trend_hist *h = &t->hists[number - 1];
		r->fault |= h->used;
		h->used = true;
		h->step = varint_next(r, UINT64_MAX);
		h->min = varint_next(r, UINT64_MAX);
		h->max = varint_next(r, UINT64_MAX);
		uint64_t places = varint_next(r, HIST_PLACES), count = 0, place = 0;
		for (uint64_t i = 0; i < places && !r->fault; i++) {
			uint64_t more = varint_next(r, HIST_PLACES - 1 - place);
			/* Each place must occur only once. */
			r->fault |= i > 0 && more == 0;
			place += more;
			h->counts[place] = (uint32_t)varint_next(r, UINT32_MAX);
			r->fault |= h->counts[place] == 0;
			h->touched |= UINT64_C(1) << place / HIST_OCTAVE_BUCKETS;
			count += h->counts[place];
		}
		r->fault |= count == 0 || count > UINT32_MAX || h->min > h->max;
		h->count = (uint32_t)count;
	}
}

/* Read the domains, and the lives that ended. */
static void get_domains(struct varint_bytes *r, struct trend *t)
{
	uint64_t number, least = 0;

	while ((number = varint_next(r, MODEL_DOMAINS_MAX)) != 0) {
		/* Each domain must occur only once. */
		r->fault |= number <= least;
		least = number;
		struct trend_domain *d = &t->domains[number - 1];
		unsigned flags = (unsigned)varint_next(r, 7);
		d->noticed = (flags & 1) != 0;
		d->alive = flags == 3 || flags == 7;
		d->has_heap = (flags & 4) != 0;
		d->since = varint_next(r, UINT64_MAX);
		d->heap = get_float(r);
		t->alive += d->alive;
		t->domain_limit = (unsigned)number;
	}
	t->ended_count = (unsigned)varint_next(r, TREND_ENDED);
	for (unsigned i = 0; i < t->ended_count; i++) {
		t->ended[i].from = varint_next(r, UINT64_MAX);
		t->ended[i].to = varint_next(r, UINT64_MAX);
	}
}

/* Read the marks; skip kinds that are not known. */
static void get_marks(struct varint_bytes *r, struct trend *t)
{
	uint64_t kind;

	while ((kind = varint_next(r, UINT32_MAX)) != 0) {
		struct trend_ring *ring = kind <= TREND_MARK_COUNT ? &t->marks[kind - 1] : NULL;
		uint64_t count = varint_next(r, TREND_MARKS_KEPT);
		for (uint64_t i = 0; i < count && !r->fault; i++) {
			struct trend_mark mark = {.from = varint_next(r, UINT64_MAX)};
			mark.to = varint_next(r, UINT64_MAX);
			mark.value = varint_next(r, UINT64_MAX);
			mark.count = (uint32_t)varint_next(r, UINT32_MAX);
			mark.kind = (uint32_t)kind - 1;
			if (ring != NULL && ring->count < TREND_MARKS_KEPT)
				ring->marks[ring->count++] = mark;
		}
	}
}

/* Read the members of the trend itself. */
static void get_whole(struct varint_bytes *r, struct trend *t)
{
	uint64_t bits;

	r->fault |= varint_next(r, UINT64_MAX) != VERSION;
	for (unsigned tier = 0; tier < TREND_TIER_COUNT; tier++) {
		r->fault |= varint_next(r, UINT64_MAX) != trend_tier_rows[tier].length;
		r->fault |= varint_next(r, UINT64_MAX) != trend_tier_rows[tier].steps;
	}
#define GET(member) t->member = (__typeof__(t->member))varint_next(r, MOST(t->member));
	WHOLE(GET)
#undef GET
	bits = varint_next(r, UINT64_MAX);
	memcpy(&t->heap, &bits, sizeof(bits));
	r->fault |= !isfinite(t->heap) || fabs(t->heap) > (double)FLOAT_MOST ||
		    t->heaps > MODEL_DOMAINS_MAX || t->seen_from > t->settled || t->tail_to < t->settled;
}

/* Read a trend that trend_save wrote; NULL when the bytes are not a valid trend, or memory ran out. */
static struct trend *trend_from(const void *data, size_t size)
{
	struct varint_bytes r = {.at = data, .end = (const uint8_t *)data + size};
	struct trend *t = trend_create(0);

	if (t == NULL)
		return NULL;
	get_whole(&r, t);
	get_domains(&r, t);
	get_hists(&r, t);
	get_marks(&r, t);
	for (unsigned tier = 0; tier < TREND_TIER_COUNT; tier++)
		get_tier(&r, t, tier);
	if (!r.fault)
		return t;
	trend_destroy(t);
	return NULL;
}

bool trend_load(struct trend *t, const void *data, size_t size)
{
	struct trend *saved = trend_from(data, size);

	if (saved == NULL)
		return false;
	bool same = saved->live == t->live;
	if (same)
		memcpy(t, saved, sizeof(*t));
	trend_destroy(saved);
	return same;
}

/* Take from another trend the steps of a tier that had ended by a stamp. */
static void tier_fill(struct trend *t, const struct trend *from, unsigned tier, uint64_t until)
{
	const struct trend_tier_row *row = &trend_tier_rows[tier];
	uint64_t end = until / row->length;

	for (uint64_t i = row->steps; i > 0; i--) {
		uint64_t back = i - 1, head = from->tiers[tier].head;
		if (!from->tiers[tier].begun || head < back || head - back >= end)
			continue;
		struct trend_cell *cell = trend_cell_make(t, tier, head - back);
		const struct trend_cell *saved = trend_cell_of(from, tier, head - back);
		/* A step that the saved trend has seen less of is not taken.  An open one brings its
		 * histogram. */
		bool open = saved->pauses != 0 && (saved->flags & (TREND_CLOSED | TREND_LATE)) == 0;
		if (cell == NULL || saved->seen_ns < cell->seen_ns ||
		    (saved->seen_ns == 0 && saved->observed_ns == 0 && saved->pauses == 0))
			continue;
		*cell = *saved;
		for (unsigned h = row->first_hist; open && h < row->first_hist + row->hists; h++)
			if (from->hists[h].used && from->hists[h].step == head - back) {
				cell->p50 = (float)trend_hist_percentile(&from->hists[h], 50, 100);
				cell->p99 = (float)trend_hist_percentile(&from->hists[h], 99, 100);
				cell->flags |= TREND_CLOSED;
			}
	}
}

/* Add a second to a longer step, all but the percentiles. */
static void second_add(struct trend_cell *cell, const struct trend_cell *second)
{
	const unsigned taken = TREND_COUNTED | TREND_LOSSY | TREND_UNREAD | TREND_HAS_THROTTLED;

	if (trend_folds(second, second->seen_ns))
		trend_fold(cell, second, second->seen_ns, second->observed_ns);
	cell->gc_ns = sum_saturating(cell->gc_ns, second->gc_ns);
	cell->observed_ns += second->observed_ns;
	cell->seen_ns += second->seen_ns;
	cell->allocated = sum_saturating(cell->allocated, second->allocated);
	cell->promoted = sum_saturating(cell->promoted, second->promoted);
	cell->pause_max = second->pause_max > cell->pause_max ? second->pause_max : cell->pause_max;
#define ADD(member)                                                                                          \
	cell->member +=                                                                                      \
	    second->member < UINT32_MAX - cell->member ? second->member : UINT32_MAX - cell->member
	ADD(sampled_us);
	ADD(cpu);
	ADD(throttled_us);
	ADD(pauses);
	ADD(events);
	ADD(lost_words);
#undef ADD
	for (int end = 0; end < 2 && (second->flags & TREND_HAS_HEAP) != 0; end++) {
		float value = end == 0 ? second->heap.high : second->heap.low;
		trend_level_take(&cell->heap, (cell->flags & TREND_HAS_HEAP) != 0, value);
		cell->heap.last = second->heap.last;
		cell->flags |= TREND_HAS_HEAP;
	}
	for (int end = 0; end < 2 && (second->flags & TREND_HAS_RESIDENT) != 0; end++) {
		float value = end == 0 ? second->resident.high : second->resident.low;
		trend_level_take(&cell->resident, (cell->flags & TREND_HAS_RESIDENT) != 0, value);
		cell->resident.last = second->resident.last;
		cell->flags |= TREND_HAS_RESIDENT;
	}
	cell->flags |= (second->flags & taken) | (second->pauses != 0 ? TREND_LATE : 0);
}

/* Take from another trend the seconds that had ended by a stamp, of a longer step that had not. */
static void open_fill(struct trend *t, const struct trend *from, unsigned tier, uint64_t until)
{
	uint64_t length = trend_tier_rows[tier].length, end = until / TREND_SECOND;
	struct trend_cell *cell = trend_cell_make(t, tier, until / length);

	if (cell == NULL || cell->seen_ns != 0)
		return;
	for (uint64_t k = until / length * (length / TREND_SECOND); k < end; k++)
		if (trend_keeps(from, 0, k))
			second_add(cell, trend_cell_of(from, 0, k));
}

bool trend_fill(struct trend *t, const void *data, size_t size, uint64_t until)
{
	struct trend *saved = trend_from(data, size);

	if (saved == NULL)
		return false;
	trend_now_end(t);
	for (unsigned tier = 0; tier < TREND_TIER_COUNT; tier++)
		tier_fill(t, saved, tier, until);
	for (unsigned tier = 1; tier < TREND_TIER_COUNT; tier++)
		open_fill(t, saved, tier, until);
	for (int k = 0; k < TREND_MARK_COUNT; k++)
		for (size_t i = 0; i < trend_marks(saved, (enum trend_mark_kind)k); i++) {
			const struct trend_mark *mark = trend_mark_at(saved, (enum trend_mark_kind)k, i);
			const struct trend_ring *ring = &t->marks[k];
			const struct trend_mark *last =
			    ring->count > 0 ? &ring->marks[(ring->count - 1) % TREND_MARKS_KEPT] : NULL;
			if (mark->from < until && (last == NULL || mark->from > last->from))
				t->marks[k].marks[t->marks[k].count++ % TREND_MARKS_KEPT] = *mark;
		}
	t->has_allocated |= saved->has_allocated;
	t->has_promoted |= saved->has_promoted;
	t->has_pauses |= saved->has_pauses;
	if (saved->seen && saved->seen_from < until && (!t->seen || saved->seen_from < t->seen_from))
		t->seen_from = saved->seen_from;
	t->seen |= saved->seen && saved->seen_from < until;
	trend_destroy(saved);
	return true;
}

void trend_begin_at(struct trend *t, uint64_t ts)
{
	trend_now_end(t);
	t->begin_at = ts;
	t->settled = t->tail_to = ts;
	t->folded = ts / TREND_SECOND;
	t->marked_to = ts;
	t->heap_ts = ts;
	t->heaps = 0;
	t->alive = t->ended_count = t->unread_count = t->open_count = t->waiting_count = 0;
	memset(t->domains, 0, sizeof(t->domains));
	memset(t->hists, 0, sizeof(t->hists));
}
