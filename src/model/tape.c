/*
 * tape.c - takes events onto a tape; see tape.h, and tape_private.h for how they are stored.
 *
 * A new block is begun after an event rather than before one: only then has the model taken in all that is on the tape,
 * so that its open spans are what the block begins with.
 */
#include "model/tape.h"

#include <stdlib.h>
#include <string.h>

#include "model/tape_private.h"

/* Start a record: room for the longest, its domain, opcode and stamp.  NULL when there is no memory for it. */
static inline uint8_t *record_begin(struct tape *t, unsigned domain, uint64_t ts, unsigned opcode)
{
	struct tape_block *b = t->block;
	uint8_t *p;

	if (b == NULL || domain >= MODEL_DOMAINS_MAX)
		return NULL;
	p = b->data + b->used;
	if (domain != t->domain) {
		t->domain = domain;
		*p++ = OP_DOMAIN;
		p = varint_put(p, domain);
	}
	*p++ = (uint8_t)opcode;
	p = varint_put(p, fold((int64_t)(ts - (t->since[domain] == t->epoch ? t->last[domain] : b->base))));
	t->last[domain] = ts;
	t->since[domain] = t->epoch;
	if (ts > b->latest)
		b->latest = ts;
	return p;
}

/* Write that something has begun, in a head. */
static void head_put(struct tape *t, unsigned domain, uint64_t ts, unsigned opcode, uint64_t id)
{
	uint8_t *p = record_begin(t, domain, ts, opcode);

	if (p != NULL)
		t->block->used = (uint32_t)(varint_put(p, id) - t->block->data);
}

/* Write what is open on a domain, in the order in which it began. */
static void head_domain(struct tape *t, const struct model_domain *d)
{
	struct model_open_user users[TAPE_DEPTH];
	size_t count = model_users_open(t->model, d->domain, users, TAPE_DEPTH), u = 0;
	unsigned depth = d->depth < TAPE_DEPTH ? d->depth : TAPE_DEPTH;

	for (unsigned i = 0; i <= depth; i++) {
		const struct model_open_span *span = i < depth ? &d->stack[i] : NULL;
		for (; u < count && (span == NULL || users[u].begin < span->begin); u++)
			head_put(t, d->domain, users[u].begin, OP_USER_OPENED, users[u].slot);
		if (span != NULL)
			head_put(t, d->domain, span->begin, OP_OPENED_BIG, span->phase);
	}
}

/* Bytes that a head may take. */
static size_t head_room(const struct tape *t, const struct model_totals *totals)
{
	size_t spans = 0;

	for (unsigned i = 0; i < totals->domains; i++) {
		const struct model_domain *d = model_domain(t->model, i);
		if (d != NULL)
			spans += d->open < 2 * TAPE_DEPTH ? d->open : 2 * TAPE_DEPTH;
	}
	return spans * (2 + 3 * VARINT_MAX);
}

/* Begin a block at a stamp. */
static void block_begin(struct tape *t, uint64_t ts)
{
	struct model_totals totals;

	model_totals(t->model, &totals);
	size_t size = TAPE_BLOCK + head_room(t, &totals);
	struct tape_block *b = malloc(sizeof(*b) + size);
	t->block = b;
	if (b == NULL) {
		t->whole = false;
		return;
	}
	*b = (struct tape_block){.serial = t->next_serial++, .base = ts, .size = (uint32_t)size};
	STAILQ_INSERT_TAIL(&t->blocks, b, link);
	t->bytes += sizeof(*b) + size;
	t->epoch = 2 * b->serial;
	t->domain = 0;
	for (unsigned i = 0; i < totals.domains; i++) {
		const struct model_domain *d = model_domain(t->model, i);
		if (d != NULL && d->open > 0)
			head_domain(t, d);
	}
	b->head_end = b->used;
	b->latest = 0;
	t->epoch++;
	t->domain = 0;
}

