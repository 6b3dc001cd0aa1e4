/*
 * history_read.c - reads a history; see history.h, and history_private.h for how it is stored.
 *
 * A reader at the end of its block enters the next one only on the next call, since the writer may still
 * append to its block.
 */
#include <string.h>

#include "core/order.h"
#include "watch/history_private.h"

/* The domain that a reader reads. */
static const struct history_domain *cursor_domain(const struct history_cursor *c)
{
	return c->history->domains[c->domain];
}

/* Where the records of a block end. */
static const uint8_t *block_end(const struct history *h, const struct history_domain *d, uint32_t block)
{
	const struct block *b = &h->blocks[block];

	return b == d->current ? d->at : block_data(h, block) + b->used;
}

/* Read a list of open spans from the head of a block. */
static unsigned cursor_read_open(const uint8_t **p, uint64_t first, struct history_frame *out)
{
	unsigned count = (unsigned)varint_get(p);

	for (unsigned i = 0; i < count; i++) {
		out[i].id = (uint32_t)varint_get(p);
		out[i].begin = first - varint_get(p);
	}
	return count;
}

/* Place a reader at the first record of a block. */
static void cursor_enter(struct history_cursor *c, uint32_t block)
{
	const struct history *h = c->history;
	const struct block *b = &h->blocks[block];

	c->block = block;
	c->serial = b->serial;
	c->given_way = h->given_way;
	c->ts = b->first;
	c->at = block_data(h, block);
	c->guess = (struct history_guess){0};
	c->depth = cursor_read_open(&c->at, b->first, c->open);
	c->user_count = cursor_read_open(&c->at, b->first, c->users);
	c->end = block_end(h, cursor_domain(c), block);
}

/* The block after a reader's, NO_BLOCK if there is none. */
static uint32_t cursor_following(const struct history_cursor *c)
{
	const struct history_domain *d = cursor_domain(c);
	struct order_search at = {.high = d->order_count};

	while (order_middle(&at))
		order_turn(&at, c->history->blocks[domain_block(d, (unsigned)at.middle)].serial <= c->serial);
	return at.low < d->order_count ? domain_block(d, (unsigned)at.low) : NO_BLOCK;
}

/* Whether a reader's block is still the one that it entered. */
static inline bool cursor_valid(struct history_cursor *c)
{
	const struct block *b;

	if (c->gone || c->given_way == c->history->given_way)
		return !c->gone;
	b = &c->history->blocks[c->block];
	c->gone = !b->in_use || b->domain != c->domain || b->serial != c->serial;
	c->given_way = c->history->given_way;
	return !c->gone;
}

/* A runtime span begins. */
static void cursor_opened(struct history_cursor *c, uint32_t phase, struct history_event *e)
{
	e->kind = HISTORY_OPENED;
	e->id = phase;
	e->begin = c->ts;
	e->depth = c->depth;
	c->open[c->depth++] = (struct history_frame){c->ts, phase};
}

/* The span at a depth is dropped. */
static void cursor_dropped(struct history_cursor *c, unsigned depth, struct history_event *e)
{
	e->kind = HISTORY_DROPPED;
	e->id = c->open[depth].id;
	e->begin = c->open[depth].begin;
	e->depth = depth;
	frames_remove(c->open, &c->depth, depth);
}

/* A user span begins. */
static void cursor_user_opened(struct history_cursor *c, uint32_t slot, struct history_event *e)
{
	e->kind = HISTORY_USER_OPENED;
	e->id = slot;
	e->begin = c->ts;
	frames_push(c->users, &c->user_count, c->ts, slot);
}

/* A user span ends. */
static void cursor_user_closed(struct history_cursor *c, uint32_t slot, struct history_event *e)
{
	e->kind = HISTORY_USER_CLOSED;
	e->id = slot;
	e->begin = frames_pop(c->users, &c->user_count, slot);
}

static void cursor_counter(struct history_cursor *c, uint32_t counter, struct history_event *e)
{
	e->kind = HISTORY_COUNTER;
	e->id = counter;
	e->value = unfold(varint_get(&c->at));
	if (counter < OP_SMALL_COUNTERS) {
		e->value = (int64_t)((uint64_t)e->value + (uint64_t)c->guess.values[counter]);
		c->guess.values[counter] = e->value;
	}
}

