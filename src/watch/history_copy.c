/*
 * history_copy.c - copy a history: the copy shares the bytes of the blocks and owns everything else.
 *
 * Writers only append to a block, so the part that the copy reads does not change.  A block is reused only
 * after it was free, and a held block is never free.
 */
#include <stdlib.h>

#include "model/copy.h"
#include "watch/history_private.h"

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
