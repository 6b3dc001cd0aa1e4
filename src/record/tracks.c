/* tracks.c - begin and end of a recording, its clock, and the pauses of its target. */
#include "record/tracks_private.h"

#include "core/sum.h"

/* ---- the clock ---- */

void record_clock_step(struct record_clock *clock, uint64_t from, uint64_t ahead)
{
	uint64_t before = clock->count > 0 ? clock->steps[clock->count - 1].ahead : 0;

	if (ahead < before || ahead - before < RECORD_SLEEP_MIN_NS)
		return;
	if (clock->count == RECORD_CLOCK_STEPS) {
		memmove(clock->steps, clock->steps + 1, sizeof(clock->steps) - sizeof(clock->steps[0]));
		clock->count--;
	}
	clock->steps[clock->count].from = from;
	clock->steps[clock->count++].ahead = ahead;
}

uint64_t record_clock_time(const struct record_clock *clock, uint64_t stamp)
{
	for (unsigned i = clock->count; i > 0; i--)
		if (stamp >= clock->steps[i - 1].from)
			return sum_saturating(stamp, clock->steps[i - 1].ahead);
	return stamp;
}

void record_clock_event(
    const struct record_clock *clock, struct record_sink *sink, const struct record_event *event)
{
	if (clock->count == 0) {
		sink->event(sink, event);
		return;
	}
	struct record_event timed = *event;
	timed.begin = record_clock_time(clock, event->begin);
	timed.end = record_clock_time(clock, event->end);
	sink->event(sink, &timed);
}

/* ---- the recording ---- */

void tracks_start(struct tracks *r)
{
	struct record_subject subject = {0};

	if (r->started)
		return;
	r->started = true;
	r->subject(r->ctx, &subject);
	r->clock_known = subject.base_ts != 0;
	record_clock_step(&r->clock, 0, record_subject_slept(&subject));
	r->sink->start(r->sink, &subject);
	r->sink->track(r->sink, RECORD_TRACK_TARGET, "target");
	if (r->trail != NULL)
		record_trail_start(r->trail, &subject);
}

/* Take over the open spans of a domain. */
static void domain_join(struct tracks *r, const struct model_domain *known)
{
	struct model_open_user users[RECORD_USERS_MAX];
	size_t count = model_users_open(r->model, known->domain, users, RECORD_USERS_MAX), u = 0;
	struct record_domain *d = tracks_domain_of(r, known->domain);
	bool kept = true;

	if (d == NULL)
		return;
	for (unsigned i = 0; i <= known->depth; i++) {
		const struct model_open_span *span = i < known->depth ? &known->stack[i] : NULL;
		for (; u < count && (span == NULL || users[u].begin < span->begin); u++)
			kept &= record_spans_open(&d->spans, users[u].slot, true, users[u].begin);
		if (span != NULL)
			kept &= record_spans_open(&d->spans, span->phase, false, span->begin);
	}
	if (!kept)
		r->out_of_memory = true;
	d->shown = true;
	record_spans_show(&d->spans, known->last_ts);
}

/* Take over the open spans of a model that has received events already. */
static void tracks_join(struct tracks *r)
{
	const struct model_totals t = model_totals(r->model);

	if (!t.seen)
		return;
	r->since = t.last_ts;
	MODEL_FOREACH (known, r->model)
		if (known->seen && (known->open > 0 || known->state == MODEL_DOMAIN_RUNNING))
			domain_join(r, known);
}

static void trail_blob(void *ctx, enum trail_blob blob, const void *data, size_t len)
{
	const struct tracks *r = ctx;

	r->sink->blob(r->sink, blob, data, len);
}

/* The trail is about to write, so write its header first. */
static void trail_begins(void *ctx)
{
	tracks_start(ctx);
}

/* Return the open spans of a domain, for the trail. */
static const struct record_spans *spans_of(void *ctx, unsigned domain)
{
	const struct tracks *r = ctx;

	return r->domains[domain] != NULL ? &r->domains[domain]->spans : NULL;
}

