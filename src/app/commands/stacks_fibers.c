/*
 * stacks_fibers.c - stacks: which fiber a thread executes, by the events of its ring.
 *
 * A stack and a ring are not read at the same instant.  A fiber that runs before and after the stack was read
 * ran in between, too; of shorter runs nothing is said.
 */
#include "app/commands/stacks_report.h"
#include "app/fail.h"
#include "app/observe.h"
#include "core/clock.h"
#include "observation/observation.h"

#define TURNS_MAX 4096 /* turns that read what the rings hold, because programs may write all the time */

struct stacks_fibers {
	struct session session;
	bool open;
	struct observation *observation;
};

/* Read everything written until now.  False: it could not be read in full. */
static bool read_on(struct stacks_fibers *f)
{
	const uint64_t now = monotonic_now();
	bool more = true;

	session_check(&f->session);
	for (unsigned i = 0; i < TURNS_MAX && (more || f->session.read_ts < now); i++) {
		if (f->session.cursor == NULL || f->session.state != SESSION_LIVE)
			return false;
		more = observation_turn(f->observation, monotonic_now(), NULL);
	}
	return f->session.read_ts >= now;
}

void stacks_fibers_destroy(struct stacks_fibers *f)
{
	if (f == NULL)
		return;
	if (f->open)
		(void)session_close(&f->session, 0);
	observation_destroy(f->observation);
	free(f);
}

struct stacks_fibers *stacks_fibers_create(const struct options *options)
{
	struct stacks_fibers *f = calloc(1, sizeof(*f));
	struct session_options asked = observe_options(options);

	if (f == NULL)
		return NULL;
	asked.takes_off = true;
	asked.report = &fail_silent;
	f->open = session_open(&f->session, &asked) == 0;
	if (f->open && f->session.cursor != NULL)
		f->observation = observation_create(
		    &(struct observation_options){.session = &f->session, .parts = OBSERVE_FIBERS});
	if (f->observation != NULL && read_on(f))
		return f;
	stacks_fibers_destroy(f);
	return NULL;
}

/* Whether OCaml code of a fiber is in a stack: other threads of its domain have none. */
static bool is_in_fiber(const struct code_stack *stack)
{
	for (unsigned i = 0; i < stack->count; i++)
		if (stack->frames[i].boundary == CODE_FIBER)
			return true;
	return false;
}

bool stacks_fibers_of(struct stacks_fibers *f, const struct code_thread *thread,
    const struct code_stack *stack, uint64_t since, uint64_t *id)
{
	struct fiber_run run;
	const char *name;

	if (f == NULL || thread->domain < 0 || thread->kind != CODE_THREAD_OCAML || !is_in_fiber(stack) ||
	    !read_on(f))
		return false;
	struct fibers *fibers = schedulers_first(f->observation->schedulers, &name);
	if (fibers == NULL || !fibers_running(fibers, (unsigned)thread->domain, monotonic_now(), &run) ||
	    run.ts > since)
		return false;
	*id = run.fiber;
	return true;
}