/* Decode records whose opcode has no number in it. */
static void cursor_read_plain(struct history_cursor *c, unsigned opcode, struct history_event *e)
{
	switch (opcode) {
	case OP_OPENED_BIG:
		cursor_opened(c, (uint32_t)varint_get(&c->at), e);
		break;
	case OP_DROPPED:
		cursor_dropped(c, (unsigned)varint_get(&c->at), e);
		break;
	case OP_COUNTER_BIG:
		cursor_counter(c, (uint32_t)varint_get(&c->at), e);
		break;
	case OP_ALLOC:
		e->kind = HISTORY_ALLOC;
		for (unsigned i = 0; i < RTEV_ALLOC_BUCKETS; i++)
			c->buckets[i] = varint_get(&c->at);
		e->buckets = c->buckets;
		break;
	case OP_LIFECYCLE:
		e->kind = HISTORY_LIFECYCLE;
		e->id = (uint32_t)varint_get(&c->at);
		e->value = unfold(varint_get(&c->at));
		break;
	case OP_USER:
		e->kind = HISTORY_USER;
		e->id = (uint32_t)varint_get(&c->at);
		e->value = unfold(varint_get(&c->at));
		break;
	case OP_USER_ZERO:
		e->kind = HISTORY_USER;
		e->id = (uint32_t)varint_get(&c->at);
		break;
	case OP_USER_OPENED_BIG:
		cursor_user_opened(c, (uint32_t)varint_get(&c->at), e);
		break;
	case OP_USER_CLOSED_BIG:
		cursor_user_closed(c, (uint32_t)varint_get(&c->at), e);
		break;
	case OP_GAP:
		e->kind = HISTORY_GAP;
		e->id = (uint32_t)varint_get(&c->at);
		e->value = (int64_t)varint_get(&c->at);
		c->user_count = 0;
		break;
	default: /* OP_RESUMED */
		e->kind = HISTORY_RESUMED;
		e->begin = c->ts - varint_get(&c->at);
		frames_drop(c->users, &c->user_count, e->begin);
		break;
	}
}

/* Move to the next block, if it has events below `until`.  Sets *hole if events in between are missing. */
static bool cursor_move(struct history_cursor *c, uint64_t until, bool *hole)
{
	uint64_t serial = c->serial;
	uint32_t next;

	/* The block may have got more since it was entered. */
	c->end = block_end(c->history, cursor_domain(c), c->block);
	if (c->at < c->end)
		return true;
	next = cursor_following(c);
	if (next == NO_BLOCK || c->history->blocks[next].from >= until)
		return false;
	cursor_enter(c, next);
	*hole = c->serial != serial + 1;
	return true;
}

bool history_next(struct history_cursor *c, uint64_t until, struct history_event *out)
{
	const uint8_t *at;
	unsigned opcode;
	uint64_t ts, distance;
	bool hole = false;

	if (!cursor_valid(c))
		return false;
	while (c->at >= c->end) {
		if (!cursor_move(c, until, &hole))
			return false;
		if (hole) {
			*out = (struct history_event){
			    .kind = HISTORY_HOLE, .ts = c->history->blocks[c->block].from};
			return true;
		}
	}
	at = record_read(c->at, &c->guess, &opcode, &distance);
	ts = c->ts + distance;
	if (ts >= until)
		return false;
	guess_learn(&c->guess, opcode);
	c->at = at;
	c->ts = ts;
	*out = (struct history_event){.ts = ts};
	if (opcode < OP_CLOSED)
		cursor_opened(c, opcode, out);
	else if (opcode == OP_CLOSED) {
		out->kind = HISTORY_CLOSED;
		out->depth = --c->depth;
		out->id = c->open[c->depth].id;
		out->begin = c->open[c->depth].begin;
	} else if (opcode < OP_COUNTER)
		cursor_read_plain(c, opcode, out);
	else if (opcode < OP_USER_OPENED)
		cursor_counter(c, opcode - OP_COUNTER, out);
	else if (opcode < OP_USER_CLOSED)
		cursor_user_opened(c, opcode - OP_USER_OPENED, out);
	else
		cursor_user_closed(c, opcode - OP_USER_CLOSED, out);
	return true;
}

