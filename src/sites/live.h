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

/* A sampled object. */
struct sites_object {
	int64_t id;
	int64_t time;	  /* of its allocation, microseconds; of its end, if that came first */
	uint32_t leaf;	  /* SITES_NONE: it is not counted, because it is left out or not yet allocated */
	uint32_t samples; /* 0: a free slot */
	bool minor;	  /* it stands in the minor heap */
	bool marked;	  /* it was alive at the mark */
	bool early;	  /* its allocation is yet to be read */
	bool promoted;	  /* while it is early: this has been read */
	bool collected;	  /* and this */
};

/* Empty is all zeros. */
struct sites_live {
	struct sites_object *slots; /* a power of two of them, at most three quarters in use */
	size_t size;
	size_t count;
};

void sites_live_fini(struct sites_live *live);

/* Find an object; NULL when it is not alive. */
struct sites_object *sites_live_find(const struct sites_live *live, int64_t id);

/* Add an object that is not there.  False when memory ran out. */
bool sites_live_add(struct sites_live *live, const struct sites_object *object);

/* Remove an object that was found. */
void sites_live_remove(struct sites_live *live, struct sites_object *object);

#endif
