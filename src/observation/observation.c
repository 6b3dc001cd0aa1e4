/*
 * observation.c - connect the parts of an observation, and turn them in their order.
 */
#include "observation/observation.h"

#include "core/clock.h"
#include "observation/process.h"
#include "record/trail.h"

/* The rows kept of one of many: what the advice looks at, and some more. */
#define MANY_ROWS (ADVICE_WINDOW_NS / 1000000000u + 8)

/* Take a note of a recording. */
static void take_note(void *ctx, uint32_t kind, uint64_t ts, const void *data, size_t len)
{
	struct observation *o = ctx;

	if (kind != TRAIL_NOTE_CODE) {
		system_notes_take(o->notes, kind, ts, data, len);
		return;
	}
	if (o->code.watch == NULL)
		o->code.watch = code_watch_create(o->model);
	if (o->code.watch != NULL)
		code_watch_take(o->code.watch, ts, data, len);
}

/* ---- creating ---- */

static void on_closed(void *ctx, unsigned domain, const struct model_span *span)
{
	paths_closed(ctx, domain, span);
}

/* Take the parts from a watch. */
static bool watch_begin(struct observation *o, uint64_t attach_ts)
{
	o->watch = watch_create(
	    &(struct watch_options){.attach_ts = attach_ts, .history_budget = o->options.history_budget});
	if (o->watch == NULL)
		return false;
	o->model = watch_model(o->watch);
	o->stw = watch_stw(o->watch);
	o->paths = watch_paths(o->watch);
	o->past = watch_system(o->watch);
	o->schedulers = schedulers_create(o->model);
	return o->schedulers != NULL;
}

/* Create the stops of the world for the findings. */
static bool stops_begin(struct observation *o)
{
	struct model_observer observer;

	o->stw = stw_create();
	if (o->stw == NULL)
		return false;
	if (o->options.many)
		stw_forget(o->stw);
	else
		stw_look_into(o->stw, o->model);
	stw_observer(o->stw, &observer);
	return model_observe(o->model, &observer);
}

/* Create the tree of phases. */
static bool paths_begin(struct observation *o)
{
	o->paths = paths_create(model_paths(o->model));
	return o->paths != NULL &&
	       model_observe(o->model, &(struct model_observer){.ctx = o->paths, .closed = on_closed});
}

/* Start at what is written from now on. */
static void skip(struct observation *o)
{
	struct session *s = o->session;
	struct rtev_callbacks past;

	/* A COMMAND has no cursor yet; a file is read from its begin. */
	if (s == NULL || s->cursor == NULL || s->pid == 0)
		return;
	model_past_callbacks(&past);
	session_skip(s, o->live ? &past : NULL, o->model);
	if (o->live)
		model_attach(o->model, s->attach_ts);
}

/* Create the parts one by one. */
static bool parts_begin(struct observation *o, uint64_t attach_ts)
{
	unsigned parts = o->options.parts;

	o->model = model_create(
	    &(struct model_options){.attach_ts = attach_ts, .max_bytes = o->options.model_bytes});
	if (o->model != NULL && (parts & OBSERVE_FIBERS) != 0)
		o->schedulers = schedulers_create(o->model);
	if (o->model == NULL || (o->schedulers == NULL && (parts & OBSERVE_FIBERS) != 0))
		return false;
	if (o->options.newest)
		skip(o);
	if (((parts & OBSERVE_ADVICE) != 0 && !stops_begin(o)) ||
	    ((parts & OBSERVE_PATHS) != 0 && !paths_begin(o)))
		return false;
	if ((parts & (OBSERVE_SYSTEM | OBSERVE_ADVICE)) == 0)
		return true;
	o->past = system_past_create();
	if (o->past != NULL && o->options.many)
		system_past_limit(o->past, MANY_ROWS);
	return o->past != NULL;
}

/* Tell the advice what is known of the target besides its events. */
static void about(struct observation *o)
{
	const struct session *s = o->session;

	advice_code(o->advice, observation_profile(o));
	advice_locks(o->advice, o->locks, observation_locks_why(o));
	advice_about(o->advice,
	    rtev_release_from_version(s != NULL ? s->version.text : o->options.about->ocaml),
	    s != NULL ? s->ring_words : system_past_ring_words(o->past),
	    s != NULL && session_ring_overrun(s));
}

