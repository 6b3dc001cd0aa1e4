/*
 * session_tracing.c - ask the target whether it has paused its events.
 */
#include "session/session_tracing.h"

void session_tracing_fini(struct session_tracing *t)
{
	tracing_destroy(t->tracing);
	*t = (struct session_tracing){0};
}

enum tracing_state session_tracing_read(struct session_tracing *t, const struct session *s)
{
	pid_t pid = s->state == SESSION_LIVE && s->alive != NULL ? alive_pid(s->alive) : 0;

	if (pid != t->pid || s->execs != t->execs) {
		session_tracing_fini(t);
		*t = (struct session_tracing){
		    .tracing = pid != 0 ? tracing_create(NULL, pid) : NULL, .pid = pid, .execs = s->execs};
	}
	return t->tracing != NULL ? tracing_read(t->tracing) : TRACING_UNKNOWN;
}