struct tracks *tracks_create(struct record_sink *sink, struct model *m, struct schedulers *schedulers,
    void (*subject)(void *ctx, struct record_subject *out), void *ctx)
{
	struct tracks *r = calloc(1, sizeof(*r));
	struct model_observer observer;

	if (r == NULL)
		return NULL;
	r->sink = sink;
	r->model = m;
	r->subject = subject;
	r->ctx = ctx;
	tracks_observer(r, &observer);
	/* The trail has to observe before us: it asks for the spans open before an event. */
	if (sink->blob != NULL) {
		r->trail = record_trail_create(
		    m, &(struct record_trail_calls){
			   .ctx = r, .blob = trail_blob, .start = trail_begins, .open = spans_of});
		if (r->trail == NULL)
			goto fail;
	}
	if (schedulers != NULL) {
		r->fibers = fiber_tracks_create(r, schedulers);
		if (r->fibers == NULL)
			goto fail;
	}
	if (!model_observe(m, &observer))
		goto fail;
	tracks_join(r);
	return r;
fail:
	fiber_tracks_destroy(r->fibers);
	record_trail_destroy(r->trail);
	free(r);
	return NULL;
}

static void pause_write(struct tracks *r, uint64_t from, uint64_t to, bool at_most, bool open)
{
	struct record_arg args[2];
	unsigned count = 0;

	if (at_most)
		args[count++] = tracks_flag(RECORD_AT_MOST);
	if (open)
		args[count++] = tracks_flag(RECORD_OPEN);
	tracks_start(r);
	record_clock_event(&r->clock, r->sink,
	    &(struct record_event){.kind = RECORD_SLICE,
		.track = RECORD_TRACK_TARGET,
		.category = RECORD_TRACING,
		.name = tracks_own(RECORD_PAUSED),
		.begin = from,
		.end = to,
		.arg_count = count,
		.args = args});
}

/* Write the pauses of the target that ended before `settled` and were not written yet; at the end also one
 * that is still open. */
static void pauses_write(struct tracks *r, uint64_t settled, bool at_end)
{
	size_t count;
	const struct model_target_pause *pauses = model_target_pauses(r->model, &count);

	for (size_t i = 0; i < count; i++) {
		bool open = pauses[i].to == UINT64_MAX;
		uint64_t to = open ? settled : pauses[i].to;
		uint64_t from = pauses[i].from > r->paused_to ? pauses[i].from : r->paused_to;
		if (to <= from || to <= r->since || (!at_end && (open || to >= settled)))
			continue;
		pause_write(r, from, to, pauses[i].rule == MODEL_RULE_GAP, open);
		r->paused_to = to;
	}
}

void tracks_pass_on(struct tracks *r, uint64_t settled)
{
	pauses_write(r, settled, false);
	if (r->trail != NULL)
		record_trail_flush(r->trail);
	r->sink->pass_on(r->sink);
}

void tracks_note(struct tracks *r, uint32_t kind, uint64_t ts, const void *data, size_t len)
{
	if (r->trail != NULL)
		record_trail_note(r->trail, kind, ts, data, len);
	if (kind != TRAIL_NOTE_CODE)
		return;
	if (r->code == NULL)
		r->code = code_tracks_create(r);
	if (r->code == NULL)
		r->out_of_memory = true;
	else
		code_tracks_note(r->code, ts, data, len);
}

void tracks_sleep(struct tracks *r, uint64_t from, uint64_t slept)
{
	/* The clocks are first compared when the recording starts. */
	if (r->started && r->clock_known)
		record_clock_step(&r->clock, from, slept);
}

/* Free the recording, but not its sink. */
static void tracks_free(struct tracks *r)
{
	model_unobserve(r->model, r);
	for (unsigned i = 0; i < MODEL_DOMAINS_MAX; i++) {
		if (r->domains[i] == NULL)
			continue;
		record_spans_fini(&r->domains[i]->spans);
		free(r->domains[i]);
	}
	fiber_tracks_destroy(r->fibers);
	code_tracks_destroy(r->code);
	record_trail_destroy(r->trail);
	free(r);
}

int tracks_finish(struct tracks *r, uint64_t end)
{
	tracks_start(r);
	for (unsigned i = 0; i < MODEL_DOMAINS_MAX; i++)
		if (r->domains[i] != NULL)
			tracks_domain_finish(r, r->domains[i], end);
	fiber_tracks_finish(r->fibers, end);
	code_tracks_finish(r->code);
	pauses_write(r, end, true);
	/* Slices of a target that has ended reach to its last event, even if it was observed for longer. */
	const struct model_totals t = model_totals(r->model);
	if (r->trail != NULL && !record_trail_finish(r->trail, t.now > end ? t.now : end))
		r->out_of_memory = true;
	int status = r->sink->finish(r->sink);
	if (status == RTEV_OK && r->out_of_memory)
		status = RTEV_E_NOMEM;
	tracks_free(r);
	return status;
}
