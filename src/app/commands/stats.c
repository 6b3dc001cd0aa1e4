/*
 * stats.c - rtevtop stats: totals, percentiles, worst pauses, findings.
 *
 * A live target is observed from now on, a file is read as it is, and a COMMAND is observed from its first
 * event.
 */
#include <errno.h>
#include <unistd.h>

#include "app/commands/commands.h"
#include "app/fail.h"
#include "app/observe.h"
#include "session/live.h"
#include "app/model_sink.h"
#include "app/sampling.h"
#include "session/session.h"
#include "session/session_tracing.h"
#include "session/signals.h"
#include "app/commands/stats_report.h"
#include "advice/advice.h"
#include "core/clock.h"
#include "model/model.h"
#include "watch/system_past.h"

#define ASK_NS 50000000u /* interval at which the target is asked whether it has paused */

/* The state of an observation. */
struct watching {
	struct session *session;
	struct model *model;
	struct stw *stw;
	struct paths *paths;
	struct advice *advice;
	struct session_tracing tracing;
	struct sampling sampling;
	struct system_past *past; /* samples of the process */
	uint64_t asked_ts;
	bool paused; /* the target's last answer */
};

/* Return whether the observation is to continue. */
static bool going_on(void *ctx)
{
	const struct watching *w = ctx;

	return model_status(w->model) == RTEV_OK;
}

/* Ask the target whether it has paused.  The last answer is kept once the target has ended. */
static void ask(struct watching *w, uint64_t now)
{
	bool paused = session_tracing_read(&w->tracing, w->session) == TRACING_PAUSED;

	session_check(w->session);
	if (w->session->state != SESSION_LIVE)
		return;
	w->asked_ts = now;
	w->paused = paused;
	model_set_silent(w->model, paused);
}

static void on_opened(void *ctx, unsigned domain, rtev_phase phase, uint64_t ts, unsigned depth)
{
	struct watching *w = ctx;

	(void)ts;
	paths_opened(w->paths, domain, phase, depth);
}

static void on_closed(void *ctx, unsigned domain, const struct model_span *span)
{
	struct watching *w = ctx;

	paths_closed(w->paths, domain, span);
}

/* Tell the advice what is known of the target besides its events. */
static void advise_about(const struct watching *w)
{
	const struct session *s = w->session;

	advice_about(w->advice, rtev_release_from_version(s->version.text), s->ring_words);
}

/* Bring the model and what follows it up to date after a turn. */
static bool turned(void *ctx, uint64_t now, bool more)
{
	struct watching *w = ctx;

	if (!more) {
		model_drained(w->model);
		stw_advance(w->stw, now - EVENT_DELAY_NS);
	}
	if (now - w->asked_ts >= ASK_NS)
		ask(w, now);
	(void)sampling_take(&w->sampling, w->session, now, false);
	model_set_now(w->model, now);
	advise_about(w);
	advice_advance(w->advice, now);
	return false;
}

/* Print the report.  Returns an exit status. */
static int print_report(const struct watching *w, bool live, bool json, bool full)
{
	const struct session *s = w->session;
	const struct model *m = w->model;
	static struct out out;
	struct model_totals t;
	struct stats_subject subject = {
	    .pid = live ? s->pid : 0,
	    .name = s->name,
	    .ocaml = s->version.text[0] != '\0' ? s->version.text : NULL,
	    .ocaml_from = version_origin_name(s->version.origin),
	    .system = w->past,
	    .advice = w->advice,
	    .stw = w->stw,
	    .paths = w->paths,
	    .full = full,
	};

	/* The signal that ended the observation must not end the report. */
	unsigned stops = signals_stops();

	model_totals(m, &t);
	subject.duration_ns = live ? t.now - s->attach_ts : t.last_ts - t.first_ts;
	out_init(&out, STDOUT_FILENO);
	out_set_wait(&out, signals_wait_write, &stops);
	bool printed = true;
	if (json)
		printed = stats_print_json(&out, m, &subject);
	else
		stats_print_text(&out, m, &subject);
	int status = fail_output(printed ? out_flush(&out) : ENOMEM, "the report");
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

/* Create the model and its observers.  False when memory ran out. */
static bool watching_begin(struct watching *w, bool live)
{
	struct model_observer observer;

	w->model = model_create(&(struct model_options){.attach_ts = live ? w->session->attach_ts : 0});
	w->stw = stw_create();
	w->paths = paths_create();
	w->past = system_past_create();
	if (w->model == NULL || w->stw == NULL || w->paths == NULL || w->past == NULL)
		return false;
	stw_observer(w->stw, &observer);
	stw_look_into(w->stw, w->model);
	if (!model_observe(w->model, &observer) ||
	    !model_observe(
		w->model, &(struct model_observer){.ctx = w, .opened = on_opened, .closed = on_closed}) ||
	    !sampling_begin(&w->sampling, w->model, w->past))
		return false;
	if (live)
		(void)sampling_take(&w->sampling, w->session, monotonic_now(), false);
	w->advice =
	    advice_create(&(struct advice_options){.whole = true}, w->model, w->stw, live ? w->past : NULL);
	return w->advice != NULL;
}

/* Finish the model and its observers: no more events will come. */
static void watching_finish(struct watching *w, bool live)
{
	struct model_totals t;

	model_finish(w->model);
	stw_advance(w->stw, UINT64_MAX);
	model_totals(w->model, &t);
	advise_about(w);
	advice_finish(w->advice, live ? t.now : t.last_ts);
}

static void watching_end(struct watching *w)
{
	advice_destroy(w->advice);
	system_past_destroy(w->past);
	sampling_end(&w->sampling);
	paths_destroy(w->paths);
	stw_destroy(w->stw);
	model_destroy(w->model);
}

static int run(const struct options *options)
{
	struct session s;
	enum rtev_start start = options->run != NULL ? RTEV_START_OLDEST : RTEV_START_NEWEST;

	int status = observe(&s, options, start);
	if (status != EXIT_DONE)
		return status;
	bool live = s.state == SESSION_LIVE;
	struct watching watching = {.session = &s};
	if (!watching_begin(&watching, live)) {
		fail_message(NULL, "could not observe %s: out of memory", s.name);
		watching_end(&watching);
		return session_close(&s, EXIT_FAILED);
	}
	struct model *m = watching.model;
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
		ask(&watching, monotonic_now());
	(void)sampling_take(&watching.sampling, &s, monotonic_now(), true);
	session_tracing_fini(&watching.tracing);
	watching_finish(&watching, live);
	if (model_status(m) != RTEV_OK) {
		fail_message("Observe for a shorter time.", "the totals are incomplete: out of memory");
		status = EXIT_FAILED;
	}
	int printed = print_report(&watching, live, options->json, options->full);
	/* Without this message the zeros would look like a measurement. */
	if (watching.paused && s.state == SESSION_LIVE)
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
    .about = "A process is observed from now on until it ends, a file is read as it is, a COMMAND is "
	     "observed from its first "
	     "event.  SIGINT ends the observation; SIGTERM goes on to COMMAND.",
    .example = "rtevtop stats --duration 10 4711",
    .effect = "observes process 4711 for ten seconds, then prints its pauses, domains, phases and counters",
    .options = OPTS_TARGET | OPT(json) | OPT(full) | OPT(duration),
    .word = "TARGET",
    .target = true,
    .run = run,
};
