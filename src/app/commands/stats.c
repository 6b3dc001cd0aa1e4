/*
 * stats.c - rtevtop stats: totals, percentiles, worst pauses, findings.
 *
 * A live target is observed from now on, a file is read as it is, and a COMMAND is observed from its first
 * event.  stats_recording.c reads recordings.
 */
#include <unistd.h>

#include "app/commands/commands.h"
#include "app/fail.h"
#include "app/observe.h"
#include "session/live.h"
#include "session/session.h"
#include "session/signals.h"
#include "app/commands/stats_report.h"
#include "app/commands/stats_recording.h"

int stats_print(const struct observation *o, struct stats_subject *subject, uint64_t attach_ts,
    const struct options *options)
{
	static struct out out;
	struct model_totals t;

	/* The signal that ended the observation must not end the report. */
	unsigned stops = signals_stops();

	model_totals(o->model, &t);
	subject->duration_ns = o->live ? t.now - attach_ts : t.last_ts - t.first_ts;
	subject->system = o->past;
	subject->advice = o->advice;
	subject->stw = o->stw;
	subject->paths = o->paths;
	subject->full = options->full;
	out_init(&out, STDOUT_FILENO);
	out_set_wait(&out, signals_wait_write, &stops);
	bool whole = options->json ? stats_print_json(&out, o->model, subject)
				   : stats_print_text(&out, o->model, subject);
	int status = fail_output(out_flush(&out), "the report");
	if (whole)
		return status;
	fail_message(NULL, "the report is incomplete: out of memory");
	return EXIT_FAILED;
}

/* The state of one run. */
struct watching {
	struct session session;
	struct observation *observation;
};

/* Return whether the observation is to continue. */
static bool going_on(void *ctx)
{
	const struct watching *w = ctx;

	return model_status(w->observation->model) == RTEV_OK;
}

static bool turn(void *ctx, uint64_t now, bool *more)
{
	struct watching *w = ctx;

	*more = observation_turn(w->observation, now, NULL);
	return false;
}

/* Print the report.  Returns an exit status. */
static int print_report(struct watching *w, const struct options *options)
{
	const struct session *s = &w->session;
	struct model_totals t;
	struct stats_subject subject = {
	    .pid = w->observation->live ? s->pid : 0,
	    .name = s->name,
	    .ocaml = session_version(s),
	    .ocaml_from = version_origin_name(s->version.origin),
	};

	int status = stats_print(w->observation, &subject, s->attach_ts, options);
	model_totals(w->observation->model, &t);
	if (fail_corrupt(s->path, t.corrupt_words, t.falls, "The report counts what could be read.") !=
	    EXIT_DONE)
		status = EXIT_FAILED;
	return status;
}

/* Return whether the target is stopped, by a signal or a tracer. */
static bool is_stopped(const struct session *s)
{
	struct alive_activity activity;

	return s->state == SESSION_LIVE && s->alive != NULL && alive_activity(s->alive, &activity) &&
	       activity.stopped;
}

/* Observe the open session, and report.  Returns an exit status. */
static int watch(struct watching *w, const struct options *options)
{
	struct session *s = &w->session;
	struct observation *o = w->observation;
	const struct live_calls calls = {
	    .ctx = w, .duration_ns = options->duration_ns, .going_on = going_on, .turn = turn};
	int status = EXIT_DONE;

	if (o->live)
		live_read(s, &calls);
	else if (!live_read_present(s, &calls))
		status = live_stopped(s);
	observation_finish(o);
	if (model_status(o->model) != RTEV_OK) {
		fail_message("Observe for a shorter time.", "the totals are incomplete: out of memory");
		status = EXIT_FAILED;
	}
	int printed = print_report(w, options);
	/* Without this message the zeros would look like a measurement. */
	if (observation_paused(o) && s->state == SESSION_LIVE)
		fail_message(
		    NULL, "the target has paused its events: nothing is counted until it resumes them");
	else if (is_stopped(s))
		fail_message(NULL, "the target is stopped: nothing is counted until it goes on");
	return status != EXIT_DONE ? status : printed;
}

static int run(const struct options *options)
{
	static struct watching w;

	if (options->file.kind == TARGET_FILE_FXT)
		return stats_recording(options);
	enum rtev_start start = options->run != NULL ? RTEV_START_OLDEST : RTEV_START_NEWEST;
	int status = observe(&w.session, options, start);
	if (status != EXIT_DONE)
		return status;
	w.observation = observation_create(&(struct observation_options){
	    .session = &w.session, .parts = OBSERVE_ADVICE | OBSERVE_PATHS, .whole = true});
	if (w.observation != NULL) {
		status = watch(&w, options);
	} else {
		fail_message(NULL, "could not observe %s: out of memory", w.session.name);
		status = EXIT_FAILED;
	}
	status = session_close(&w.session, status);
	observation_destroy(w.observation);
	return status;
}

const struct command command_stats = {
    .name = "stats",
    .synopsis = "[--json | --full] [--duration SEC] TARGET",
    .purpose = "a report for people: totals, percentiles, worst pauses, findings",
    .about = "A process is observed from now on until it ends, a ring file or a recording is read as it "
	     "is, a COMMAND is observed from its first event.  SIGINT ends the observation; SIGTERM goes on "
	     "to COMMAND.",
    .example = "rtevtop stats --duration 10 4711",
    .effect = "observes process 4711 for ten seconds, then prints its pauses, domains, phases and counters",
    .options = OPTS_TARGET | OPT(json) | OPT(full) | OPT(duration),
    .one_of = OPT(json) | OPT(full),
    .word = "TARGET",
    .target = true,
    .run = run,
};
