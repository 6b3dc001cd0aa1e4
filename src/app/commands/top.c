/*
 * top.c - rtevtop without a subcommand: the live view.
 */
#include "app/top/top.h"

#include "app/commands/commands.h"

const struct command command_top = {
    .synopsis = "[OPTION]... [TARGET]",
    .purpose = "live view; without TARGET, of one chosen from a list",
    .options = OPTS_VIEW | OPTS_TARGET | OPT(output) | OPT(on_pause) | OPT(demo) | OPT(memtrace),
    .demo_options = OPT(domains) | OPT(rate) | OPT(seed) | OPT(pause),
    .word = "TARGET",
    .target = true,
    .run = top_run,
};
