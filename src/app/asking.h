/*
 * asking.h - ask the target of a session now and then whether it has paused its events, and tell a model.
 */
#ifndef APP_ASKING_H
#define APP_ASKING_H

#include "model/model.h"
#include "session/session_tracing.h"

/* Zeroed, it has not asked. */
struct asking {
	struct session_tracing tracing;
	uint64_t asked_ts;
	bool paused; /* the target's last answer, kept once it has ended */
};

void asking_end(struct asking *a);

/* Ask if it is time to, with `last` in any case.  True: there is an answer, and the model knows it. */
bool asking_take(struct asking *a, struct session *s, struct model *m, uint64_t now, bool last);

#endif
