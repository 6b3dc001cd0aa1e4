/*
 * rewind.h - totals of a model at an earlier time: the current totals minus the events in the history since
 * then.
 *
 * Covers the totals that the header shows: pauses, observed time, losses, running domains.  They include the
 * events with timestamps up to that time, whenever they were delivered.  To move from one time to another
 * costs a walk through the events in between.
 */
#pragma once

#include "watch/history.h"
#include "model/model.h"

/* One domain. */
struct rewind_domain {
	uint64_t observed_ns;
	uint64_t lost_words;
	bool alive;
};

struct rewind {
	uint64_t at;
	uint64_t gc_ns;
	uint64_t wait_ns; /* the part of it that was waiting, if `wait_known` */
	bool wait_known;
	uint64_t observed_ns; /* of all domains together */
	uint64_t lost_words;
	unsigned running; /* domains that ran */
	unsigned seen;	  /* domains with events */
	struct hist pauses;
	struct rewind_domain domains[MODEL_DOMAINS_MAX]; /* valid for domains with events at that time */
	bool known;
};

/*
 * Compute the totals at a timestamp.  Zero the struct before the first call.  Model and history must belong
 * to one watch that does not change between calls.  False if the totals are unknown: the history lacks
 * events, the totals were reset later, or memory ran out.
 */
bool rewind_to(struct rewind *r, const struct model *m, const struct history *h, uint64_t at);

/* Free its memory and zero it. */
void rewind_fini(struct rewind *r);
