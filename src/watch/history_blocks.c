/*
 * history_blocks.c - allocation and eviction of a history's blocks, and copies of it.
 *
 * Blocks are allocated in chunks until they use seven eighths of the budget; the rest is for coarse slots and
 * per-domain data.  After that a new block replaces the block, among each domain's oldest one that is not
 * held, with the earliest last event.  A domain's blocks are in order of time, so its held blocks are
 * adjacent: the candidate is the domain's first block, or the first one after the held blocks.  A held block
 * becomes free only after its copy is destroyed.
 */
#include "watch/history_private.h"

#include <stdlib.h>
#include <string.h>

#include "core/order.h"
#include "model/copy.h"

#define ORDER_FIRST 16

_Static_assert(HEAD_MAX + RECORD_MAX < HISTORY_BLOCK, "a block has room for its head and a record");

bool blocks_init(struct history *h)
{
	h->block_limit = (uint32_t)(h->budget / 8 * 7 / (HISTORY_BLOCK + sizeof(struct block)));
	h->blocks = calloc(h->block_limit, sizeof(*h->blocks));
	size_t chunks = h->block_limit / CHUNK_BLOCKS + 1;
	h->chunks = calloc(1, sizeof(*h->chunks) + chunks * sizeof(h->chunks->data[0]));
	if (h->chunks != NULL)
		h->chunks->users = 1;
	h->free_block = NO_BLOCK;
	h->bytes += h->block_limit * sizeof(*h->blocks);
	return h->blocks != NULL && h->chunks != NULL;
}

void blocks_fini(struct history *h)
{
	if (h->chunks != NULL && --h->chunks->users == 0) {
		for (unsigned i = 0; i < h->chunks->count; i++)
			free(h->chunks->data[i]);
		free(h->chunks);
	}
	free(h->blocks);
}

/* Put a block on the free list. */
static void block_free(struct history *h, uint32_t block)
{
	h->given_way++;
	h->blocks[block].in_use = false;
	if (h->blocks[block].held)
		return;
	h->blocks[block].next_free = h->free_block;
	h->free_block = block;
}

/* Allocate a chunk of blocks.  False if the budget or memory ran out. */
static bool blocks_grow(struct history *h)
{
	uint32_t count = h->block_limit - h->block_count;
	uint8_t *chunk;

	if (count > CHUNK_BLOCKS)
		count = CHUNK_BLOCKS;
	if (count == 0)
		return false;
	chunk = malloc((size_t)count * HISTORY_BLOCK);
	if (chunk == NULL)
		return false;
	h->chunks->data[h->chunks->count++] = chunk;
	h->bytes += (size_t)count * HISTORY_BLOCK;
	h->block_count += count;
	for (uint32_t i = count; i-- > 0;)
		block_free(h, h->block_count - count + i);
	return true;
}

/* Position in a domain's order of the first block that may be evicted; order_count if there is none. */
static unsigned domain_victim(const struct history *h, const struct history_domain *d)
{
	struct order_search at = {.high = d->order_count};

	if (d->order_count == 0 || !h->blocks[domain_block(d, 0)].held)
		return 0;
	while (order_middle(&at))
		order_turn(&at, h->blocks[domain_block(d, (unsigned)at.middle)].held);
	return (unsigned)at.low;
}

/* Remove the block at a position from a domain's order. */
static uint32_t domain_take(struct history_domain *d, unsigned position)
{
	uint32_t *first = &d->order[d->order_first];
	uint32_t block = first[position];

	memmove(first + 1, first, position * sizeof(*first));
	d->order_first++;
	d->order_count--;
	return block;
}

uint32_t blocks_give_way(struct history *h, struct history_domain *d, unsigned position)
{
	uint64_t after = block_last(d, &h->blocks[domain_block(d, position)]);
	uint32_t block = domain_take(d, position);

	if (&h->blocks[block] == d->current) {
		d->current = NULL;
		d->at = d->limit = NULL;
	}
	after += after < UINT64_MAX;
	if (position < d->order_count) {
		h->blocks[domain_block(d, position)].from = after;
		h->blocks[domain_block(d, position)].hole = true;
	} else
		d->next_from = after;
	h->complete = false;
	h->from = after > h->from ? after : h->from;
	return block;
}

