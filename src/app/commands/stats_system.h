/*
 * stats_system.h - print what the kernel reports about the process, and the settings of its runtime.
 */
#ifndef APP_COMMANDS_STATS_SYSTEM_H
#define APP_COMMANDS_STATS_SYSTEM_H

#include "print/out.h"
#include "watch/system_past.h"

/* Print the members "system" and "settings": the growth of counters during the observation, null for values
 * not known. */
void json_system(struct out *out, bool *first, const struct system_past *past);

/* Print a line for the process, if a sample was taken, and one for the settings. */
void text_system(struct out *out, const struct system_past *past);

#endif
