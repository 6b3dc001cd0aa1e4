/*
 * observe.c - the session that the command line and the environment ask for.
 */
#include "app/observe.h"

#include <stdlib.h>

#include "app/fail.h"
#include "demo/demo.h"
#include "rtev/producer.h"

const char *observe_temporary(void)
{
	const char *tmp = getenv("TMPDIR");

	return tmp != NULL && tmp[0] != '\0' ? tmp : "/tmp";
}

struct session_options observe_options(const struct options *options, const struct target_name *name)
{
	return (struct session_options){
	    .target = name,
	    .command =
		{
		    .argv = options->run,
		    .output = CHILD_OUTPUT_STDERR,
		    .rings = getenv(RTEV_ENV_DIR),
		    .temporary = observe_temporary(),
		    .keep = getenv(RTEV_ENV_PRESERVE) != NULL,
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
	struct target_name name;

	if (options->run == NULL && !target_name_parse(&name, options->target))
		return fail_usage("%s: neither a PID nor a file", options->target);
	struct session_options asked = observe_options(options, &name);
	asked.start = start;
	return session_open(s, &asked);
}
