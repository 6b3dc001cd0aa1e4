/*
 * session_tracing.h - whether the target of a session says of itself that it has paused its events, asked again and again.
 */
#ifndef SESSION_SESSION_TRACING_H
#define SESSION_SESSION_TRACING_H

#include "session/session.h"
#include "target/events_paused.h"

/* Zeroed, it has asked nobody yet. */
struct session_tracing {
	struct tracing *tracing; /* of the program that the process runs; NULL: nobody can be asked */
	pid_t pid;
	unsigned execs;
};

void session_tracing_fini(struct session_tracing *t);

/* Ask now.  TRACING_UNKNOWN of a target that has ended. */
enum tracing_state session_tracing_read(struct session_tracing *t, const struct session *s);

#endif