/* Create what was asked for.  Returns false when memory ran out. */
static bool begin(struct observation *o)
{
	const struct session *s = o->session;
	unsigned parts = o->options.parts;
	uint64_t attach_ts = !o->live ? 0 : s != NULL ? s->attach_ts : o->options.about->attach_ts;

	if ((parts & OBSERVE_WATCH) != 0 ? !watch_begin(o, attach_ts) : !parts_begin(o, attach_ts))
		return false;
	if (o->watch == NULL && s != NULL && o->past != NULL && !minor_size_observe(&o->minor_size, o->model))
		return false;
	if ((parts & OBSERVE_ADVICE) == 0)
		return true;
	o->advice = advice_create(
	    &(struct advice_options){.whole = o->options.whole}, o->model, o->stw, o->past, o->schedulers);
	o->locks = s != NULL && o->live ? lock_past_create() : NULL;
	return o->advice != NULL;
}

/* Tell the model once that the target has no ring any more. */
static void off_follow(struct observation *o, uint64_t now)
{
	if (o->session->off && !o->off)
		model_off(o->model, now);
	o->off = o->session->off;
}

/* Return whether the latest sample tells what the domains count. */
static bool tells(const struct runtime_sample *sample)
{
	return sample->ts != 0 && sample->domain_count > 0 && sample->minor_collections != RUNTIME_UNKNOWN &&
	       sample->major_cycles != RUNTIME_UNKNOWN;
}

/* Take in what the target's memory tells while it records no events. */
static void grow(struct observation *o, uint64_t now)
{
	const struct runtime_sample *sample = &o->counters.sample;
	struct growth *g = o->growth;

	if (g == NULL || o->session->state != SESSION_LIVE || !growth_waits(g, o->model))
		return;
	const bool silent = growth_goes_on(g, o->model);
	/* Memory tells what the model lacks once all events up to a sample have been read. */
	if (!silent && tells(sample) && sample->ts <= session_read_to(o->session, EVENT_DELAY_NS))
		growth_take(g, sample, o->growth_each, false, o->model);
	observation_count(o, now);
	const struct runtime *runtime = o->counters.runtime;
	if (runtime != o->growth_of)
		growth_forget(g);
	o->growth_of = runtime;
	if (runtime == NULL || !tells(sample))
		return;
	o->growth_each = runtime_layout(runtime)->field[RUNTIME_STAT_MINOR_COLLECTIONS] != RUNTIME_NO_FIELD;
	growth_begin(g, sample, o->growth_each, o->model);
	if (silent)
		growth_take(g, sample, o->growth_each, true, o->model);
}

/* Take the levels that the target's memory tells, whether it records events or not. */
static void look(struct observation *o)
{
	const struct runtime_sample *s = &o->counters.sample;
	struct model_look look = {.heap = {NAN, NAN, NAN, NAN, NAN}, .count = s->domain_count};

	if (s->ts == 0 || s->ts == o->levels_ts || s->heap_words == RUNTIME_UNKNOWN)
		return;
	o->levels_ts = s->ts;
	look.heap[HEAP_SIZE] = (double)s->heap_words;
	look.heap[HEAP_POOL] = (double)s->heap_words - (double)s->large_words;
	look.heap[HEAP_LIVE] = (double)s->live_words - (double)s->large_words;
	look.heap[HEAP_FRAGMENTS] = (double)s->fragment_words;
	look.heap[HEAP_LARGE] = (double)s->large_words;
	for (unsigned i = 0; i < look.count; i++)
		look.domains[i] = (struct model_look_domain){.domain = s->domains[i].slot,
		    .size = s->domains[i].heap_words,
		    .minor_heap = s->domains[i].minor_heap_words,
		    .minor_used = s->domains[i].young_used_words};
	model_look(o->model, s->ts, &look);
	if (o->options.put != NULL)
		system_note_look(&look, s->ts, o->options.put, o->options.put_ctx);
}

bool observation_eventless(const struct observation *o)
{
	const struct model_totals t = model_totals(o->model);

	/* A COMMAND that ended before it had a ring recorded none, either. */
	return t.events == 0 && (o->off || (o->live && o->session != NULL && o->session->cursor == NULL));
}

const char *observation_untold(const struct observation *o, const char **remedy)
{
	*remedy = NULL;
	if (!o->off)
		return NULL;
	if (o->counters.refused)
		return variables_refusal(NULL, remedy);
	if (o->counters.why[0] != '\0')
		return o->counters.why;
	return o->counters.sample.ts == 0 || tells(&o->counters.sample)
		   ? NULL
		   : "its program has no symbols that tell where its domains are";
}

struct observation *observation_create(const struct observation_options *options)
{
	struct observation *o = calloc(1, sizeof(*o));

