/*
 * stats_recording.h - rtevtop stats of a recording.
 */
#ifndef APP_COMMANDS_STATS_RECORDING_H
#define APP_COMMANDS_STATS_RECORDING_H

#include "app/options.h"

/* Report what the recording holds that `options->file` has open.  Returns an exit status. */
int stats_recording(const struct options *options);

#endif