/* End a record, and its block when there is no room for another. */
static inline void record_end(struct tape *t, const uint8_t *p, uint64_t ts)
{
	struct tape_block *b = t->block;

	b->used = (uint32_t)(p - b->data);
	if (b->used + TAPE_RECORD_MAX > b->size)
		block_begin(t, ts);
}

/* A begin or an end of the runtime. */
static void put_phase(struct tape *t, unsigned domain, uint64_t ts, rtev_phase phase, bool begin)
{
	bool small = phase < OP_SMALL;
	unsigned big = begin ? OP_OPENED_BIG : OP_CLOSED_BIG, first = begin ? OP_OPENED : OP_CLOSED;
	uint8_t *p = record_begin(t, domain, ts, small ? first + phase : big);

	if (p != NULL)
		record_end(t, small ? p : varint_put(p, phase), ts);
}

static void on_opened(void *ctx, unsigned domain, rtev_phase phase, uint64_t ts, unsigned depth)
{
	(void)depth;
	put_phase(ctx, domain, ts, phase, true);
}

static void on_closed(void *ctx, unsigned domain, const struct model_span *span)
{
	put_phase(ctx, domain, span->end, span->phase, false);
}

/* What comes to nothing counts all the same: as an event, and as dropped. */
static void on_stray(void *ctx, unsigned domain, uint64_t ts, rtev_phase phase, bool begin)
{
	put_phase(ctx, domain, ts, phase, begin);
}

static void on_counter(void *ctx, unsigned domain, uint64_t ts, rtev_counter counter, int64_t value)
{
	bool small = counter < OP_SMALL;
	uint8_t *p = record_begin(ctx, domain, ts, small ? OP_COUNTER + counter : OP_COUNTER_BIG);

	if (p == NULL)
		return;
	if (!small)
		p = varint_put(p, counter);
	record_end(ctx, varint_put(p, fold(value)), ts);
}

static void on_alloc(void *ctx, unsigned domain, uint64_t ts, const uint64_t *buckets)
{
	uint8_t *p = record_begin(ctx, domain, ts, OP_ALLOC);

	if (p == NULL)
		return;
	for (unsigned i = 0; i < RTEV_ALLOC_BUCKETS; i++)
		p = varint_put(p, buckets[i]);
	record_end(ctx, p, ts);
}

static void on_lifecycle(void *ctx, unsigned domain, uint64_t ts, rtev_lifecycle event, int64_t data)
{
	uint8_t *p = record_begin(ctx, domain, ts, OP_LIFECYCLE);

	if (p != NULL)
		record_end(ctx, varint_put(varint_put(p, event), fold(data)), ts);
}

/* A begin or an end of the program's. */
static void put_user(struct tape *t, unsigned domain, uint64_t ts, unsigned slot, bool begin)
{
	uint8_t *p = record_begin(t, domain, ts, begin ? OP_USER_OPENED : OP_USER_CLOSED);

	if (p != NULL)
		record_end(t, varint_put(p, slot), ts);
}

static void on_user_opened(void *ctx, unsigned domain, uint64_t ts, unsigned slot)
{
	put_user(ctx, domain, ts, slot, true);
}

static void on_user_closed(void *ctx, unsigned domain, uint64_t begin, uint64_t end, unsigned slot)
{
	(void)begin;
	put_user(ctx, domain, end, slot, false);
}

static void on_user_stray(void *ctx, unsigned domain, uint64_t ts, unsigned slot, bool begin)
{
	put_user(ctx, domain, ts, slot, begin);
}

static void on_user(void *ctx, unsigned domain, uint64_t ts, unsigned slot, int64_t value)
{
	struct tape *t = ctx;
	const struct model_user_slot *known = model_user_slot(t->model, slot);
	const struct model_user *user = model_user(t->model, domain, slot);
	bool custom = known != NULL && known->kind == MODEL_USER_CUSTOM && user != NULL;
	uint8_t *p = record_begin(t, domain, ts, custom ? OP_CUSTOM : OP_USER);

	if (p == NULL)
		return;
	p = varint_put(p, slot);
	if (!custom) {
		record_end(t, varint_put(p, fold(value)), ts);
		return;
	}
	p = varint_put(varint_put(p, (uint64_t)value), user->kept);
	if (user->kept > 0)
		memcpy(p, user->data, user->kept);
	record_end(t, p + user->kept, ts);
}

