/*
 * history_read.c - reads a history; see history.h, and history_private.h for how it is stored.
 *
 * A reader at the end of its block enters the next one only on the next call, since the writer may still
 * append to its block.
 */
#include "core/order.h"
#include "watch/history_private.h"

/* Kinds of points that do not concern phases, as bits. */
#define PLAIN_POINTS                                                                                         \
	(1u << HISTORY_USER | 1u << HISTORY_USER_SPAN | 1u << HISTORY_USER_CUT | 1u << HISTORY_LIFECYCLE)

/* The domain that a reader reads. */
static const struct history_domain *cursor_domain(const struct history_cursor *c)
{
	return c->history->domains[c->domain];
}

/* Return where the records of the reader's block end. */
static const uint8_t *cursor_end(const struct history_cursor *c)
{
	const struct history_domain *d = cursor_domain(c);

	return c->block == d->current ? d->at : c->block->data + c->block->used;
}

/* Place a reader at the first record of a domain's i-th block. */
static void cursor_enter(struct history_cursor *c, size_t i)
{
	const struct history_domain *d = cursor_domain(c);

	c->block = domain_block(d, i);
	c->serial = d->next_serial - d->order_count + i;
	c->ts = c->block->first;
	c->at = c->block->data;
	c->path = 0;
	memset(c->next, 0, sizeof(c->next));
	c->end = cursor_end(c);
}

/* Return the index of the block after a reader's; order_count: there is none. */
static size_t cursor_following(const struct history_cursor *c)
{
	const struct history_domain *d = cursor_domain(c);

	return c->serial + 1 - (d->next_serial - d->order_count);
}

/* Whether a reader has nothing to read: its block has been evicted. */
static inline bool cursor_gone(struct history_cursor *c)
{
	const struct history_domain *d = c->gone ? NULL : cursor_domain(c);

	c->gone = d == NULL || d->next_serial - c->serial > d->order_count;
	return c->gone;
}

/* Continue with further records, in the next block if it has some below `until`.  Returns false if there are
 * none. */
static __attribute__((noinline)) bool cursor_move(struct history_cursor *c, uint64_t until)
{
	const struct history_domain *d = cursor_domain(c);

	while (c->at >= c->end) {
		size_t next = cursor_following(c);

		/* The block may have grown since the reader entered it. */
		c->end = cursor_end(c);
		if (c->at < c->end)
			return true;
		if (next == d->order_count || domain_block(d, next)->first >= until)
			return false;
		cursor_enter(c, next);
	}
	return true;
}

/* Read a number of some bytes. */
static inline uint64_t number_get(const uint8_t *p, unsigned size)
{
	uint64_t word;

	memcpy(&word, p, sizeof(word));
	return le64toh(word) & UINT64_MAX >> (64 - 8 * size);
}

/* Read the path of a span and what follows it; returns the end of the record. */
static inline const uint8_t *cursor_span(
    struct history_cursor *c, unsigned what, const uint8_t *p, struct history_record *out)
{
	out->kind = HISTORY_SPAN;
	out->path = c->next[c->path];
	out->pause = what == RECORD_PAUSE;
	bool told = false;
	if (what == RECORD_PATH) {
		uint16_t path;

		memcpy(&path, p, sizeof(path));
		p += sizeof(path);
		out->path = path & (PATH_TOLD - 1);
		out->pause = (path & PATH_PAUSE) != 0;
		told = (path & PATH_TOLD) != 0;
	}
	if (told) {
		out->depth = (unsigned)varint_get(&p);
		out->id = (uint32_t)varint_get(&p);
	} else {
		const struct path_tree_node *node = &c->history->paths->nodes[out->path];
		out->depth = node->depth > 0 ? node->depth - 1u : 0;
		out->id = node->phase;
		c->next[c->path] = out->path;
		c->path = out->path;
	}
	out->value = out->pause ? varint_get(&p) : 0;
	return p;
}

