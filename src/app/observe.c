/*
 * observe.c - open the session that the command line and the environment ask for.
 */
#include "app/observe.h"

#include <stdlib.h>

#include "app/commands/commands.h"
#include "app/fail.h"
#include "demo/demo.h"
#include "rtev/producer.h"

const char *observe_temporary(void)
{
	const char *tmp = getenv("TMPDIR");

	return tmp != NULL && tmp[0] != '\0' ? tmp : "/tmp";
}

int observe_target(struct options *options)
{
	options->file = (struct target_file){.fd = -1};
	if (options->target == NULL || !options->command->target)
		return EXIT_DONE;
	if (!target_name_parse(&options->name, options->target))
		return fail_usage("%s: neither a PID nor a file", options->target);
	if (options->name.kind != TARGET_FILE)
		return EXIT_DONE;
	target_file_open(&options->file, options->name.path);
	return target_file_refuse(&options->file, options->wait_ns != 0, &fail_report) ? EXIT_FAILED
										       : EXIT_DONE;
}

struct session_options observe_options(const struct options *options)
{
	return (struct session_options){
	    .target = &options->name,
	    .file = &options->file,
	    .command =
		{
		    .argv = options->run,
		    .output = CHILD_OUTPUT_STDERR,
		    .rings = getenv(RTEV_ENV_DIR),
		    .temporary = observe_temporary(),
		    .keep = getenv(RTEV_ENV_PRESERVE) != NULL,
		    .passes_term = true,
		    .ours_variable = options->demo ? DEMO_OF_VARIABLE : NULL,
		    .report = &fail_report,
		},
	    .start = RTEV_START_OLDEST,
	    .max_events = options->max_events,
	    .wait_ns = options->wait_ns,
	    .dir = options->dir,
	    .ocaml = options->ocaml,
	    .suggest = options->suggest,
	    .report = &fail_report,
	};
}

int observe(struct session *s, const struct options *options, enum rtev_start start)
{
	struct session_options asked = observe_options(options);

	asked.start = start;
	asked.reads_ahead = true;
	return session_open(s, &asked);
}