/* Evict the block with the earliest last event.  NO_BLOCK if all are held. */
static uint32_t blocks_take(struct history *h)
{
	struct history_domain *from = NULL;
	unsigned position = 0;
	uint64_t oldest = UINT64_MAX;
	uint32_t block;

	for (unsigned i = 0; i < h->domain_limit; i++) {
		struct history_domain *d = h->domains[i];
		unsigned p = d == NULL ? 0 : domain_victim(h, d);
		uint64_t last;

		if (d == NULL || p >= d->order_count)
			continue;
		last = block_last(d, &h->blocks[domain_block(d, p)]);
		if (from == NULL || last < oldest) {
			from = d;
			position = p;
			oldest = last;
		}
	}
	if (from == NULL)
		return NO_BLOCK;
	block = blocks_give_way(h, from, position);
	block_free(h, block);
	return block;
}

/* Return a free block, evicting one if needed. */
static uint32_t blocks_get(struct history *h)
{
	uint32_t block;

	if (h->free_block == NO_BLOCK && !blocks_grow(h))
		blocks_take(h);
	block = h->free_block;
	if (block != NO_BLOCK)
		h->free_block = h->blocks[block].next_free;
	return block;
}

/* Make room for one more at the end of a domain's order. */
static bool domain_order_grow(struct history *h, struct history_domain *d)
{
	unsigned size = d->order_size == 0 ? ORDER_FIRST : d->order_size * 2;
	uint32_t *order;

	if (d->order_first + d->order_count < d->order_size)
		return true;
	if (d->order_first > d->order_size / 2) {
		memmove(d->order, d->order + d->order_first, d->order_count * sizeof(*d->order));
		d->order_first = 0;
		return true;
	}
	order = realloc(d->order, size * sizeof(*order));
	if (order == NULL)
		return false;
	h->bytes += (size - d->order_size) * sizeof(*order);
	d->order = order;
	d->order_size = size;
	return true;
}

/* Write the open spans at the head of a block that begins at ts. */
static uint8_t *block_write_head(const struct history_domain *d, uint64_t ts, uint8_t *p)
{
	p = varint_put(p, d->depth);
	for (unsigned i = 0; i < d->depth; i++) {
		p = varint_put(p, d->open[i].id);
		p = varint_put(p, ts - d->open[i].begin);
	}
	p = varint_put(p, d->user_count);
	for (unsigned i = 0; i < d->user_count; i++) {
		p = varint_put(p, d->users[i].id);
		p = varint_put(p, ts - d->users[i].begin);
	}
	return p;
}

bool blocks_begin(struct history *h, struct history_domain *d, uint64_t ts)
{
	uint32_t number;
	uint8_t *data;

	if (d->current != NULL) {
		d->current->last = d->last;
		d->current->used = (uint32_t)(d->at - block_data(h, (uint32_t)(d->current - h->blocks)));
	}
	d->current = NULL;
	d->at = d->limit = NULL;
	number = blocks_get(h);
	if (number == NO_BLOCK)
		return false;
	if (!domain_order_grow(h, d)) {
		block_free(h, number);
		return false;
	}
	d->order[d->order_first + d->order_count++] = number;
	d->current = &h->blocks[number];
	*d->current = (struct block){
	    .from = d->next_from != 0 ? d->next_from : ts,
	    .first = ts,
	    .serial = d->next_serial++,
	    .domain = (uint16_t)d->domain,
	    .min_depth = UINT16_MAX,
	    .next_free = NO_BLOCK,
	    .in_use = true,
	    .hole = d->next_from != 0,
	};
	d->next_from = 0;
	d->guess = (struct history_guess){0};
	data = block_data(h, number);
	d->at = block_write_head(d, ts, data);
	d->limit = data + HISTORY_BLOCK - RECORD_MAX;
	return true;
}

