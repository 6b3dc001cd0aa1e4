/*
 * longest_private.h - internals of the longest spans, with the plain case of a pause inline.
 */
#ifndef WATCH_LONGEST_PRIVATE_H
#define WATCH_LONGEST_PRIVATE_H

#include "watch/longest.h"

/* A pause that no later pause of its domain exceeds. */
struct longest_peak {
	uint64_t begin, end;
	rtev_phase phase;
};

struct longest_peaks {
	struct longest_list pauses;
	uint64_t known_from; /* a pause inside a span that began earlier may have been forgotten */
	unsigned count;
	struct longest_peak peaks[LONGEST_PEAKS]; /* in descending order of duration */
};

struct longest {
	uint16_t rows[MODEL_USER_SLOTS_MAX]; /* index + 1 of the list of each slot; 0: none */
	unsigned count;
	struct longest_list *lists; /* LONGEST_NAMES of them; in a copy `count` */
	struct longest_peaks **domains;
	unsigned domain_count;
};

/* A pause ended; as longest_pause. */
static inline struct longest_span *longest_take_pause(
    struct longest *l, unsigned domain, const struct model_span *pause)
{
	struct longest_peaks *p = domain < l->domain_count ? l->domains[domain] : NULL;
	uint64_t duration = pause->end - pause->begin;

	if (p == NULL || p->count == LONGEST_PEAKS || longest_enters(&p->pauses, pause->begin, duration))
		return longest_pause(l, domain, pause);
	unsigned count = p->count;
	while (count > 0 && p->peaks[count - 1].end - p->peaks[count - 1].begin <= duration)
		count--;
	p->peaks[count] = (struct longest_peak){pause->begin, pause->end, pause->phase};
	p->count = count + 1;
	return NULL;
}

#endif
