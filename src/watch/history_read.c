/*
 * history_read.c - reads a history; see history.h, and history_private.h for how it is stored.
 *
 * A reader at the end of its block enters the next one only on the next call, since the writer may still
 * append to its block.
 */
#include "core/order.h"
#include "watch/history_private.h"

/* The domain that a reader reads. */
static const struct history_domain *cursor_domain(const struct history_cursor *c)
{
	return c->history->domains[c->domain];
}

/* Where the records of the reader's block end. */
static const uint8_t *cursor_end(const struct history_cursor *c)
{
	const struct history_domain *d = cursor_domain(c);

	return c->block == d->current ? d->at : c->block->data + c->block->used;
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

/* Place a reader at the first record of a domain's i-th block. */
static void cursor_enter(struct history_cursor *c, size_t i)
{
	const struct history_domain *d = cursor_domain(c);
	const struct history_block *b = domain_block(d, i);

	c->block = b;
	c->serial = d->next_serial - d->order_count + i;
	c->ts = b->first;
	c->at = b->data;
	c->guess = (struct history_guess){0};
	c->depth = cursor_read_open(&c->at, b->first, c->open);
	c->user_count = cursor_read_open(&c->at, b->first, c->users);
	c->end = cursor_end(c);
}

/* Which of a domain's blocks is the one after a reader's; order_count if there is none. */
static size_t cursor_following(const struct history_cursor *c)
{
	const struct history_domain *d = cursor_domain(c);

	return c->serial + 1 - (d->next_serial - d->order_count);
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

/* Move on to more records, in the next block if it has events below `until`. */
static bool cursor_move(struct history_cursor *c, uint64_t until)
{
	const struct history_domain *d = cursor_domain(c);
	size_t next = cursor_following(c);

	/* The block may have got more since it was entered. */
	c->end = cursor_end(c);
	if (c->at < c->end)
		return true;
	if (next == d->order_count || domain_block(d, next)->first >= until)
		return false;
	cursor_enter(c, next);
	return true;
}

bool history_next(struct history_cursor *c, uint64_t until, struct history_event *out)
{
	unsigned opcode;
	uint64_t ts, distance;

	if (!cursor_valid(c))
		return false;
	while (c->at >= c->end)
		if (!cursor_move(c, until))
			return false;
	const uint8_t *at = record_read(c->at, &c->guess, &opcode, &distance);
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
	while (order_middle(&at))
		order_turn(&at, domain_block(d, at.middle)->first < ts);
	cursor_enter(c, at.low == 0 ? 0 : at.low - 1);
	while (history_next(c, ts, &e))
		continue;
	return true;
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

/* Skip blocks in which none of the outermost `count` spans closes or is dropped. */
static void cursor_skip(struct history_cursor *c, unsigned count)
{
	while (c->block->min_depth >= count && cursor_following(c) < cursor_domain(c)->order_count)
		cursor_enter(c, cursor_following(c));
}

void history_ends(const struct history_cursor *from, unsigned count, uint64_t *ends)
{
	struct history_cursor c = *from;
	struct history_event e;
	unsigned live[HISTORY_DEPTH], alive = count < c.depth ? count : c.depth;
	const struct history_block *block = c.block;

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
		if (e.kind == HISTORY_CLOSED && e.depth < alive) {
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

	memset(out, 0, columns * sizeof(*out));
	if (d == NULL || d->slots == NULL || width == 0)
		return;
	uint64_t newest = h->last / HISTORY_SLOT;
	uint64_t oldest = newest < HISTORY_SLOTS ? 0 : newest - HISTORY_SLOTS + 1;
	if (oldest < d->first / HISTORY_SLOT)
		oldest = d->first / HISTORY_SLOT;
	for (uint64_t n = oldest; n <= newest; n++) {
		const struct slot *s = &d->slots[n % HISTORY_SLOTS];
		uint64_t middle = n * HISTORY_SLOT + HISTORY_SLOT / 2;

		if (middle < t0 || (middle - t0) / width >= columns)
			continue;
		struct history_column *column = &out[(middle - t0) / width];
		column->known = true;
		if (s->number != n + 1)
			continue;
		column->gc += s->gc;
		column->events += s->events + (s == d->slot ? d->slot_events : 0);
		column->lost += s->lost;
		column->pause_max = s->pause_max > column->pause_max ? s->pause_max : column->pause_max;
	}
}
