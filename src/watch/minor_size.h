/*
 * minor_size.h - estimate the size of the minor heap from the collections that a full one started.
 *
 * A domain that has filled its minor heap leads a stop of the world for a minor collection.  So the largest
 * amount that such a leader had allocated is the size, less the space that was too small for the next block.
 * That space is at most one block of the largest size, and a minor heap consists of whole pages.  Several
 * collections must agree.  Collections that the program, a cycle, a table or large blocks may have requested
 * are ignored, and so are those that small custom blocks may have requested: freeing the memory of such
 * blocks takes time.
 */
#pragma once

#include "model/model.h"

#define MINOR_SIZE_AGREE 8    /* number of collections that must agree */
#define MINOR_SIZE_DOMAINS 16 /* domains whose collections are examined */

/* Must be zeroed at first. */
struct minor_size {
	uint64_t largest;	   /* bytes */
	uint64_t near;		   /* number of collections within 1 % of `largest` */
	uint64_t against;	   /* number of those that freed memory of custom blocks */
	const struct model *model; /* private; NULL: no model is observed */
	/* Private: bytes of its latest collection, 0 if the heap was not full; the time of all phases
	 * minor_finalized until then; gaps + 1 of the domain, since after a gap the phases around a
	 * collection may be missing. */
	struct minor_size_domain {
		uint64_t filled;
		uint64_t finalized;
		uint64_t gaps;
		bool requested; /* a collection or a slice has been requested since */
	} domains[MINOR_SIZE_DOMAINS];
};

/*
 * Observe a model, which must outlive `m`: its counters and pauses are added.  If the process executes
 * another program, whose minor heap may have another size, the estimate restarts.  Returns false when memory
 * ran out.  A caller with an observer of its own calls minor_size_count and minor_size_pause.
 */
bool minor_size_observe(struct minor_size *m, struct model *model);

/* Add a counter that a domain has just sent. */
void minor_size_count(
    struct minor_size *m, const struct model_domain *domain, rtev_counter counter, int64_t value);

/* Add a pause of a domain that has ended. */
void minor_size_pause(struct minor_size *m, const struct model_domain *domain);

/* Return whether minor_size_count uses a counter. */
static inline bool minor_size_heeds(rtev_counter counter)
{
	return counter >= RTEV_COUNTER_MINOR_ALLOCATED &&
	       counter <= RTEV_COUNTER_REQUEST_MINOR_REALLOC_CUSTOM_TABLE;
}

/* Return the size in words; 0: not known. */
uint64_t minor_size_words(const struct minor_size *m);