	if (o == NULL)
		return NULL;
	o->options = *options;
	o->counters.why = "";
	o->session = options->session;
	o->live = o->session != NULL ? o->session->state == SESSION_LIVE : options->about->live;
	if (o->session == NULL)
		o->notes = calloc(1, sizeof(*o->notes));
	if ((o->session == NULL && o->notes == NULL) || !begin(o)) {
		observation_destroy(o);
		return NULL;
	}
	o->trail = record_trail_sink(o->model);
	o->sink = (struct session_sink){.calls = o->trail.calls,
	    .ctx = o->model,
	    .resume = o->trail.resume,
	    .reopened = o->trail.reopened};
	if (o->notes == NULL) {
		o->growth = o->live ? growth_create() : NULL;
		off_follow(o, o->session->attach_ts);
		if (o->off)
			grow(o, o->session->attach_ts);
		look(o);
		return o;
	}
	o->notes->past = o->past;
	o->notes->model = o->model;
	o->notes->schedulers = o->schedulers;
	o->trail.note = take_note;
	o->trail.note_ctx = o;
	return o;
}

void observation_destroy(struct observation *o)
{
	if (o == NULL)
		return;
	process_fini(o);
	growth_destroy(o->growth);
	advice_destroy(o->advice);
	lock_past_destroy(o->locks);
	schedulers_destroy(o->schedulers);
	if (o->watch == NULL) {
		stw_destroy(o->stw);
		paths_destroy(o->paths);
		system_past_destroy(o->past);
		model_destroy(o->model);
	}
	watch_destroy(o->watch);
	free(o->notes);
	free(o);
}

/* ---- going on ---- */

/* Have the advice take the stops in, and judge if it is time to. */
static void advise(struct observation *o, uint64_t now, bool due)
{
	if (o->advice == NULL)
		return;
	if (due || (!o->options.many && now - o->judged_ts >= o->options.judge_ns)) {
		about(o);
		o->judged_ts = now;
	}
	/* At the time of the last judgement it takes the stops in, and judges nothing. */
	advice_advance(o->advice, o->judged_ts);
	if (o->options.many)
		stw_forget(o->stw);
}

void observation_step(struct observation *o, uint64_t now)
{
	uint64_t known = session_read_to(o->session, EVENT_DELAY_NS);

	/* What is lost of later time is not observed; of earlier time all events have come. */
	model_set_now(o->model, known < now ? known : now);
	const struct model_totals t = model_totals(o->model);
	o->tracing = TRACING_UNKNOWN;
	if (t.events == o->step_events)
		process_ask(o, now, true);
	else
		model_set_silent(o->model, false);
	o->step_events = t.events;
	grow(o, now);
	o->sampled_ts = 0;
	if (o->past != NULL)
		process_sample(o, now, false);
	look(o);
	advise(o, now, true);
}

/* Assemble the stops whose events have all come, and pass them to the advice. */
static void stops_settle(struct observation *o, uint64_t now, uint64_t watermark)
{
	if (o->stw != NULL)
		stw_advance(o->stw, watermark);
	advise(o, now, false);
}

void observation_advance(struct observation *o, uint64_t now)
{
	uint64_t watermark = o->session != NULL ? o->watermark : now;

	if (o->watch != NULL) {
		watch_advance(o->watch, now, watermark);
		advise(o, now, false);
	} else {
		model_set_now(o->model, now);
		stops_settle(o, now, watermark);
	}
}

bool observation_turn(struct observation *o, uint64_t now, uint64_t *events)
{
	bool more = false;

	if (o->live && !o->options.many)
		process_inquire(o, now, false);
	process_look_at_locks(o, now);
	session_turn(o->session, &o->sink, &more, events);
	off_follow(o, now);
	if (!more)
		model_drained(o->model);
	if (!more && !o->options.many)
		grow(o, monotonic_now());
	look(o);
	o->watermark = session_read_to(o->session, EVENT_DELAY_NS);
	model_read_to(o->model, o->watermark);
	if (!o->live)
		return more;
	process_code_turn(o, now);
	if (o->options.many) {
		if (o->past != NULL)
			process_sample(o, now, false);
		stops_settle(o, now, o->watermark);
	} else if (o->watch != NULL) {
		/* A redraw that has all stops to assemble would keep the target's events waiting. */
		watch_settle(o->watch, o->watermark);
	} else {
		observation_advance(o, now);
	}
	return more;
}

/* ---- how it does ---- */

