/*
 * overview.c - the targets of the overview: every OCaml process of the machine, or the named ones.
 *
 * They are also read while one of them is open, so that their figures are current when the user returns.
 */
#include "app/top/top.h"
#include "core/array.h"

#define STEP_NS 1000000000u
#define WINDOW 5	     /* steps of its window */
#define KEPT_NS 30000000000u /* how long a process is shown after its end */
#define MODEL_BYTES                                                                                          \
	(8u << 20) /* per process; user events' names would take the most, and are not shown here */

int top_overview_open(struct top *top)
{
	struct fleet_loop *r = &top->overview.targets;

	*r = (struct fleet_loop){.options = top->options,
	    .observed = {.window = WINDOW,
		.parts = OBSERVE_ADVICE | OBSERVE_FIBERS,
		.model_bytes = MODEL_BYTES},
	    .failure = "could not list processes",
	    .waits_open = true};
	int status = fleet_loop_open(r);
	/* Targets that could be opened are shown; the failures of others do not count. */
	r->status = EXIT_DONE;
	return status;
}

/* Set the sentence about a member. */
static void headline_of_member(const struct fleet_member *m, struct subject_process *out)
{
	if (m->observation == NULL || m->observation->advice == NULL)
		return;
	const struct headline *told = observation_headline(m->observation, m->figures.to);
	out->serious = told->level == LEVEL_BAD;
	out->finding = told->name;
	out->headline = told->text;
}

static int by_name(const void *left, const void *right)
{
	const struct subject_process *const *a = left, *const *b = right;

	return strcmp((*a)->name, (*b)->name);
}

/* Mark processes with the same name, which alone does not tell them apart. */
static void mark_alike(struct subject_process *processes, size_t count)
{
	struct subject_process **sorted = calloc(count + 1, sizeof(struct subject_process *));

	if (sorted == NULL)
		return;
	for (size_t i = 0; i < count; i++)
		sorted[i] = &processes[i];
	qsort(sorted, count, sizeof(struct subject_process *), by_name);
	for (size_t i = 1; i < count; i++)
		if (strcmp(sorted[i - 1]->name, sorted[i]->name) == 0)
			sorted[i - 1]->alike = sorted[i]->alike = true;
	free(sorted);
}

/* Return what the overview shows of a member. */
static struct subject_process process_of(const struct fleet_member *m)
{
	const bool known = m->figures.known && m->state != FLEET_ENDED;
	struct subject_process shown = {.pid = m->pid,
	    .parent = m->parent,
	    .name = m->name,
	    .command = m->command,
	    .user = m->user,
	    .ocaml = m->ocaml,
	    .state = fleet_state_name(m->state),
	    .remedy = m->remedy,
	    .live = m->attach_ts != 0,
	    .ended = m->state == FLEET_ENDED,
	    .ended_ts = m->ended_ts,
	    .gc_history = known ? m->gc_history : NULL,
	    .gc_count = known ? m->gc_count : 0,
	    .figures = *window_figures_told(known ? &m->figures : NULL)};

	shown.figures.domains = NULL;
	if (known)
		headline_of_member(m, &shown);
	return shown;
}

/* Show the processes of a fleet.  They belong to the fleet. */
static void show(struct facts *f, const struct fleet *fleet)
{
	size_t count = fleet_count(fleet);

	if (!array_room(&f->processes, &f->process_room, count + 1, sizeof(f->processes[0])))
		return;
	f->subject.processes = f->processes;
	f->subject.process_count = 0;
	for (size_t i = 0; i < count; i++) {
		const struct fleet_member *m = fleet_member(fleet, i);
		/* A process with the next member's pid executed another program, or its pid was reused: only
		 * the latest is shown. */
		if (i + 1 < count && m->pid != 0 && fleet_member(fleet, i + 1)->pid == m->pid)
			continue;
		f->processes[f->subject.process_count++] = process_of(m);
	}
	mark_alike(f->processes, f->subject.process_count);
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
	show(&top->facts, fleet);
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
	return fleet_loop_close(&top->overview.targets, status);
}
