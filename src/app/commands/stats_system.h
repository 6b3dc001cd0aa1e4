/*
 * stats_system.h - what the kernel says of the process, and the settings of its runtime, in a report.
 */
#ifndef APP_COMMANDS_STATS_SYSTEM_H
#define APP_COMMANDS_STATS_SYSTEM_H

#include "record/out.h"
#include "watch/system_past.h"

/* Print the members "system" and "settings": counters as they grew while the process was observed, null for what is not known. */
void json_system(struct out *out, bool *first, const struct system_past *past);

/* Print a line for each; none of the process where no sample was taken. */
void text_system(struct out *out, const struct system_past *past);

#endif
