/*
 * demo.c - rtevtop demo: the producer alone.
 */
#include "app/commands/commands.h"
#include "app/demo.h"

/* Run the subcommand. */
int command_demo(const struct options *options)
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
