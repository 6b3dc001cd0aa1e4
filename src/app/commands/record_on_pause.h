/*
 * record_on_pause.h - rtevtop record --on-pause: a file for each long pause.
 */
#ifndef APP_COMMANDS_RECORD_ON_PAUSE_H
#define APP_COMMANDS_RECORD_ON_PAUSE_H

#include "app/options.h"

/* Run until the target ends or a signal asks us to stop.  Returns an exit status. */
int record_on_pause(const struct options *options);

#endif
