/* top.c - rtevtop without a subcommand: the live view, or plain reports with -b. */
#include "app/top/top.h"

#include <time.h>
#include <unistd.h>

#include "app/batch/batch.h"
#include "app/commands/commands.h"
#include "app/fail.h"
#include "core/clock.h"
#include "launch/signals.h"

#define TARGETS_MAX 4096 /* most targets of -b */
#define DELAY_DEFAULT_NS 1000000000u

/* The state of plain reports. */
struct batch {
	struct out out;
	struct batch_time at;
};

/* Print a report.  A process that has ended is printed once more, then forgotten. */
static bool report(struct fleet_loop *r, bool whole)
{
	const struct options *options = r->options;
	struct batch *b = r->ctx;

	if (!whole && r->status == EXIT_DONE)
		r->status = say("Observe for a shorter time, or fewer targets.",
		    "the figures are incomplete: out of memory");
	b->at.number++;
	b->at.wall_ns = clock_ns(CLOCK_REALTIME);
	if (!options->json)
		batch_print_head(&b->out, options->by_domain);
	for (size_t i = 0; i < fleet_count(r->fleet); i++)
		if (!fleet_member(r->fleet, i)->over)
			batch_print(
			    &b->out, &b->at, fleet_member(r->fleet, i), options->by_domain, options->json);
	out_flush(&b->out);
	return b->out.error == 0;
}

/* Refuse a recording. */
static bool refuses(const struct options *one)
{
	if (one->file.kind != TARGET_FILE_FXT)
		return false;
	say("`rtevtop stats FILE.fxt` reports on it, `rtevtop FILE.fxt` plays it.",
	    "could not report on %s: plain reports (-b) read no recordings", one->file.path);
	return true;
}

/* Print plain reports.  Returns an exit status. */
static int batch_run(const struct options *options)
{
	static struct batch b;
	struct fleet_loop r = {.options = options,
	    .observed = {.window = 1,
		.parts = OBSERVE_ADVICE | OBSERVE_FIBERS,
		.by_domain = options->by_domain},
	    .failure = "could not begin",
	    .delay_ns = options->delay_ns != 0 ? options->delay_ns : DELAY_DEFAULT_NS,
	    .refuses = refuses,
	    .report = report,
	    .ctx = &b};
	unsigned stops = signals_stops();

	int status = fleet_loop_open(&r);
	if (status == EXIT_DONE) {
		fail_output_begin(&b.out, STDOUT_FILENO, &stops);
		r.first_ns = r.delay_ns;
		fleet_loop_run(&r);
		status = fail_output(out_flush(&b.out), "the report");
	}
	return fleet_loop_close(&r, status);
}

/* Run the live view or print plain reports. */
static int run(const struct options *options)
{
	if (!options->batch || (!options->batch_asked && options->file.kind == TARGET_FILE_FXT))
		return top_run(options);
	return batch_run(options);
}

const struct command command_top = {
    .synopsis = "[OPTION]... [TARGET]...",
    .purpose = "live view of a TARGET; overview of several or of all; -b: reports",
    .about = "Bars show what each domain did in the last seconds; ? lists the keys.  A program that was not "
	     "started with OCAML_RUNTIME_EVENTS_START=1, and does not turn events on itself, is shown by the "
	     "counters in its memory.",
    .example = "rtevtop 4711",
    .effect = "shows process 4711 until it ends and q is pressed",
    .options = OPTS_VIEW | OPTS_TARGET | OPT(output) | OPT(on_pause) | OPT(demo) | OPT(memtrace) |
	       OPT(batch) | OPT(by_domain) | OPT(json) | OPT(code),
    .batch_options = OPTS_BATCH_TOO | OPT(batch) | OPT(by_domain) | OPT(json),
    .demo_options = OPT(domains) | OPT(rate) | OPT(seed) | OPT(pause),
    .word = "TARGET",
    .target = true,
    .takes_off = true,
    .words = TARGETS_MAX,
    .run = run,
};
