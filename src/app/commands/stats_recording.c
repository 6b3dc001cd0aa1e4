/*
 * stats_recording.c - rtevtop stats of a recording: its events go through the observers that followed the
 * target, so the report is that of the recorded observation.
 *
 * A recording of a process is followed in steps, as the process was: stops of the world are assembled in
 * each, and findings are judged about once a second.  A ring file is judged once, at its end.  Steps are
 * longer if there would be more than STEPS_MAX, so that the time this takes is bounded by the size of the
 * file, whatever stamps it has.
 */
#include "app/commands/stats_recording.h"

#include <unistd.h>

#include "app/commands/commands.h"
#include "app/commands/stats_report.h"
#include "app/fail.h"
#include "app/recorded.h"
#include "core/sum.h"
#include "record/trail.h"
#include "session/signals.h"

#define INDEX_RECORDS 20000u /* indexed between two checks for signals */
#define FEED_EVENTS 100000u  /* likewise delivered */
#define STEP_NS 50000000u
#define STEPS_MAX 262144u
#define JUDGED_MAX 4096u

struct reading {
	const struct options *options;
	struct trail *trail;
	struct trail_info info;
	struct observation *observation;
	uint64_t step_ns; /* of a recorded process */
};

/* Index the file.  Returns false if a signal asked us to stop. */
static bool index_all(struct reading *r)
{
	while (trail_index(r->trail, INDEX_RECORDS))
		if (signals_stops_now() != 0)
			return false;
	trail_info(r->trail, &r->info);
	return true;
}

/* Set the time of a recorded process: all its events up to `ts` have been delivered. */
static void advance(struct reading *r, uint64_t ts)
{
	model_drained(r->observation->model);
	observation_advance(r->observation, ts);
}

/* Deliver the events up to `until`.  Returns false if a signal asked us to stop. */
static bool deliver(struct reading *r, uint64_t until)
{
	uint64_t key;

	while (trail_next(r->trail, &key) && key <= until && model_status(r->observation->model) == RTEV_OK) {
		trail_feed(r->trail, &r->observation->trail, until, FEED_EVENTS);
		if (signals_stops_now() != 0)
			return false;
	}
	return true;
}

/* The larger of the least interval and what divides the recording into at most `most` of them. */
static uint64_t interval(const struct reading *r, uint64_t least, unsigned most)
{
	uint64_t part = (r->info.end - r->info.start) / most;

	return part > least ? part : least;
}

/* Deliver all events, and judge in between.  Returns false if a signal asked us to stop. */
static bool deliver_all(struct reading *r)
{
	uint64_t key, start = r->info.start;

	trail_rewind(r->trail, 0);
	if (!r->observation->live)
		return deliver(r, UINT64_MAX);
	r->step_ns = interval(r, STEP_NS, STEPS_MAX);
	advance(r, start);
	while (trail_next(r->trail, &key) && model_status(r->observation->model) == RTEV_OK) {
		/* Jump to the step of the next event, however far it is. */
		uint64_t past = key > start ? (key - start) % r->step_ns : 0;
		uint64_t step = sum_saturating(key, r->step_ns - past);
		if (!deliver(r, step))
			return false;
		advance(r, step < r->info.end ? step : r->info.end);
	}
	return true;
}

/* Create what follows the events. */
static bool begin(struct reading *r)
{
	const struct observation_options options = {.about = &r->info.about,
	    .parts = OBSERVE_ADVICE | OBSERVE_PATHS,
	    .whole = true,
	    .judge_ns = interval(r, ADVICE_EVERY_NS, JUDGED_MAX)};

	r->observation = observation_create(&options);
	if (r->observation == NULL)
		return false;
	record_trail_users(r->trail, r->observation->model);
	return true;
}

/* Print the report.  Returns an exit status. */
static int print(struct reading *r)
{
	const struct trail_about *about = &r->info.about;
	struct model_totals t;
	struct stats_subject subject = {
	    .pid = r->observation->live ? about->pid : 0,
	    .name = recorded_name(about, r->options->file.path),
	    .ocaml = recorded_version(about),
	    .ocaml_from = about->ocaml_from,
	};

	int status = stats_print(r->observation, &subject, about->attach_ts, r->options);
	trail_info(r->trail, &r->info);
	model_totals(r->observation->model, &t);
	/* Chunks that make no sense are words that make none: one message tells of both. */
	if (r->info.damaged == 0 &&
	    fail_corrupt(r->options->file.path, t.corrupt_words, t.falls,
		"The report counts what could be read when it was recorded.") != EXIT_DONE)
		status = EXIT_FAILED;
	return recorded_report(r->trail, r->options->file.path, status);
}

/* Read all of it, and report.  Returns an exit status. */
static int read_and_print(struct reading *r)
{
	struct observation *o = r->observation;
	int status = EXIT_DONE;

	if (!deliver_all(r)) {
		fail_message("What had been read before is kept.", "stopped before the end of %s",
		    r->options->file.path);
		status = EXIT_FAILED;
	}
	if (o->live && status == EXIT_DONE)
		model_set_now(o->model, r->info.end);
	observation_finish(o);
	if (model_status(o->model) != RTEV_OK) {
		fail_message("Record for a shorter time.", "the totals are incomplete: out of memory");
		status = EXIT_FAILED;
	}
	int printed = print(r);
	return status != EXIT_DONE ? status : printed;
}

int stats_recording(const struct options *options)
{
	static struct reading r;
	const char *path = options->file.path;

	if (options->ocaml != NULL)
		return fail_usage("--ocaml: a recording knows its events by their names");
	r.options = options;
	int status = recorded_open(&r.trail, path, options->file.fd);
	if (status == EXIT_DONE && !index_all(&r)) {
		fail_message(NULL, "stopped before the first event of %s", path);
		status = EXIT_FAILED;
	} else if (status == EXIT_DONE) {
		if (begin(&r)) {
			status = read_and_print(&r);
		} else {
			fail_message(NULL, "could not read %s: out of memory", path);
			status = EXIT_FAILED;
		}
		observation_destroy(r.observation);
	}
	trail_close(r.trail);
	close(options->file.fd);
	return status;
}
