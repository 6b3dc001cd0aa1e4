/*
 * stats_observed.c - see stats_observed.h.
 */
#include "app/commands/stats_observed.h"

#include <unistd.h>

#include "app/fail.h"
#include "session/signals.h"

static void on_opened(void *ctx, unsigned domain, rtev_phase phase, uint64_t ts, unsigned depth)
{
	const struct observed *o = ctx;

	(void)ts;
	paths_opened(o->paths, domain, phase, depth);
}

static void on_closed(void *ctx, unsigned domain, const struct model_span *span)
{
	const struct observed *o = ctx;

	paths_closed(o->paths, domain, span);
}

static void on_both(void *ctx, unsigned domain, const struct model_span *span)
{
	on_opened(ctx, domain, span->phase, span->begin, span->depth);
	on_closed(ctx, domain, span);
}

bool observed_begin(struct observed *o, uint64_t attach_ts)
{
	struct model_observer observer;

	o->live = attach_ts != 0;
	o->model = model_create(&(struct model_options){.attach_ts = attach_ts});
	o->stw = stw_create();
	o->paths = paths_create();
	o->past = system_past_create();
	if (o->model == NULL || o->stw == NULL || o->paths == NULL || o->past == NULL)
		return false;
	stw_observer(o->stw, &observer);
	stw_look_into(o->stw, o->model);
	if (!model_observe(o->model, &observer) ||
	    !model_observe(
		o->model, &(struct model_observer){
			      .ctx = o, .opened = on_opened, .closed = on_closed, .both = on_both}))
		return false;
	o->advice = advice_create(&(struct advice_options){.whole = true}, o->model, o->stw, o->past);
	return o->advice != NULL;
}

void observed_end(struct observed *o)
{
	advice_destroy(o->advice);
	system_past_destroy(o->past);
	paths_destroy(o->paths);
	stw_destroy(o->stw);
	model_destroy(o->model);
}

void observed_about(struct observed *o, const char *ocaml, uint64_t ring_words)
{
	advice_about(o->advice, rtev_release_from_version(ocaml), ring_words);
}

void observed_finish(struct observed *o)
{
	struct model_totals t;

	model_finish(o->model);
	stw_advance(o->stw, UINT64_MAX);
	model_totals(o->model, &t);
	advice_finish(o->advice, o->live ? t.now : t.last_ts);
}

int observed_print(
    struct observed *o, struct stats_subject *subject, uint64_t attach_ts, const struct options *options)
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
