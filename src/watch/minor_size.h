/*
 * minor_size.h - how large the minor heap is, by the collections that a full one began.
 *
 * Who leads a stop of the world for a minor collection has run out of room, unless the program asked for the collection or custom
 * blocks did.  So the largest of what leaders had allocated is the size, but for what did not fit any more: that is at most a
 * block of the largest size, and a minor heap is whole pages.  Several collections must agree.
 */
#ifndef WATCH_MINOR_SIZE_H
#define WATCH_MINOR_SIZE_H

#include <stdint.h>

#include "model/model.h"

/* Zeroed, it has seen nothing. */
struct minor_size {
	uint64_t largest; /* bytes */
	uint64_t near;	  /* collections within a hundredth of it */
};

/* Take in a counter minor_allocated that a domain has just sent. */
void minor_size_see(struct minor_size *m, const struct model_domain *domain, int64_t bytes);

/* The size in words, 0 when it can't be told. */
uint64_t minor_size_words(const struct minor_size *m);

#endif
