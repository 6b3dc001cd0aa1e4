/*
 * minor_size.h - estimate the size of the minor heap from the collections that a full one started.
 *
 * Who has filled its minor heap leads a stop of the world for a minor collection.  So the largest amount that
 * such a leader had allocated is the size, less the space that was too small for the next block.  That space is
 * at most one block of the largest size, and a minor heap consists of whole pages.  Several collections must
 * agree.  Those that the program, a cycle, a table or large blocks may have asked for say nothing.  Nor do those
 * that small custom blocks may have asked for: freeing what such blocks have outside of the heap takes time.
 */
#pragma once

#include "model/model.h"

#define MINOR_SIZE_AGREE 8    /* number of collections that must agree */
#define MINOR_SIZE_DOMAINS 16 /* domains of which collections are looked at */

/* Zeroed, it has seen nothing. */
struct minor_size {
	uint64_t largest;	   /* bytes */
	uint64_t near;		   /* number of collections within 1 % of it */
	uint64_t against;	   /* number of those that freed what custom blocks had */
	const struct model *model; /* private; NULL: it observes none */
	/* Private: of its latest collection the bytes, 0 if it is not of a full heap; the time of all phases minor_finalized
	 * until then; gaps + 1 of the domain, since after a gap the phases around a collection may be missing. */
	struct minor_size_domain {
		uint64_t filled;
		uint64_t finalized;
		uint64_t gaps;
		bool requested; /* something has asked for a collection or a slice since */
	} domains[MINOR_SIZE_DOMAINS];
};

/*
 * Observe a model, which outlives `m`: its counters and pauses are added, and another program in the process, whose
 * minor heap may have another size, begins anew.  False when memory ran out.  A caller with an observer of
 * its own calls minor_size_count and minor_size_pause.
 */
bool minor_size_observe(struct minor_size *m, struct model *model);

/* Add a counter that a domain has just sent. */
void minor_size_count(
    struct minor_size *m, const struct model_domain *domain, rtev_counter counter, int64_t value);

/* A pause of a domain has ended. */
void minor_size_pause(struct minor_size *m, const struct model_domain *domain);

/* Return whether such a counter may be one of those that say something. */
static inline bool minor_size_heeds(rtev_counter counter)
{
	return counter >= RTEV_COUNTER_MINOR_ALLOCATED &&
	       counter <= RTEV_COUNTER_REQUEST_MINOR_REALLOC_CUSTOM_TABLE;
}

/* Return the size in words; 0 when it is not known. */
uint64_t minor_size_words(const struct minor_size *m);
