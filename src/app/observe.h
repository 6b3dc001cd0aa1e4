/*
 * observe.h - the session that the command line and the environment ask for.
 */
#ifndef APP_OBSERVE_H
#define APP_OBSERVE_H

#include "app/options.h"
#include "session/session.h"

/* What is asked of a session.  A TARGET has been parsed into `name`, which the session copies. */
struct session_options observe_options(const struct options *options, const struct target_name *name);

/* Open the session: a process is read from now on, or from what its rings still hold, as `start` says.  0, or an exit status after the
 * reason was reported. */
int observe(struct session *s, const struct options *options, enum rtev_start start);

/* The folder in which private ones are made. */
const char *observe_temporary(void);

#endif