/* Read the contents of a record of another kind. */
static const uint8_t *point_read(const uint8_t *p, struct history_record *out)
{
	out->kind = (enum history_kind)varint_get(&p);
	out->id = 0;
	out->value = 0;
	out->pause = false;
	if (out->kind != HISTORY_USER && out->kind != HISTORY_SEEN)
		out->id = (uint32_t)varint_get(&p);
	if (out->kind == HISTORY_GAP)
		out->value = varint_get(&p);
	out->depth = out->kind == HISTORY_DROPPED ? out->id : 0;
	return p;
}

bool history_next(struct history_cursor *c, uint64_t until, struct history_record *out)
{
	if (cursor_gone(c) || (c->at >= c->end && !cursor_move(c, until)))
		return false;
	const uint8_t *p = c->at;
	unsigned what = *p & 3, first = (*p >> 2 & 7) + 1, second = (*p >> 5) + 1;
	uint64_t ts = c->ts + number_get(p + 1, first);
	if (ts >= until)
		return false;
	p += 1 + first;
	out->ts = c->ts = ts;
	out->begin = ts - number_get(p, second);
	p += second;
	c->at = what != RECORD_POINT ? cursor_span(c, what, p, out) : point_read(p, out);
	return true;
}

/* Pass over the next records of the reader's block that end before `to`, up to one that is not plain: what was dropped or
 * lost, and a span whose depth is told.  `sums`: add the spans. */
static inline __attribute__((always_inline)) bool spans_pass(
    struct history_cursor *c, uint64_t from, uint64_t to, bool sums, uint64_t *self, uint64_t *inside)
{
	const struct path_tree_node *nodes = c->history->paths->nodes;
	const uint8_t *p = c->at, *const begin = p;
	uint64_t ts = c->ts;
	uint16_t before = c->path;

	while (p < c->end) {
		unsigned what = *p & 3, first = (*p >> 2 & 7) + 1, second = (*p >> 5) + 1;
		uint64_t end = ts + number_get(p + 1, first), time = number_get(p + 1 + first, second);
		const uint8_t *rest = p + 1 + first + second;
		uint16_t path = c->next[before];

		if (end >= to)
			break;
		if (what == RECORD_POINT) {
			uint64_t kind = varint_get(&rest);
			if ((PLAIN_POINTS >> kind & 1) == 0)
				break;
			if (kind != HISTORY_USER)
				(void)varint_get(&rest);
			p = rest;
			ts = end;
			continue;
		}
		if (what == RECORD_PATH) {
			memcpy(&path, rest, sizeof(path));
			if ((path & PATH_TOLD) != 0)
				break;
			rest += sizeof(path);
			what = (path & PATH_PAUSE) != 0 ? RECORD_PAUSE : RECORD_SPAN;
			path &= PATH_TOLD - 1;
			c->next[before] = path;
		}
		p = rest;
		if (what == RECORD_PAUSE)
			(void)varint_get(&p);
		ts = end;
		before = path;
		if (!sums)
			continue;
		unsigned depth = nodes[path].depth > 0 ? nodes[path].depth - 1u : 0;
		uint64_t within = inside[depth + 1], seen = end > from ? end - from : 0;
		time = time < seen ? time : seen;
		inside[depth + 1] = 0;
		inside[depth] += time;
		self[path] += time > within ? time - within : 0;
	}
	c->at = p;
	c->ts = ts;
	c->path = before;
	return p != begin;
}

bool history_spans(
    struct history_cursor *c, uint64_t from, uint64_t to, uint64_t *self, uint64_t inside[HISTORY_DEPTH + 1])
{
	return !cursor_gone(c) && spans_pass(c, from, to, true, self, inside);
}

