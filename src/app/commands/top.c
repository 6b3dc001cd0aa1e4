/*
 * top.c - rtevtop without a subcommand: the live view, or with -b plain reports.
 */
#include "app/top/top.h"

#include "app/batch/batch.h"
#include "app/commands/commands.h"

#define TARGETS_MAX 4096 /* of -b */

/* Run it: on the screen, or as plain reports. */
static int run(const struct options *options)
{
	if (!options->batch || (!options->batch_asked && options->file.kind == TARGET_FILE_FXT))
		return top_run(options);
	return batch_run(options);
}

const struct command command_top = {
    .synopsis = "[OPTION]... [TARGET]...",
    .purpose = "live view; of several TARGETs, or of all, an overview; -b: plain reports",
    .about = "Bars show what each domain does, as far back as the window reaches; ? lists the keys.  The "
	     "program must have "
	     "been started with OCAML_RUNTIME_EVENTS_START=1, or start events itself.",
    .example = "rtevtop 4711",
    .effect = "shows process 4711 until it ends and q is pressed",
    .options = OPTS_VIEW | OPTS_TARGET | OPT(output) | OPT(on_pause) | OPT(demo) | OPT(memtrace) |
	       OPT(batch) | OPT(by_domain) | OPT(json),
    .batch_options = OPTS_BATCH_TOO | OPT(batch) | OPT(by_domain) | OPT(json),
    .demo_options = OPT(domains) | OPT(rate) | OPT(seed) | OPT(pause),
    .word = "TARGET",
    .target = true,
    .words = TARGETS_MAX,
    .run = run,
};
