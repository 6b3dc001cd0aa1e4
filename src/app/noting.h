/*
 * noting.h - what is recorded of a session's process besides its events: samples, settings, and whether it
 * has paused its events.
 */
#ifndef APP_NOTING_H
#define APP_NOTING_H

#include "app/asking.h"
#include "app/sampling.h"
#include "record/system_note.h"

struct noting {
	struct sampling sampling;
	struct asking asking;
	struct session *session;
	struct model *model;
	system_note_put *put;
	void *ctx;
	bool paused; /* as noted last */
};

/* Observe a session and its model, which outlive `n`.  Notes go to `put`; samples and settings also go to
 * `past`, which may be NULL.  False when memory ran out. */
bool noting_begin(struct noting *n, struct session *session, struct model *model, struct system_past *past,
    system_note_put *put, void *ctx);
void noting_end(struct noting *n);

/* Note what is due; with `last`, at the end of an observation, all there is. */
void noting_take(struct noting *n, uint64_t now, bool last);

#endif
