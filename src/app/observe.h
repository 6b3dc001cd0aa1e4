/* observe.h - find and open what the command line asks to observe. */
#pragma once

#include "app/options.h"

/* Replace each TARGET that is the name of a process by its pid, or in an overview by the pids of all
 * processes of that name.  Returns 0, or an exit status after reporting that a name means several, or that
 * the search failed. */
int observe_names(struct options *options);

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