bool history_seek(const struct history *h, unsigned domain, uint64_t ts, struct history_cursor *c)
{
	struct history_domain *d = history_domain_at(h, domain);
	struct order_search at = {.high = d == NULL ? 0 : d->order_count};
	struct history_record r;

	c->history = h;
	c->domain = domain;
	c->gone = at.high == 0;
	c->losing = false;
	if (c->gone)
		return false;
	/* The last block that begins before ts: the one after it may begin with records at ts. */
	while (order_middle(&at))
		order_turn(&at, domain_block(d, at.middle)->first < ts);
	cursor_enter(c, at.low == 0 ? 0 : at.low - 1);
	c->losing = c->block->losing;
	if (d->mark.serial == c->serial && d->mark.block == c->block && d->mark.ts < ts) {
		*c = d->mark;
		c->history = h;
		c->end = cursor_end(c);
	}
	while (true) {
		if (spans_pass(c, 0, ts, false, NULL, NULL))
			continue;
		if (!history_next(c, ts, &r))
			break;
		c->losing = r.kind == HISTORY_GAP || (c->losing && r.kind != HISTORY_SEEN);
	}
	d->mark = *c;
	return true;
}

bool history_sums(
    struct history_cursor *c, uint64_t from, uint64_t to, uint64_t *self, uint64_t inside[HISTORY_DEPTH + 1])
{
	const bool begins = c->at < c->end && c->at == c->block->data;

	if ((c->at < c->end && !begins) || cursor_gone(c))
		return false;
	const struct history_domain *d = cursor_domain(c);
	const size_t i = cursor_following(c) - begins;
	if (i == d->order_count)
		return false;
	struct history_block *b = domain_block(d, i);
	const bool current = b == d->current;
	if ((current ? d->odd || d->ended >> SUMS_DEPTHS != 0 : b->odd) || block_last(d, b) >= to ||
	    block_reach(d, b) < from)
		return false;
	for (unsigned place = 1; place <= b->sum_count; place++)
		self[block_sum(b, place)->path] += block_sum(b, place)->self;
	for (unsigned depth = 1; depth <= SUMS_DEPTHS; depth++)
		inside[depth] = (depth_anew(current ? d->ended : b->ended, depth) ? 0 : inside[depth]) +
				(current ? domain_inside(d, depth) : b->inside[depth]);
	c->block = b;
	c->serial = d->next_serial - d->order_count + i;
	c->at = c->end = cursor_end(c);
	return true;
}

/* ---- what was open at a moment ---- */

/* Insert a user span in the order of begins; if there are too many, it replaces the earliest. */
static void standing_user(struct history_standing *s, struct history_frame user)
{
	unsigned at = s->user_count;

	if (at == HISTORY_DEPTH) {
		if (user.begin < s->users[0].begin)
			return;
		memmove(&s->users[0], &s->users[1], --at * sizeof(s->users[0]));
		s->user_count--;
	}
	for (; at > 0 && s->users[at - 1].begin > user.begin; at--)
		s->users[at] = s->users[at - 1];
	s->users[at] = user;
	s->user_count++;
}

/* What history_at has found so far. */
struct finding {
	uint64_t ts;
	bool outermost; /* an outermost span has ended since: spans that end later have begun later */
	unsigned count;
	struct history_frame ended[HISTORY_DEPTH]; /* the innermost first */
	struct history_standing *out;
};

/* Add a record from after the moment. */
static void finding_take(struct finding *f, const struct history_record *r)
{
	struct history_frame frame = {
	    .begin = r->begin, .end = r->ts, .id = r->id, .path = r->path, .depth = (uint16_t)r->depth};

	if (r->kind == HISTORY_SPAN && !f->outermost) {
		if (r->begin < f->ts && f->count < HISTORY_DEPTH)
			f->ended[f->count++] = frame;
		f->outermost = r->depth == 0;
	}
	if (r->kind == HISTORY_DROPPED && r->begin < f->ts && r->begin > f->out->dropped)
		f->out->dropped = r->begin;
	if (r->kind == HISTORY_USER_CUT)
		frame.end = HISTORY_CUT;
	if ((r->kind == HISTORY_USER_SPAN || r->kind == HISTORY_USER_CUT) && r->begin < f->ts)
		standing_user(f->out, frame);
}

