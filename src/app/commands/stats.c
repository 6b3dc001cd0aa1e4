/*
 * stats.c - rtevtop stats: totals, percentiles, worst pauses, findings.
 *
 * A live target is observed from now on, a file is read as it is, and a COMMAND is observed from its first
 * event.  stats_recording.c reads recordings.
 */
#include "app/commands/commands.h"
#include "app/asking.h"
#include "app/fail.h"
#include "app/observe.h"
#include "session/live.h"
#include "app/model_sink.h"
#include "app/sampling.h"
#include "session/session.h"
#include "session/signals.h"
#include "app/commands/stats_observed.h"
#include "app/commands/stats_recording.h"
#include "core/clock.h"

/* The state of an observation. */
struct watching {
	struct session *session;
	struct observed observed;
	struct asking asking;
	struct sampling sampling;
};

/* Return whether the observation is to continue. */
static bool going_on(void *ctx)
{
	const struct watching *w = ctx;

	return model_status(w->observed.model) == RTEV_OK;
}

/* Tell the advice what is known of the target besides its events. */
static void tell_about(struct watching *w)
{
	observed_about(&w->observed, w->session->version.text, w->session->ring_words);
}

/* Bring the model and what follows it up to date after a turn. */
static bool turned(void *ctx, uint64_t now, bool more)
{
	struct watching *w = ctx;

	if (!more) {
		model_drained(w->observed.model);
		uint64_t watermark = session_read_to(w->session, EVENT_DELAY_NS);
		stw_advance(w->observed.stw, watermark);
		model_read_to(w->observed.model, watermark);
	}
	(void)asking_take(&w->asking, w->session, w->observed.model, now, false);
	(void)sampling_take(&w->sampling, w->session, now, false);
	tell_about(w);
	model_set_now(w->observed.model, now);
	advice_advance(w->observed.advice, now);
	return false;
}

/* Print the report.  Returns an exit status. */
static int print_report(struct watching *w, const struct options *options)
{
	const struct session *s = w->session;
	struct model_totals t;
	struct stats_subject subject = {
	    .pid = w->observed.live ? s->pid : 0,
	    .name = s->name,
	    .ocaml = session_version(s),
	    .ocaml_from = version_origin_name(s->version.origin),
	};

	int status = observed_print(&w->observed, &subject, s->attach_ts, options);
	model_totals(w->observed.model, &t);
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

/* Create the model and its observers, and take the first sample.  False when memory ran out. */
static bool watching_begin(struct watching *w)
{
	bool live = w->session->state == SESSION_LIVE;

	if (!observed_begin(&w->observed, live ? w->session->attach_ts : 0) ||
	    !sampling_begin(&w->sampling, w->observed.model, w->observed.past))
		return false;
	if (live)
		(void)sampling_take(&w->sampling, w->session, monotonic_now(), false);
	return true;
}

static void watching_end(struct watching *w)
{
	sampling_end(&w->sampling);
	observed_end(&w->observed);
}

static int run(const struct options *options)
{
	struct session s;

	if (options->file.kind == TARGET_FILE_FXT)
		return stats_recording(options);
	enum rtev_start start = options->run != NULL ? RTEV_START_OLDEST : RTEV_START_NEWEST;
	int status = observe(&s, options, start);
	if (status != EXIT_DONE)
		return status;
	struct watching watching = {.session = &s};
	if (!watching_begin(&watching)) {
		fail_message(NULL, "could not observe %s: out of memory", s.name);
		watching_end(&watching);
		return session_close(&s, EXIT_FAILED);
	}
	struct model *m = watching.observed.model;
	bool live = watching.observed.live;
	const struct session_sink sink = model_sink_of_session(m);
	const struct live_calls calls = {.ctx = &watching,
	    .duration_ns = options->duration_ns,
	    .going_on = going_on,
	    .turned = live ? turned : NULL};
	if (live)
		live_read(&s, &sink, &calls);
	else if (!live_read_present(&s, &sink, &calls))
		status = live_stopped(&s);
	if (live)
		(void)asking_take(&watching.asking, &s, m, monotonic_now(), true);
	(void)sampling_take(&watching.sampling, &s, monotonic_now(), true);
	asking_end(&watching.asking);
	tell_about(&watching);
	observed_finish(&watching.observed);
	if (model_status(m) != RTEV_OK) {
		fail_message("Observe for a shorter time.", "the totals are incomplete: out of memory");
		status = EXIT_FAILED;
	}
	int printed = print_report(&watching, options);
	/* Without this message the zeros would look like a measurement. */
	if (watching.asking.paused && s.state == SESSION_LIVE)
		fail_message(
		    NULL, "the target has paused its events: nothing is counted until it resumes them");
	else if (is_stopped(&s))
		fail_message(NULL, "the target is stopped: nothing is counted until it goes on");
	status = session_close(&s, status != EXIT_DONE ? status : printed);
	watching_end(&watching);
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