bool history_seek(const struct history *h, unsigned domain, uint64_t ts, struct history_cursor *c)
{
	const struct history_domain *d = history_domain_at(h, domain);
	struct order_search at = {.high = d == NULL ? 0 : d->order_count};
	struct history_event e;

	c->history = h;
	c->domain = domain;
	c->gone = at.high == 0;
	if (c->gone)
		return false;
	/* The last block that begins before ts: the one after it may begin with events at ts. */
	while (order_middle(&at)) {
		const struct block *b = &h->blocks[domain_block(d, (unsigned)at.middle)];
		order_turn(&at, b->from < ts || (b->from == ts && b->hole));
	}
	cursor_enter(c, domain_block(d, at.low == 0 ? 0 : (unsigned)at.low - 1));
	while (history_next(c, ts, &e))
		continue;
	return true;
}

uint64_t history_domain_from(const struct history *h, unsigned domain, bool *first)
{
	const struct history_domain *d = history_domain_at(h, domain);
	const struct block *b;

	if (first != NULL)
		*first = true;
	if (d == NULL || d->order_count == 0)
		return UINT64_MAX;
	b = &h->blocks[domain_block(d, 0)];
	if (first != NULL)
		*first = b->serial == 0;
	return b->from;
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

/* Skip blocks in which none of the outermost `count` spans closes or is dropped. */
static void cursor_skip(struct history_cursor *c, unsigned count)
{
	const struct history *h = c->history;

	for (;;) {
		uint32_t next = cursor_following(c);
		const struct block *b = &h->blocks[c->block];

		if (b->min_depth < count || b == cursor_domain(c)->current || next == NO_BLOCK ||
		    h->blocks[next].serial != c->serial + 1)
			return;
		cursor_enter(c, next);
	}
}

void history_ends(const struct history_cursor *from, unsigned count, uint64_t *ends)
{
	struct history_cursor c = *from;
	struct history_event e;
	unsigned live[HISTORY_DEPTH], alive = count < c.depth ? count : c.depth;
	uint32_t block = c.block;

	for (unsigned i = 0; i < count; i++) {
		ends[i] = i < alive ? HISTORY_OPEN : HISTORY_CUT;
		live[i] = i;
	}
	if (!cursor_valid(&c))
		return;
	cursor_skip(&c, alive);
	while (alive > 0 && history_next(&c, UINT64_MAX, &e)) {
		/* An event of a block that is passed over is none of theirs. */
		if (c.block != block) {
			cursor_skip(&c, alive);
			block = c.block;
		}
		if (e.kind == HISTORY_HOLE) {
			while (alive > 0)
				ends[live[--alive]] = HISTORY_CUT;
		} else if (e.kind == HISTORY_CLOSED && e.depth < alive) {
			ends[live[e.depth]] = e.ts;
			alive = e.depth;
		} else if (e.kind == HISTORY_DROPPED && e.depth < alive) {
			ends[live[e.depth]] = HISTORY_CUT;
			alive--;
			memmove(&live[e.depth], &live[e.depth + 1], (alive - e.depth) * sizeof(live[0]));
		}
	}
}

void history_slots(const struct history *h, unsigned domain, uint64_t t0, uint64_t width, size_t columns,
    struct history_column *out)
{
	const struct history_domain *d = history_domain_at(h, domain);
	uint64_t newest, oldest;

	memset(out, 0, columns * sizeof(*out));
	if (d == NULL || d->slots == NULL || width == 0)
		return;
	newest = h->last / HISTORY_SLOT;
	oldest = newest < HISTORY_SLOTS ? 0 : newest - HISTORY_SLOTS + 1;
	if (oldest < d->first / HISTORY_SLOT)
		oldest = d->first / HISTORY_SLOT;
	for (uint64_t n = oldest; n <= newest; n++) {
		const struct slot *s = &d->slots[n % HISTORY_SLOTS];
		uint64_t middle = n * HISTORY_SLOT + HISTORY_SLOT / 2;
		struct history_column *column;

		if (middle < t0 || (middle - t0) / width >= columns)
			continue;
		column = &out[(middle - t0) / width];
		column->known = true;
		if (s->number != n + 1)
			continue;
		column->gc += s->gc;
		column->events += s->events + (s == d->slot ? d->slot_events : 0);
		column->lost += s->lost;
		column->pause_max = s->pause_max > column->pause_max ? s->pause_max : column->pause_max;
	}
}
