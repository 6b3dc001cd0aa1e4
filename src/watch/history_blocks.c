/*
 * history_blocks.c - allocation and eviction of a history's blocks, and copies of it.
 *
 * Blocks are allocated until they use seven eighths of the budget; the rest is for coarse slots and per-domain
 * data.  After that a new block replaces, among the oldest ones of all domains, that with the earliest last event.
 */
#include "watch/history_private.h"

#include "core/copy.h"

#define ORDER_FIRST 16

_Static_assert(HEAD_MAX + RECORD_MAX < HISTORY_BLOCK, "a block has room for its head and a record");

/* Take a domain's oldest block out of its order. */
static struct history_block *domain_take(struct history_domain *d)
{
	struct history_block *b = domain_block(d, 0);

	d->order_first++;
	d->order_count--;
	if (b == d->current) {
		d->current = NULL;
		d->at = d->limit = NULL;
	}
	return b;
}

void blocks_clear(struct history *h, struct history_domain *d)
{
	while (d->order_count > 0) {
		struct history_block *b = domain_take(d);
		if (--b->users == 0)
			free(b);
		h->block_count--;
		h->bytes -= sizeof(*b);
	}
	d->from = 0;
}

/* Evict the block with the earliest last event.  NULL if there is no block. */
static struct history_block *blocks_take(struct history *h)
{
	struct history_domain *from = NULL;
	uint64_t oldest = UINT64_MAX;

	for (unsigned i = 0; i < h->domain_limit; i++) {
		struct history_domain *d = h->domains[i];
		uint64_t last = d != NULL && d->order_count > 0 ? block_last(d, domain_block(d, 0)) : 0;

		if (d != NULL && d->order_count > 0 && (from == NULL || last < oldest)) {
			from = d;
			oldest = last;
		}
	}
	if (from == NULL)
		return NULL;
	from->from = oldest + (oldest < UINT64_MAX);
	h->from = from->from > h->from ? from->from : h->from;
	h->complete = false;
	return domain_take(from);
}

/* Return a block of no domain, evicting one if needed.  NULL if memory ran out. */
static struct history_block *blocks_get(struct history *h)
{
	struct history_block *b = h->block_count < h->block_limit ? malloc(sizeof(*b)) : NULL;

	if (b != NULL) {
		h->block_count++;
		h->bytes += sizeof(*b);
		return b;
	}
	b = blocks_take(h);
	if (b == NULL || b->users == 1)
		return b;
	/* A copy keeps it. */
	b->users--;
	b = malloc(sizeof(*b));
	if (b == NULL) {
		h->block_count--;
		h->bytes -= sizeof(*b);
	}
	return b;
}

/* Make room for one more at the end of a domain's order. */
static bool domain_order_grow(struct history *h, struct history_domain *d)
{
	unsigned size = d->order_size == 0 ? ORDER_FIRST : d->order_size * 2;
	struct history_block **order;

	if (d->order_first + d->order_count < d->order_size)
		return true;
	if (d->order_first > d->order_size / 2) {
		memmove(d->order, d->order + d->order_first, d->order_count * sizeof(*order));
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
	struct history_block *b = NULL;

	if (d->current != NULL) {
		d->current->last = d->last;
		d->current->used = (uint32_t)(d->at - d->current->data);
	}
	d->current = NULL;
	d->at = d->limit = NULL;
	if (domain_order_grow(h, d))
		b = blocks_get(h);
	d->next_serial++;
	if (b == NULL) {
		/* No event may be missing in between. */
		blocks_clear(h, d);
		h->complete = false;
		return false;
	}
	b->users = 1;
	b->min_depth = UINT16_MAX;
	b->first = ts;
	d->order[d->order_first + d->order_count++] = b;
	d->current = b;
	d->from = d->from != 0 ? d->from : ts;
	d->guess = (struct history_guess){0};
	d->at = block_write_head(d, ts, b->data);
	d->limit = b->data + HISTORY_BLOCK - RECORD_MAX;
	return true;
}

/* ---- copies ---- */

/* Copy a domain, which shares the blocks.  NULL when memory ran out. */
static struct history_domain *domain_copy(const struct history_domain *from, bool *ok)
{
	struct history_domain *d = copy_bytes(from, sizeof(*from), ok);

	if (d == NULL)
		return NULL;
	d->order = copy_bytes(from->order, from->order_size * sizeof(struct history_block *), ok);
	d->slots = copy_bytes(from->slots, HISTORY_SLOTS * sizeof(*from->slots), ok);
	if (d->order == NULL)
		d->order_count = 0;
	for (unsigned i = 0; i < d->order_count; i++)
		domain_block(d, i)->users++;
	if (d->slot != NULL && d->slots != NULL)
		d->slot = &d->slots[from->slot - from->slots];
	return d;
}

struct history *history_copy(const struct history *origin)
{
	bool ok = true;
	struct history *h = copy_bytes(origin, sizeof(*origin), &ok);

	if (h == NULL)
		return NULL;
	for (unsigned i = 0; i < origin->domain_limit; i++)
		h->domains[i] =
		    ok && origin->domains[i] != NULL ? domain_copy(origin->domains[i], &ok) : NULL;
	if (ok)
		return h;
	history_destroy(h);
	return NULL;
}
