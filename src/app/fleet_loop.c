/*
 * fleet_loop.c - the loop of commands that watch many targets: turns, scans for processes, reports on a fixed
 * grid.
 */
#include "app/fleet_loop.h"

#include "app/fail.h"
#include "app/observe.h"
#include "core/clock.h"
#include "launch/signals.h"
#include "target/shortage.h"

#define LOOK_NS 1000000000u /* time between two scans for processes */

/* Open a named target, or the COMMAND.  The first target was parsed with the command line. */
static int target_open(struct fleet_loop *r, int number)
{
	static struct options one;

	one = *r->options;
	if (number > 0) {
		one.target = one.targets[number];
		int status = observe_target(&one);
		if (status != EXIT_DONE)
			return status;
	}
	if (r->refuses != NULL && r->refuses(&one)) {
		target_file_close(&one.file);
		return EXIT_FAILED;
	}
	struct session_options asked = observe_options(&one);
	asked.waits_open = r->waits_open;
	return fleet_add(r->fleet, &asked);
}

int fleet_loop_open(struct fleet_loop *r)
{
	int count = r->options->run != NULL ? 1 : r->options->target_count;

	r->observed.machine = count == 0;
	r->observed.session = observe_options(r->options);
	r->observed.session.file = NULL;
	r->observed.session.command.argv = NULL;
	r->observed.session.report = &fail_silent;
	int error = fleet_create(&r->fleet, &r->observed);
	if (error != 0)
		return say(NULL, "%s: %s", r->failure, strerror(error));
	for (int i = 0; i < count; i++) {
		int status = target_open(r, i);
		r->status = status != EXIT_DONE ? status : r->status;
	}
	return count != 0 && fleet_count(r->fleet) == 0 ? r->status : EXIT_DONE;
}

/* Scan for processes that were started or ended. */
static void look(struct fleet_loop *r, uint64_t now)
{
	/* Scan before each report, unless the last scan was just before. */
	if (now < r->next_look && !(now >= r->next_report && now + LOOK_NS / 2 >= r->next_look))
		return;
	int error = fleet_look(r->fleet, now);
	r->next_look = now + LOOK_NS;
	unsigned left_out = fleet_left_out(r->fleet);
	if (left_out > r->left_out)
		r->status = say("Give the pids of those that matter.",
		    "%u more OCaml processes run than can be observed", left_out);
	r->left_out = left_out;
	if (error == 0)
		return;
	r->status = say(shortage_remedy(error, "rtevtop needs /proc."), "could not look at the processes: %s",
	    shortage_why(error));
}

void fleet_loop_run(struct fleet_loop *r)
{
	bool named = !r->observed.machine;
	uint64_t reports = 0;

	r->next_report = monotonic_now() + r->first_ns;
	while (signals_stops_now() == 0) {
		bool more;
		uint64_t now = monotonic_now();
		if (!named)
			look(r, now);
		size_t left = fleet_turn(r->fleet, now, &more);
		bool over = named && left == 0;
		if (over || now >= r->next_report) {
			bool whole = fleet_step(r->fleet, now) == 0;
			bool goes_on = r->report(r, whole);
			fleet_forget(r->fleet, now - r->kept_ns);
			r->next_report += r->delay_ns * ((now - r->next_report) / r->delay_ns + 1);
			if (over || !goes_on || ++reports == r->options->iterations)
				return;
		}
		uint64_t until = r->next_report < r->next_look || named ? r->next_report : r->next_look;
		uint64_t pace = fleet_pace(r->fleet, now);
		if (!more)
			signals_wait(NULL, 0, until - now < pace ? until - now : pace);
	}
}

int fleet_loop_close(struct fleet_loop *r, int status)
{
	if (r->fleet == NULL)
		return status;
	status = fleet_close(r->fleet, status != EXIT_DONE ? status : r->status);
	fleet_destroy(r->fleet);
	r->fleet = NULL;
	return status;
}
