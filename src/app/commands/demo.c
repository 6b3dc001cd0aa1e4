/*
 * demo.c - rtevtop demo: the producer alone.
 */
#include "app/commands/commands.h"
#include "app/demo.h"

/* Run the subcommand. */
static int run(const struct options *options)
{
	const struct demo_options demo = {
	    .domains = options->domains,
	    .rate = options->rate,
	    .seed = options->seed,
	    .seconds_ns = options->seconds_ns,
	    .pause = options->pause,
	};

	return demo_run(&demo);
}

const struct command command_demo = {
    .name = "demo",
    .synopsis = "[--domains N] [--rate N] [--seconds S] [--seed N] [--pause]",
    .purpose = "a program that records events like a busy service, without OCaml",
    .options = OPT(domains) | OPT(rate) | OPT(seconds) | OPT(seed) | OPT(pause),
    .own_signals = true,
    .run = run,
};