/* Search the records from the moment on for spans that began before it.  Most blocks contain none. */
static void finding_read(struct finding *f, struct history_cursor *c)
{
	const struct history_domain *d = cursor_domain(c);
	struct history_record r;
	size_t i = cursor_following(c) - 1;

	do {
		while (c->at < c->end && history_next(c, UINT64_MAX, &r))
			finding_take(f, &r);
		for (i++; i < d->order_count; i++) {
			const struct history_block *b = domain_block(d, i);
			if ((!f->outermost && block_reach(d, b) < f->ts) || b->user_reach < f->ts)
				break;
			f->outermost |= b->outermost;
		}
		if (i < d->order_count)
			cursor_enter(c, i);
	} while (i < d->order_count);
}

struct history_present history_present(const struct model *m, unsigned domain)
{
	const struct model_domain *d = model_domain(m, domain);
	struct history_present now = {.stack = d != NULL ? d->stack : NULL,
	    .depth = d != NULL ? d->depth : 0,
	    .alone = d != NULL && d->alone};

	now.user_count = (unsigned)model_users_open(m, domain, now.users, HISTORY_DEPTH);
	now.pauses = model_target_pauses(m, &now.pause_count);
	return now;
}

void history_after(const struct history_cursor *at, uint64_t ts, const struct history_present *now,
    struct history_standing *out)
{
	struct finding f = {.ts = ts, .out = out};
	struct history_cursor c = *at;

	out->depth = out->user_count = 0;
	out->dropped = 0;
	/* If no records of a domain are kept, its open spans are known nevertheless. */
	const struct history_domain *d = history_domain_at(c.history, c.domain);
	if (!cursor_gone(&c)) {
		/* The block may have grown since the reader entered it. */
		c.end = cursor_end(&c);
		finding_read(&f, &c);
	} else if (d == NULL || d->order_count > 0)
		return;
	for (unsigned i = 0; i < now->depth && i < HISTORY_DEPTH && now->stack[i].begin < ts; i++)
		out->open[out->depth++] = (struct history_frame){.begin = now->stack[i].begin,
		    .end = HISTORY_OPEN,
		    .id = now->stack[i].phase,
		    .path = now->stack[i].path,
		    .depth = (uint16_t)i};
	while (f.count > 0 && out->depth < HISTORY_DEPTH)
		out->open[out->depth++] = f.ended[--f.count];
	for (unsigned i = 0; i < now->user_count && now->users[i].begin < ts; i++)
		standing_user(out, (struct history_frame){.begin = now->users[i].begin,
				       .id = (uint32_t)now->users[i].slot,
				       .end = HISTORY_OPEN});
}

void history_at(const struct history *h, unsigned domain, uint64_t ts, const struct history_present *now,
    struct history_standing *out)
{
	struct history_cursor c;

	(void)history_seek(h, domain, ts, &c);
	history_after(&c, ts, now, out);
}

/* ---- what is kept ---- */

/* The latest stamp of all domains. */
static uint64_t history_latest(const struct history *h)
{
	uint64_t latest = 0;

	for (unsigned i = 0; i < h->domain_limit; i++)
		if (h->domains[i] != NULL && h->domains[i]->last > latest)
			latest = h->domains[i]->last;
	return latest;
}

struct history_range history_range(const struct history *h)
{
	uint64_t kept = (uint64_t)HISTORY_SLOT * (HISTORY_SLOTS - 1), first = UINT64_MAX,
		 last = history_latest(h);

	for (unsigned i = 0; i < h->domain_limit; i++) {
		uint64_t ts = history_domain_from(h, i, NULL);

		first = ts < first ? ts : first;
	}
	return (struct history_range){
	    .from = first > h->from ? first : h->from,
	    .slots_from = last < kept ? 0 : (last - kept) / HISTORY_SLOT * HISTORY_SLOT,
	    .to = last,
	    .complete = h->complete,
	    .bytes = h->bytes,
	    .budget = h->budget,
	    .untracked = h->untracked,
	};
}

