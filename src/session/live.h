/*
 * live.h - the loops of all that reads a target without a screen: log, stats, record.
 */
#ifndef SESSION_LIVE_H
#define SESSION_LIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "session/session.h"

struct live_calls {
	void *ctx;
	uint64_t duration_ns; /* of live_read; 0: until the target ends */
	/* Whether nothing stands in the way of more. */
	bool (*going_on)(void *ctx);
	/* Whether there is room for what a turn may read; NULL: there always is.  Without it the rings wait: better that they
	 * overflow than that memory does, or that nobody can stop us. */
	bool (*room)(void *ctx, uint64_t now);
	/* After each turn, which began at `now`; `more`: it was cut short, so there is more to read at once.  True when there is
	 * more to do at once.  May be NULL. */
	bool (*turned)(void *ctx, uint64_t now, bool more);
};

/* Read until the target ends, the duration is over, or we are asked to stop. */
void live_read(struct session *s, const struct session_sink *sink, const struct live_calls *calls);

/* Read what there is now, of a file all.  False when we were asked to stop before the end. */
bool live_read_present(struct session *s, const struct session_sink *sink, const struct live_calls *calls);

/* Report that; returns EXIT_FAILED. */
int live_stopped(const struct session *s);

#endif
