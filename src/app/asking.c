/*
 * asking.c - see asking.h.
 */
#include "app/asking.h"

#define ASK_NS 50000000u

void asking_end(struct asking *a)
{
	session_tracing_fini(&a->tracing);
}

bool asking_take(struct asking *a, struct session *s, struct model *m, uint64_t now, bool last)
{
	if (s->state != SESSION_LIVE || (!last && now - a->asked_ts < ASK_NS))
		return false;
	bool paused = session_tracing_read(&a->tracing, s) == TRACING_PAUSED;

	/* Check last: an answer counts only if the target still runs after it. */
	session_check(s);
	if (s->state != SESSION_LIVE)
		return false;
	a->asked_ts = now;
	a->paused = paused;
	model_set_silent(m, paused);
	return true;
}
