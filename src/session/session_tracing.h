/*
 * session_tracing.h - whether the target has paused its events, read from the target's own state.
 */
#ifndef SESSION_SESSION_TRACING_H
#define SESSION_SESSION_TRACING_H

#include "session/session.h"
#include "target/events_paused.h"

/* All zero: not asked yet. */
struct session_tracing {
	struct tracing *tracing; /* of the program that the process runs; NULL: can't be asked */
	pid_t pid;
	unsigned execs;
};

void session_tracing_fini(struct session_tracing *t);

/* Ask now.  Returns TRACING_UNKNOWN for a target that has ended. */
enum tracing_state session_tracing_read(struct session_tracing *t, const struct session *s);

#endif
