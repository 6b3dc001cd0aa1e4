/*
 * record_on_pause.h - rtevtop record --on-pause: a file for each long pause.
 */
#pragma once

#include "app/options.h"

/* Run until the target ends or a signal asks us to stop.  Returns an exit status. */
int record_on_pause(const struct options *options);