void blocks_clear(struct history *h, struct history_domain *d)
{
	while (d->order_count > 0)
		block_free(h, domain_take(d, 0));
	d->next_from = 0;
	d->current = NULL;
	d->at = d->limit = NULL;
}

/* Number of blocks with events at or after `from`. */
static size_t blocks_from(const struct history *h, uint64_t from)
{
	size_t count = 0;

	for (unsigned i = 0; i < h->domain_limit; i++) {
		const struct history_domain *d = h->domains[i];

		for (unsigned k = 0; d != NULL && k < d->order_count; k++)
			count += block_last(d, &h->blocks[domain_block(d, k)]) >= from;
	}
	return count;
}

uint64_t blocks_hold(struct history *h)
{
	size_t share = (size_t)h->block_limit * HISTORY_HELD_NUM / HISTORY_HELD_DEN;
	struct order_search at = {.high = h->last};

	/* The earliest begin that fits: the number of blocks falls as it moves up. */
	while (order_middle(&at))
		order_turn(&at, blocks_from(h, at.middle) > share);
	for (unsigned i = 0; i < h->domain_limit; i++) {
		const struct history_domain *d = h->domains[i];

		for (unsigned k = 0; d != NULL && k < d->order_count; k++) {
			struct block *b = &h->blocks[domain_block(d, k)];

			b->held = block_last(d, b) >= at.low;
		}
	}
	return at.low;
}

void blocks_let_go(struct history *h)
{
	for (uint32_t i = 0; i < h->block_count; i++) {
		struct block *b = &h->blocks[i];

		if (b->held && !b->in_use) {
			b->next_free = h->free_block;
			h->free_block = i;
		}
		b->held = false;
	}
}

/* ---- copies ---- */

/* Copy a domain whose blocks are those of `h`, from a stamp on.  NULL when memory ran out. */
static struct history_domain *domain_copy(
    struct history *h, const struct history *origin, unsigned domain, uint64_t from, bool *ok)
{
	const struct history_domain *theirs = origin->domains[domain];
	struct history_domain *d = copy_bytes(theirs, sizeof(*theirs), ok);

	if (d == NULL)
		return NULL;
	d->order = theirs->order_count == 0 ? NULL
					    : copy_bytes(theirs->order + theirs->order_first,
						  theirs->order_count * sizeof(*theirs->order), ok);
	d->order_first = 0;
	d->order_size = theirs->order_count;
	d->slots = copy_bytes(theirs->slots, HISTORY_SLOTS * sizeof(*theirs->slots), ok);
	if (!*ok)
		return d;
	if (d->current != NULL)
		d->current = &h->blocks[theirs->current - origin->blocks];
	if (d->slot != NULL)
		d->slot = &d->slots[theirs->slot - theirs->slots];
	while (d->order_count > 0 && block_last(d, &h->blocks[domain_block(d, 0)]) < from)
		blocks_give_way(h, d, 0);
	return d;
}

/* Make a copy without its domains.  NULL when memory ran out. */
static struct history *blocks_copy(struct history *origin)
{
	bool ok = true;
	struct history *h = copy_bytes(origin, sizeof(*origin), &ok);

	if (h == NULL)
		return NULL;
	memset(h->domains, 0, sizeof(h->domains));
	h->origin = NULL;
	h->blocks = copy_bytes(origin->blocks, origin->block_count * sizeof(*origin->blocks), &ok);
	h->chunks->users++;
	if (ok)
		return h;
	history_destroy(h);
	return NULL;
}

struct history *history_copy(struct history *origin)
{
	struct history *h = origin->copy == NULL ? blocks_copy(origin) : NULL;
	bool ok = true;

	if (h == NULL)
		return NULL;
	uint64_t from = blocks_hold(origin);
	for (unsigned i = 0; i < origin->domain_limit && ok; i++)
		if (origin->domains[i] != NULL)
			h->domains[i] = domain_copy(h, origin, i, from, &ok);
	h->origin = origin;
	origin->copy = h;
	if (ok)
		return h;
	history_destroy(h);
	return NULL;
}
