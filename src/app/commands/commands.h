/*
 * commands.h - the subcommands.  Each does its work and returns an exit status.
 */
#ifndef APP_COMMANDS_COMMANDS_H
#define APP_COMMANDS_COMMANDS_H

#include "app/options.h"

int command_list(const struct options *options);
int command_log(const struct options *options);
int command_stats(const struct options *options);
int command_record(const struct options *options);
int command_flight(const struct options *options); /* record --on-pause */
int command_top(const struct options *options);
int command_memtrace(const struct options *options);
int command_demo(const struct options *options);

#endif
