/*
 * overview.c - the targets of the overview: every OCaml process of the machine, or the named ones.
 *
 * They are also read while one of them is open, so that their figures are current when the user returns.
 */
#include <string.h>

#include "app/top/top.h"
#include "core/clock.h"

#define STEP_NS 1000000000u
#define WINDOW 5	     /* steps */
#define KEPT_NS 30000000000u /* how long a process is shown after its end */
#define MODEL_BYTES                                                                                          \
	(8u << 20) /* of each process: what takes room is the names of user events, which are not shown here */

int top_overview_open(struct top *top)
{
	struct rounds *r = &top->overview.targets;

	*r = (struct rounds){.options = top->options,
	    .observed = {.window = WINDOW, .model_bytes = MODEL_BYTES},
	    .failure = "could not list processes",
	    .waits_open = true};
	int status = rounds_open(r);
	/* Those that could be opened are shown, and nothing else counts. */
	r->status = EXIT_DONE;
	return status;
}

/* End a step: scan for processes, and update the figures. */
static void step(struct top *top, uint64_t now)
{
	struct fleet *fleet = top->overview.targets.fleet;
	int error = fleet_look(fleet, now);

	if (error != 0)
		facts_notice(&top->facts, "could not look at the processes: %s", strerror(error));
	else if (fleet_step(fleet, now) != 0)
		facts_notice(&top->facts, "the list is incomplete: out of memory");
	else if (fleet_left_out(fleet) > 0)
		facts_notice(&top->facts, "the list is incomplete: %u more OCaml processes run",
		    fleet_left_out(fleet));
	fleet_forget(fleet, now - KEPT_NS);
	facts_overview(&top->facts, fleet);
	top->dirty = true;
}

bool top_overview_turn(struct top *top, uint64_t now)
{
	struct overview *o = &top->overview;
	bool more = false;

	if (o->targets.fleet == NULL)
		return false;
	fleet_turn(o->targets.fleet, now, &more);
	if (now >= o->next_step) {
		step(top, now);
		o->next_step = now + STEP_NS;
	}
	return more;
}

uint64_t top_overview_pace(const struct top *top, uint64_t now)
{
	const struct overview *o = &top->overview;

	if (o->targets.fleet == NULL)
		return UINT64_MAX;
	uint64_t step_in = o->next_step > now ? o->next_step - now : 0;
	uint64_t pace = fleet_pace(o->targets.fleet, now);
	return pace < step_in ? pace : step_in;
}

int top_overview_close(struct top *top, int status)
{
	return rounds_close(&top->overview.targets, status);
}
