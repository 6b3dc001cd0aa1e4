/*
 * observe.h - the session that the command line and the environment ask for.
 */
#ifndef APP_OBSERVE_H
#define APP_OBSERVE_H

#include "app/options.h"
#include "session/session.h"

/* Read the TARGET, if there is one that a session or a replay may take: parse it and, if it is a file, open it.  0, or an exit status
 * after it was reported that it names nothing, or a file of another kind. */
int observe_target(struct options *options);

/* What is asked of a session. */
struct session_options observe_options(const struct options *options);

/* Open the session: a process is read from now on, or from what its rings still hold, as `start` says.  0, or an exit status after the
 * reason was reported. */
int observe(struct session *s, const struct options *options, enum rtev_start start);

/* The folder in which private ones are made. */
const char *observe_temporary(void);

#endif