static void on_gap(void *ctx, unsigned domain, enum model_note_kind kind, uint64_t after_ts, uint64_t words,
    uint64_t history)
{
	struct tape *t = ctx;
	uint64_t ts = after_ts != 0 || t->block == NULL ? after_ts : t->block->base;
	uint8_t *p = record_begin(t, domain, ts, OP_GAP);

	if (p != NULL)
		record_end(t, varint_put(varint_put(varint_put(p, kind), words), history), ts);
}

static void on_resumed(void *ctx, uint64_t ts)
{
	struct tape *t = ctx;
	uint8_t *p = record_begin(t, t->domain, ts, OP_RESUMED);

	if (p != NULL)
		record_end(t, p, ts);
}

static void on_reattached(void *ctx)
{
	struct tape *t = ctx;
	uint64_t ts = t->since[t->domain] == t->epoch ? t->last[t->domain]
		      : t->block == NULL	      ? 0
						      : t->block->base;
	uint8_t *p = record_begin(t, t->domain, ts, OP_REATTACH);

	if (p != NULL)
		record_end(t, p, ts);
}

struct tape *tape_create(struct model *m)
{
	struct tape *t = calloc(1, sizeof(*t));
	struct model_totals totals;

	if (t == NULL)
		return NULL;
	const struct model_observer observer = {.ctx = t,
	    .opened = on_opened,
	    .closed = on_closed,
	    .stray = on_stray,
	    .counter = on_counter,
	    .alloc = on_alloc,
	    .lifecycle = on_lifecycle,
	    .user = on_user,
	    .user_opened = on_user_opened,
	    .user_closed = on_user_closed,
	    .user_closed_stale = on_user_closed,
	    .user_stray = on_user_stray,
	    .gap = on_gap,
	    .resumed = on_resumed,
	    .reattached = on_reattached};
	t->model = m;
	t->next_serial = 1;
	t->whole = true;
	STAILQ_INIT(&t->blocks);
	model_totals(m, &totals);
	block_begin(t, totals.last_ts > totals.now ? totals.last_ts : totals.now);
	if (!t->whole || !model_observe(m, &observer)) {
		tape_destroy(t);
		return NULL;
	}
	return t;
}

/* Give up the oldest block. */
static void block_drop(struct tape *t)
{
	struct tape_block *b = STAILQ_FIRST(&t->blocks);

	STAILQ_REMOVE_HEAD(&t->blocks, link);
	t->bytes -= sizeof(*b) + b->size;
	free(b);
}

void tape_destroy(struct tape *t)
{
	if (t == NULL)
		return;
	model_unobserve(t->model, t);
	while (!STAILQ_EMPTY(&t->blocks))
		block_drop(t);
	free(t);
}

size_t tape_bytes(const struct tape *t)
{
	return t->bytes;
}

bool tape_whole(const struct tape *t)
{
	return t->whole;
}

void tape_trim(struct tape *t, uint64_t from, size_t budget, uint64_t keep)
{
	const struct tape_block *b;

	while ((b = STAILQ_FIRST(&t->blocks)) != NULL && b != t->block && b->serial < keep &&
	       (b->latest < from || t->bytes > budget))
		block_drop(t);
}

struct tape_place tape_end(const struct tape *t)
{
	const struct tape_block *b = t->block;

	if (b == NULL)
		b = STAILQ_LAST(&t->blocks, tape_block, link);
	return b == NULL ? (struct tape_place){0} : (struct tape_place){b->serial, b->used};
}

const struct tape_block *tape_block_of(const struct tape *t, uint64_t serial)
{
	const struct tape_block *b;

	STAILQ_FOREACH (b, &t->blocks, link)
		if (b->serial == serial)
			return b;
	return NULL;
}
