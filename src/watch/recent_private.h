/*
 * recent_private.h - internals of the recent pauses, with the plain case of their events inline.
 */
#ifndef WATCH_RECENT_PRIVATE_H
#define WATCH_RECENT_PRIVATE_H

#include "watch/recent.h"

#define RECENT_STEPS (RECENT_WINDOW / WATCH_STEP + 1)

struct recent {
	uint64_t from, to;		/* the step of the latest pause; `to` is 0 when there is none: */
	struct hist *now;		/* its histogram */
	uint64_t numbers[RECENT_STEPS]; /* of the step that each histogram is of: its begin over WATCH_STEP */
	struct hist steps[RECENT_STEPS];
};

/* Add a pause whose duration has this hist_place; as recent_add. */
static inline void recent_take(struct recent *r, uint64_t end, uint64_t duration, unsigned place)
{
	if (end >= r->from && end < r->to)
		(void)hist_add_at(r->now, duration, place);
	else
		recent_add(r, end, duration);
}

#endif
