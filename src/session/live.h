/*
 * live.h - the loops of commands that read a target without a screen: log, stats, record.
 */
#pragma once

#include "session/session.h"

struct live_calls {
	void *ctx;
	uint64_t duration_ns; /* for live_read; 0: until the target ends */
	/* Returns false to stop reading. */
	bool (*going_on)(void *ctx);
	/* Whether there is room for the events of one turn; NULL: always.  While there is none, no turn is
	 * taken: a full ring is better than memory without bound. */
	bool (*room)(void *ctx, uint64_t now);
	/* Takes a turn, and sets *more if it was cut short and there is more to read at once.  Returns true if
	 * the caller has work left itself. */
	bool (*turn)(void *ctx, uint64_t now, bool *more);
};

/* Read until the target ends, the duration is over, or a signal asks us to stop. */
void live_read(struct session *s, const struct live_calls *calls);

/* Read what the rings hold now; of a file, all of it.  Returns false if a signal asked us to stop before the
 * end. */
bool live_read_present(struct session *s, const struct live_calls *calls);

/* Report that live_read_present was stopped.  Returns EXIT_FAILED. */
int live_stopped(const struct session *s);
