/*
 * live.h - the loops of commands that read a target without a screen: log, stats, record.
 */
#pragma once

#include "session/session.h"

struct live_calls {
	void *ctx;
	uint64_t duration_ns; /* of live_read; 0: until the target ends */
	/* Returns false to stop reading. */
	bool (*going_on)(void *ctx);
	/* Whether there is room for the events of one turn; NULL: always.  No turn is taken while there is
	 * none: a full ring is better than unbounded memory. */
	bool (*room)(void *ctx, uint64_t now);
	/* Take a turn, and set *more if there is more to read at once.  Returns true if the caller itself has
	 * work left. */
	bool (*turn)(void *ctx, uint64_t now, bool *more);
};

/* Read until the target ends, the duration is over, or a signal asks us to stop. */
void live_read(struct session *s, const struct live_calls *calls);

/* Read what the rings hold now, or all of a file.  Returns false if a signal asked us to stop before the end. */
bool live_read_present(struct session *s, const struct live_calls *calls);

int live_stopped(const struct session *s);
