/*
 * overview.c - the targets of the overview: every OCaml process of the machine, or the named ones.
 *
 * They are also read while one of them is open, so that their figures are current when the user returns.
 */
#include <string.h>

#include "app/fail.h"
#include "app/observe.h"
#include "app/top/top.h"
#include "core/clock.h"
#include "session/signals.h"

#define STEP_NS 1000000000u
#define WINDOW 5	     /* steps */
#define KEPT_NS 30000000000u /* how long a process is shown after its end */
#define MODEL_BYTES                                                                                          \
	(8u << 20) /* of each process: what takes room is the names of user events, which are not shown here */

/* Add the named targets.  Returns an exit status: that of the last failure if no target could be opened. */
static int targets_add(struct top *top)
{
	static struct options one;
	int status = EXIT_DONE;

	for (int i = 0; i < top->options->target_count; i++) {
		one = *top->options;
		one.target = one.targets[i];
		int opened = i > 0 ? observe_target(&one) : EXIT_DONE;
		if (opened == EXIT_DONE) {
			struct session_options asked = observe_options(&one);
			asked.waits_open = true;
			opened = fleet_add(top->overview.fleet, &asked);
		}
		status = opened != EXIT_DONE ? opened : status;
	}
	return top->options->target_count == 0 || fleet_count(top->overview.fleet) != 0 ? EXIT_DONE : status;
}

int top_overview_open(struct top *top)
{
	struct fleet_options options = {.window = WINDOW,
	    .machine = top->options->target_count == 0,
	    .session = observe_options(top->options),
	    .model_bytes = MODEL_BYTES};

	options.session.file = NULL;
	options.session.report = &fail_silent;
	int error = fleet_create(&top->overview.fleet, &options);
	if (error == 0)
		return targets_add(top);
	fail_message(NULL, "could not list processes: %s", strerror(error));
	return EXIT_FAILED;
}

/* End a step: scan for processes, and update the figures. */
static void step(struct top *top, uint64_t now)
{
	struct overview *o = &top->overview;

	int error = fleet_look(o->fleet, now);
	if (error != 0)
		facts_notice(&top->facts, "could not look at the processes: %s", strerror(error));
	else if (fleet_step(o->fleet, now) != 0)
		facts_notice(&top->facts, "the list is incomplete: out of memory");
	else if (fleet_left_out(o->fleet) > 0)
		facts_notice(&top->facts, "the list is incomplete: %u more OCaml processes run",
		    fleet_left_out(o->fleet));
	fleet_forget(o->fleet, now - KEPT_NS);
	facts_overview(&top->facts, o->fleet);
	top->dirty = true;
}

bool top_overview_turn(struct top *top, uint64_t now)
{
	struct overview *o = &top->overview;
	bool more = false;

	if (o->fleet == NULL)
		return false;
	fleet_turn(o->fleet, now, &more);
	if (now >= o->next_step) {
		step(top, now);
		o->next_step = now + STEP_NS;
	}
	return more;
}

uint64_t top_overview_pace(const struct top *top, uint64_t now)
{
	const struct overview *o = &top->overview;

	if (o->fleet == NULL)
		return UINT64_MAX;
	uint64_t step_in = o->next_step > now ? o->next_step - now : 0;
	uint64_t pace = fleet_pace(o->fleet, now);
	return pace < step_in ? pace : step_in;
}

int top_overview_close(struct top *top, int status)
{
	if (top->overview.fleet == NULL)
		return status;
	status = fleet_close(top->overview.fleet, status);
	fleet_destroy(top->overview.fleet);
	top->overview.fleet = NULL;
	return status;
}
