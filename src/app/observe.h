/*
 * observe.h - open the session that the command line and the environment ask for.
 */
#ifndef APP_OBSERVE_H
#define APP_OBSERVE_H

#include "app/options.h"
#include "session/session.h"

/* Parse the TARGET, if the subcommand takes one, and open it if it is a file.  Returns 0, or an exit status
 * after reporting that it is not a TARGET or a file of another kind. */
int observe_target(struct options *options);

/* Session options from the command line and the environment. */
struct session_options observe_options(const struct options *options);

/* Open the session.  `start` says where to begin in the rings of a process.  Returns 0, or an exit status
 * after reporting why. */
int observe(struct session *s, const struct options *options, enum rtev_start start);

/* The parent of private directories: TMPDIR, else /tmp. */
const char *observe_temporary(void);

#endif
