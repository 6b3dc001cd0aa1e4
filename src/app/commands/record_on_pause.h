/*
 * record_on_pause.h - rtevtop record --on-pause: a file for each long pause.
 */
#ifndef APP_COMMANDS_RECORD_ON_PAUSE_H
#define APP_COMMANDS_RECORD_ON_PAUSE_H

#include "app/options.h"

/* Record them until the target ends, or we are to.  An exit status. */
int record_on_pause(const struct options *options);

#endif
