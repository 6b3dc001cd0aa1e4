/*
 * live.h - the sampled objects that are alive: a hash table that shrinks as they die.
 *
 * Packets of several domains come in any order, so what becomes of an object may be read before its allocation.  It
 * is kept here until then.
 */
#ifndef SITES_LIVE_H
#define SITES_LIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of an object that is not counted, because it is left out or not yet allocated. */
#define SITES_NO_LEAF ((1u << 27) - 1)

/* A sampled object.  There may be millions, so it is packed. */
struct sites_object {
	int64_t id;
	int64_t time;		    /* of its allocation, microseconds; of its end, if that came first */
	uint32_t samples;	    /* 0: a free slot */
	unsigned int leaf : 27;	    /* SITES_NO_LEAF: none */
	unsigned int minor : 1;	    /* it stands in the minor heap */
	unsigned int marked : 1;    /* it was alive at the mark */
	unsigned int early : 1;	    /* its allocation is yet to be read */
	unsigned int promoted : 1;  /* while it is early: this has been read */
	unsigned int collected : 1; /* and this */
};

/* Empty is all zeros. */
struct sites_live {
	struct sites_object *slots; /* a power of two of them, at most three quarters in use */
	size_t size;
	size_t count;
	uint64_t multiplier;
	unsigned shift; /* how far a product is shifted to the slot */
};

void sites_live_fini(struct sites_live *live);

/* The slot of an object, or a free one where it may be put, without `samples` then.  NULL when memory ran out. */
struct sites_object *sites_live_slot(struct sites_live *live, int64_t id);

/* Put an object into the free slot that was given for it. */
static inline void sites_live_put(
    struct sites_live *live, struct sites_object *slot, const struct sites_object *object)
{
	*slot = *object;
	live->count++;
}

/* Remove an object that was found.  Others move: what was found of them is no longer theirs. */
void sites_live_remove(struct sites_live *live, struct sites_object *object);

#endif
