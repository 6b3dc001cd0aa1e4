/*
 * batch.c - the loop of rtevtop -b: read the targets, and print a report when one is due.
 *
 * Reports are due at fixed times, so they do not drift; a late report does not delay the following ones.
 */
#include "app/batch/batch.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

#include "app/fail.h"
#include "app/observe.h"
#include "core/clock.h"
#include "session/signals.h"
#include "target/shortage.h"

#define DELAY_DEFAULT_NS 1000000000u
#define LOOK_NS 1000000000u /* time between two scans for processes */

struct batch {
	const struct options *options;
	struct fleet *fleet;
	struct out *out;
	uint64_t delay_ns, next_report, next_look;
	struct batch_time at;
	bool by_domain;
	unsigned left_out; /* processes, as last reported */
	int status;
};

/* Scan for processes that were started or ended. */
static void look(struct batch *b, uint64_t now)
{
	/* A scan precedes each report, unless one was made just before. */
	if (now < b->next_look && !(now >= b->next_report && now + LOOK_NS / 2 >= b->next_look))
		return;
	int error = fleet_look(b->fleet, now);
	b->next_look = now + LOOK_NS;
	unsigned left_out = fleet_left_out(b->fleet);
	if (left_out > b->left_out) {
		fail_message("Give the pids of those that matter.",
		    "%u more OCaml processes run than can be observed", left_out);
		b->status = EXIT_FAILED;
	}
	b->left_out = left_out;
	if (error == 0)
		return;
	fail_message(shortage_remedy(error, "rtevtop needs /proc."), "could not look at the processes: %s",
	    shortage_why(error));
	b->status = EXIT_FAILED;
}

/* Print a report. */
static void report(struct batch *b, uint64_t now)
{
	struct timespec wall;

	if (fleet_step(b->fleet, now) != 0 && b->status == EXIT_DONE) {
		fail_message("Observe for a shorter time, or fewer targets.",
		    "the figures are incomplete: out of memory");
		b->status = EXIT_FAILED;
	}
	clock_gettime(CLOCK_REALTIME, &wall);
	b->at.number++;
	b->at.wall_ns = (uint64_t)wall.tv_sec * 1000000000u + (uint64_t)wall.tv_nsec;
	if (!b->options->json)
		batch_print_head(b->out, b->by_domain);
	for (size_t i = 0; i < fleet_count(b->fleet); i++)
		if (!fleet_member(b->fleet, i)->over)
			batch_print(
			    b->out, &b->at, fleet_member(b->fleet, i), b->by_domain, b->options->json);
	out_flush(b->out);
	/* A process that has ended is printed once more, then forgotten. */
	fleet_forget(b->fleet, now);
}

/* Read and print reports until the end. */
static void loop(struct batch *b)
{
	bool named = b->options->target_count != 0 || b->options->run != NULL;

	while (signals_stops_now() == 0 && b->out->error == 0) {
		bool more;
		uint64_t now = monotonic_now();
		if (!named)
			look(b, now);
		size_t left = fleet_turn(b->fleet, now, &more);
		bool over = named && left == 0;
		if (over || now >= b->next_report) {
			report(b, now);
			b->next_report += b->delay_ns * ((now - b->next_report) / b->delay_ns + 1);
			if (over || b->at.number == b->options->iterations)
				return;
		}
		uint64_t pace = fleet_pace(b->fleet, now);
		uint64_t until = b->next_report < b->next_look || named ? b->next_report : b->next_look;
		if (!more)
			signals_wait(NULL, 0, until - now < pace ? until - now : pace);
	}
}

/* Open one target.  The first one has been parsed with the command line. */
static int target_open(struct batch *b, int number)
{
	static struct options one;

	one = *b->options;
	if (number > 0) {
		one.target = b->options->targets[number];
		int status = observe_target(&one);
		if (status != EXIT_DONE)
			return status;
	}
	if (one.file.kind == TARGET_FILE_FXT) {
		target_file_close(&one.file);
		fail_message("`rtevtop stats FILE.fxt` reports on it, `rtevtop FILE.fxt` plays it.",
		    "could not report on %s: plain reports (-b) read no recordings", one.file.path);
		return EXIT_FAILED;
	}
	struct session_options asked = observe_options(&one);
	return fleet_add(b->fleet, &asked);
}

/* Open the named targets.  If there are several, those that exist are shown. */
static int targets_open(struct batch *b)
{
	int count = b->options->run != NULL ? 1 : b->options->target_count;

	for (int i = 0; i < count; i++) {
		int status = target_open(b, i);
		b->status = status != EXIT_DONE ? status : b->status;
	}
	return count != 0 && fleet_count(b->fleet) == 0 ? b->status : EXIT_DONE;
}

int batch_run(const struct options *options)
{
	static struct out out;
	struct batch b = {.options = options, .out = &out, .by_domain = options->by_domain};
	struct fleet_options fleet = {
	    .window = 1,
	    .by_domain = options->by_domain,
	    .machine = options->target_count == 0 && options->run == NULL,
	    .session = observe_options(options),
	};
	unsigned stops = signals_stops();

	fleet.session.file = NULL;
	fleet.session.command.argv = NULL;
	fleet.session.report = &fail_silent;
	b.delay_ns = options->delay_ns != 0 ? options->delay_ns : DELAY_DEFAULT_NS;
	int error = fleet_create(&b.fleet, &fleet);
	if (error != 0) {
		fail_message(NULL, "could not begin: %s", strerror(error));
		return EXIT_FAILED;
	}
	fail_output_begin(&out, STDOUT_FILENO, &stops);
	int status = targets_open(&b);
	if (status == EXIT_DONE) {
		b.next_report = monotonic_now() + b.delay_ns;
		loop(&b);
		status = fail_output(out_flush(&out), "the report");
	}
	status = fleet_close(b.fleet, status != EXIT_DONE ? status : b.status);
	fleet_destroy(b.fleet);
	return status;
}