/* Determine the sentence about the target, and keep it as the one shown; `anew`: replace the one shown in any case. */
static void say_headline(struct observation *o, uint64_t now, bool anew)
{
	const struct session *s = o->session;
	const struct model_totals totals = model_totals(o->model);
	struct alive_activity activity;
	struct headline fresh;
	const char *scheduler;
	struct headline_target target = {.advice = o->advice,
	    .model = o->model,
	    .past = o->past,
	    .fibers = schedulers_first(o->schedulers, &scheduler),
	    .locks = o->locks,
	    .code = observation_profile(o),
	    .now = now,
	    .live = s != NULL && s->state == SESSION_LIVE,
	    .not_paused = o->tracing == TRACING_RUNNING,
	    .off = o->off};

	if (s == NULL) {
		target.over = !o->live ? "file" : model_stopped(o->model) ? "ended" : NULL;
	} else {
		target.pid = s->pid;
		target.off_why = observation_untold(o, &target.off_cure);
		target.stopped = target.live && s->alive != NULL && totals.seen &&
				 now > totals.last_ts + HEADLINE_SILENT_NS &&
				 alive_activity(s->alive, &activity) && activity.stopped;
		target.over = s->state != SESSION_ENDED ? NULL : s->pid == 0 ? "file" : "ended";
		target.waits_for =
		    s->cursor == NULL && !s->off && target.over == NULL ? "waiting for its ring" : NULL;
		target.broken = s->state == SESSION_TRUNCATED ? HEADLINE_TRUNCATED : NULL;
	}
	headline_read(&target, &fresh);
	if (anew)
		o->shown = (struct headline_shown){0};
	headline_hold(&o->shown, &fresh, target.pid, now);
}

const struct headline *observation_headline(struct observation *o, uint64_t now)
{
	if (!o->finished)
		say_headline(o, now, false);
	return &o->shown.headline;
}

void observation_finish(struct observation *o)
{
	process_code_finish(o);
	if (o->session != NULL) {
		uint64_t ended = o->session->ended_ts;
		if (!o->options.many)
			process_inquire(o, monotonic_now(), true);
		look(o);
		/* On a busy machine the readings since the last look took seconds, and the next ones will again.  So
		 * look at events and locks in between. */
		const uint64_t seen_to = monotonic_now();
		o->counters.locks_ts = 0;
		process_look_at_locks(o, seen_to);
		process_name_locks(o, seen_to, true);
		if ((o->options.parts & OBSERVE_MEMORY) != 0)
			observation_memory(o, monotonic_now(), true);
		const struct model_totals before = model_totals(o->model);
		/* Without a ring_stop, it ran until its end. */
		if (o->live && ended != 0 && !before.stopped && ended > before.now)
			observation_advance(o, ended);
		else if (o->session->state == SESSION_LIVE && !o->options.many)
			model_set_now(o->model, seen_to);
	}
	if (o->watch != NULL) {
		watch_finish(o->watch);
	} else {
		model_finish(o->model);
		if (o->stw != NULL)
			stw_advance(o->stw, UINT64_MAX);
	}
	const struct model_totals t = model_totals(o->model);
	if (o->advice != NULL) {
		about(o);
		if (o->session != NULL && o->session->ended_ts != 0)
			advice_ended(o->advice);
		advice_finish(o->advice, t.now > t.last_ts ? t.now : t.last_ts);
	}
	if (o->session != NULL && o->live && o->session->ended_ts != 0)
		model_ended(o->model, o->session->ended_ts);
	say_headline(o, t.now > t.last_ts ? t.now : t.last_ts, true);
	o->finished = true;
	process_close(o);
}

void observation_give_back(struct observation *o)
{
	struct advice *findings = o->advice != NULL ? advice_copy(o->advice) : NULL;

	process_ask_no_more(o);
	if (findings == NULL)
		return;
	advice_destroy(o->advice);
	o->advice = findings;
	stw_destroy(o->stw);
	o->stw = NULL;
	o->past = system_past_close(o->past);
}

/* ---- as the source of a recording ---- */

/* Describe the target as it is now. */
static void target(void *ctx, struct recording_target *out)
{
	const struct session *s = ctx;

	*out = (struct recording_target){.pid = s->pid,
	    .name = s->name,
	    .ocaml = session_version(s),
	    .ocaml_from = runtime_ocaml_from_now((pid_t)s->pid, &s->version),
	    .live = s->state == SESSION_LIVE};
}

struct recording_source observation_source(struct observation *o)
{
	return (struct recording_source){.target = target, .ctx = o->session, .schedulers = o->schedulers};
}