uint64_t history_domain_from(const struct history *h, unsigned domain, bool *first)
{
	const struct history_domain *d = history_domain_at(h, domain);
	bool none = d == NULL || d->order_count == 0;

	if (first != NULL)
		*first = none || d->next_serial == d->order_count;
	return none ? UINT64_MAX : d->from;
}

uint64_t history_domain_to(const struct history *h, unsigned domain)
{
	const struct history_domain *d = history_domain_at(h, domain);

	return d == NULL ? 0 : d->last;
}

uint64_t history_resume(const struct history *h)
{
	return h->resume;
}

_Static_assert(HISTORY_SLOT == WATCH_STEP, "pauses that are added together end in one slot");

/* The slot of a number, cleared if it held an earlier time; NULL if it is older than all slots. */
static struct slot *slot_of(struct slot *list, uint64_t number)
{
	struct slot *slot = list != NULL ? &list[number % HISTORY_SLOTS] : NULL;

	if (slot == NULL || slot->number > number + 1)
		return NULL;
	if (slot->number != number + 1)
		*slot = (struct slot){.number = number + 1};
	return slot;
}

void slots_add(struct slot *list, const struct pauses *pauses)
{
	const uint64_t end = pauses->list[pauses->count - 1].end, last = end / HISTORY_SLOT;
	const uint64_t earliest = last < HISTORY_SLOTS ? 0 : last - HISTORY_SLOTS + 1;
	uint64_t from = pauses->list[0].begin;
	struct slot *slot = slot_of(list, last);

	if (slot == NULL)
		return;
	slot->pause_max = pauses->most > slot->pause_max ? pauses->most : slot->pause_max;
	from = from < earliest * HISTORY_SLOT ? earliest * HISTORY_SLOT : from;
	for (uint64_t n = from / HISTORY_SLOT; n <= last; n++) {
		const uint64_t to = n == last ? end : (n + 1) * HISTORY_SLOT;
		const uint64_t time = pauses->count > 1 ? pauses->sum : to - from;
		slot = slot_of(list, n);
		if (slot != NULL)
			slot->gc = time > HISTORY_SLOT - slot->gc ? HISTORY_SLOT : slot->gc + (uint32_t)time;
		from = to;
	}
}

void slots_lose(struct slot *list, uint64_t ts, uint64_t words)
{
	struct slot *slot = slot_of(list, ts / HISTORY_SLOT);

	if (slot != NULL)
		slot->lost += words;
}

/* Add the slots from `oldest` to `newest` to `columns` columns of `width` ns from t0 on; see history_slots. */
static void slots_read(const struct slot *list, uint64_t oldest, uint64_t newest, uint64_t t0, uint64_t width,
    size_t columns, struct history_column *out)
{
	for (uint64_t n = oldest; n <= newest && list != NULL && width != 0; n++) {
		const struct slot *slot = &list[n % HISTORY_SLOTS];
		uint64_t middle = n * HISTORY_SLOT + HISTORY_SLOT / 2;

		if (middle < t0 || (middle - t0) / width >= columns)
			continue;
		struct history_column *column = &out[(middle - t0) / width];
		column->known = true;
		if (slot->number != n + 1)
			continue;
		column->gc += slot->gc;
		column->lost += slot->lost;
		column->pause_max = slot->pause_max > column->pause_max ? slot->pause_max : column->pause_max;
	}
}

void history_slots(const struct history *h, unsigned domain, uint64_t t0, uint64_t width, size_t columns,
    struct history_column *out)
{
	const struct history_domain *d = history_domain_at(h, domain);
	uint64_t newest = history_latest(h) / HISTORY_SLOT;

	memset(out, 0, columns * sizeof(*out));
	if (d == NULL)
		return;
	uint64_t oldest = newest < HISTORY_SLOTS ? 0 : newest - HISTORY_SLOTS + 1;
	if (oldest < d->first / HISTORY_SLOT)
		oldest = d->first / HISTORY_SLOT;
	slots_read(d->slots, oldest, newest, t0, width, columns, out);
}
