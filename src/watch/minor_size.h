/*
 * minor_size.h - estimate the size of the minor heap from the collections that a full one started.
 *
 * The leader of a stop of the world for a minor collection has filled its minor heap, unless the program or
 * custom blocks requested the collection.  So the largest amount that a leader had allocated is the size,
 * less the space that was too small for the next block.  That space is at most one block of the largest
 * size, and a minor heap consists of whole pages.  Several collections must agree.
 */
#pragma once

#include "model/model.h"

#define MINOR_SIZE_AGREE 8 /* number of collections that must agree */

/* Zeroed, it has seen nothing. */
struct minor_size {
	uint64_t largest;	   /* bytes */
	uint64_t near;		   /* number of collections within 1 % of it */
	const struct model *model; /* private; NULL: it observes none */
};

/*
 * Observe a model, which outlives `m`: its counters are added, and another program in the process, whose
 * minor heap may have another size, begins anew.  False when memory ran out.  A caller with an observer of
 * its own calls minor_size_see.
 */
bool minor_size_observe(struct minor_size *m, struct model *model);

/* Add a counter minor_allocated that a domain has just sent. */
void minor_size_see(struct minor_size *m, const struct model_domain *domain, int64_t bytes);

/* Return whether such a counter may say something new: what is no larger does not once enough agree. */
static inline bool minor_size_news(const struct minor_size *m, int64_t bytes)
{
	return bytes > 0 && ((uint64_t)bytes > m->largest || m->near < MINOR_SIZE_AGREE);
}

/* Return the size in words; 0 when it is not known. */
uint64_t minor_size_words(const struct minor_size *m);
