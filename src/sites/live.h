/*
 * live.h - a hash table of the sampled objects that are alive.  It shrinks as objects die.
 *
 * The packets of several domains come in any order, so the promotion or collection of an object may be read
 * before its allocation.  The table then records it until the allocation is read.
 */
#pragma once

#include "core/std.h"

/* The leaf of an object that is not counted, because it is left out or its allocation is yet to be read. */
#define SITES_NO_LEAF ((1u << 27) - 1)

/* A sampled object.  There may be millions, so it is packed. */
struct sites_object {
	int64_t id;
	int64_t time;	  /* of its allocation, in microseconds; of its collection, if that was read first */
	uint32_t samples; /* 0: a free slot */
	unsigned int leaf : 27;	    /* SITES_NO_LEAF: none */
	unsigned int minor : 1;	    /* it is in the minor heap */
	unsigned int marked : 1;    /* it was alive at the mark */
	unsigned int early : 1;	    /* its allocation is yet to be read */
	unsigned int promoted : 1;  /* while `early`: its promotion has been read */
	unsigned int collected : 1; /* while `early`: its collection has been read */
};

/* An empty table is all zeros. */
struct sites_live {
	struct sites_object *slots; /* a power of two of them, at most three quarters in use */
	size_t size;
	size_t count;
	uint64_t multiplier;
	unsigned shift; /* the slot is the product of id and multiplier, shifted right by this */
};

void sites_live_fini(struct sites_live *live);

/* Find the slot of an object, or the free slot (`samples` is 0) where it belongs.  Returns NULL when out of
 * memory. */
struct sites_object *sites_live_slot(struct sites_live *live, int64_t id);

/* Put an object into the free slot that sites_live_slot returned for it. */
static inline void sites_live_put(
    struct sites_live *live, struct sites_object *slot, const struct sites_object *object)
{
	*slot = *object;
	live->count++;
}

/* Remove an object from its slot.  Other objects move, so pointers to their slots become invalid. */
void sites_live_remove(struct sites_live *live, struct sites_object *object);
