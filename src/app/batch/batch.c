/*
 * batch.c - rtevtop -b: print a report when one is due.
 */
#include "app/batch/batch.h"

#include <time.h>
#include <unistd.h>

#include "app/fail.h"
#include "app/rounds.h"
#include "session/signals.h"

#define DELAY_DEFAULT_NS 1000000000u

/* What is printed, and where. */
struct batch {
	struct out out;
	struct batch_time at;
};

/* Print a report.  A process that has ended is printed once more, then forgotten. */
static bool report(struct rounds *r, bool whole)
{
	const struct options *options = r->options;
	struct batch *b = r->ctx;
	struct timespec wall;

	if (!whole && r->status == EXIT_DONE) {
		fail_message("Observe for a shorter time, or fewer targets.",
		    "the figures are incomplete: out of memory");
		r->status = EXIT_FAILED;
	}
	clock_gettime(CLOCK_REALTIME, &wall);
	b->at.number++;
	b->at.wall_ns = (uint64_t)wall.tv_sec * 1000000000u + (uint64_t)wall.tv_nsec;
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
	fail_message("`rtevtop stats FILE.fxt` reports on it, `rtevtop FILE.fxt` plays it.",
	    "could not report on %s: plain reports (-b) read no recordings", one->file.path);
	return true;
}

int batch_run(const struct options *options)
{
	static struct batch b;
	struct rounds r = {.options = options,
	    .observed = {.window = 1, .by_domain = options->by_domain},
	    .failure = "could not begin",
	    .delay_ns = options->delay_ns != 0 ? options->delay_ns : DELAY_DEFAULT_NS,
	    .refuses = refuses,
	    .report = report,
	    .ctx = &b};
	unsigned stops = signals_stops();

	int status = rounds_open(&r);
	if (status == EXIT_DONE) {
		fail_output_begin(&b.out, STDOUT_FILENO, &stops);
		r.first_ns = r.delay_ns;
		rounds_run(&r);
		status = fail_output(out_flush(&b.out), "the report");
	}
	return rounds_close(&r, status);
}
