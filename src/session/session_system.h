/*
 * session_system.h - samples of the process of a session, taken again and again.
 */
#ifndef SESSION_SESSION_SYSTEM_H
#define SESSION_SESSION_SYSTEM_H

#include "session/session.h"
#include "target/sampler.h"

/* Zeroed, it has sampled nobody yet. */
struct session_system {
	struct sampler *sampler; /* of the process; NULL: there is none */
	pid_t pid;
	bool other; /* the last sample is the first of this process */
};

void session_system_fini(struct session_system *system);

/* Take a sample, if it is time for one and the target runs; else NULL.  With `last` also when it is not time yet: of an observation that
 * ends.  Valid until the next one. */
const struct system_sample *session_system_read(
    struct session_system *system, const struct session *s, uint64_t now, bool last);

#endif
