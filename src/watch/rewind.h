/*
 * rewind.h - the totals of a model as they were at an earlier stamp: those of now less what the history has kept of the time since.
 *
 * It takes the figures back that a header tells: pauses, the time observed, losses, the domains that ran.  They are those of the events
 * until then, whenever they were delivered.  From there they can be moved on, back or forth, which costs a walk through the events in
 * between.
 */
#ifndef WATCH_REWIND_H
#define WATCH_REWIND_H

#include <stdbool.h>
#include <stdint.h>

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
	unsigned seen;	  /* domains heard of */
	struct hist pauses;
	struct rewind_domain domains[MODEL_DOMAINS_MAX]; /* those heard of since have no meaning */
	bool known;
};

/*
 * Have the totals at a stamp.  The model and the history are of one watch, which has not changed since the first call; a zeroed struct
 * is one before it.  False when they are not known: not all events since then are kept, the totals count from later on, or memory ran
 * out.
 */
bool rewind_to(struct rewind *r, const struct model *m, const struct history *h, uint64_t at);

/* Free what it holds; it is then as before the first call. */
void rewind_fini(struct rewind *r);

#endif
