/*
 * callbacks.c - the sinks of lifecycle events and gaps, and the table of all sinks.
 */
#include "model/state.h"

static enum rtev_next take_lifecycle(
    void *ctx, unsigned domain, uint64_t ts, rtev_lifecycle event, int64_t data)
{
	struct model *m = ctx;

	/* Before the touch, while the last event before it is still known.  A target that ends while paused
	 * still writes its ring_stop. */
	if (event == RTEV_LIFECYCLE_RING_RESUME ||
	    (event == RTEV_LIFECYCLE_RING_STOP && (m->paused || m->silent)))
		model_resume_at(m, ts);
	struct domain *d = model_touch(m, domain, ts);
	if (d == NULL)
		return model_next(m);
	struct model_note *note = note_add(m, MODEL_NOTE_LIFECYCLE, domain, ts, false);
	if (note != NULL) {
		note->event = event;
		note->data = data;
	}
	domain_life(m, d, ts, event, data);
	OBSERVE(m, lifecycle, domain, ts, event, data);
	return model_next(m);
}

/* Handle a gap in a ring: drop the open spans, whose ends may be lost.  The caller counts the gap and then
 * calls the observers.  NULL if the domain is beyond the limit. */
static struct domain *take_gap(struct model *m, unsigned domain, struct model_gap *gap)
{
	const uint64_t words = gap->words, history = gap->history;
	const enum model_note_kind kind = gap->kind;
	struct domain *d = domain_make(m, domain);
	struct model_note *note;

	if (d == NULL) {
		m->ignored++;
		return NULL;
	}
	gap->from = d->pub.seen ? d->pub.last_ts : 0;
	note = note_add(m, kind, domain, gap->from, kind == MODEL_NOTE_LOST && words == history);
	if (note != NULL) {
		note->words = words_sum(note->words, words);
		note->history = words_sum(note->history, history);
	}
	domain_drop_open(m, d);
	heap_gap(&d->pub.heap);
	if (kind != MODEL_NOTE_LOST || words > history) {
		d->pub.gaps++;
		d->pub.last_gap_ts = gap->from;
		resumes_forget_pause(m);
		if (kind == MODEL_NOTE_LOST)
			loss_begin(m, d);
		/* later events show that another domain took the slot */
		if (kind == MODEL_NOTE_LOST && !d->pub.stopped)
			d->pub.state = MODEL_DOMAIN_RUNNING;
	}
	return d;
}

static enum rtev_next take_lost(void *ctx, unsigned domain, uint64_t words, uint64_t history)
{
	struct model *m = ctx;
	bool losing = domain < m->domain_limit && m->domains[domain] != NULL && m->domains[domain]->losing;

	if (history > words)
		history = words;
	struct model_gap gap = {.kind = MODEL_NOTE_LOST, .words = words, .history = history};
	struct domain *d = take_gap(m, domain, &gap);
	if (d != NULL) {
		d->pub.lost_words = words_sum(d->pub.lost_words, words - history);
		if (words - history > d->pub.lost_most)
			d->pub.lost_most = words - history;
		d->pub.history_lost_words = words_sum(d->pub.history_lost_words, history);
		OBSERVE(m, gap, domain, &gap);
		if (!losing && d->losing && d->lost_from > d->pub.last_ts)
			loss_tell(m, d, MODEL_GAP_BEGAN, d->lost_from, 0);
	}
	return model_next(m);
}

/* Handle a corrupt stretch. */
static enum rtev_next take_corrupt(void *ctx, unsigned domain, uint64_t words)
{
	struct model *m = ctx;
	struct model_gap gap = {.kind = MODEL_NOTE_CORRUPT, .words = words};
	struct domain *d = take_gap(m, domain, &gap);

	if (d != NULL) {
		domain_cut(d);
		d->pub.falls += words == 0;
		d->pub.corrupt_words = words_sum(d->pub.corrupt_words, words);
		OBSERVE(m, gap, domain, &gap);
	}
	return model_next(m);
}

/* Handle a ring that restarted. */
static enum rtev_next take_restart(void *ctx, unsigned domain)
{
	struct model *m = ctx;
	struct model_gap gap = {.kind = MODEL_NOTE_RESTART};
	struct domain *d = take_gap(m, domain, &gap);

	if (d != NULL) {
		domain_replaced(m, d);
		const struct model_totals before = model_totals(m);
		if (m->reattached + ++d->pub.restarts > before.restarts) {
			m->restarting = true;
			m->restart_ts = 0;
		}
		OBSERVE(m, gap, domain, &gap);
	}
	return model_next(m);
}

/* A begin from before the attach shows that its domain exists. */
static enum rtev_next past_begin(void *ctx, unsigned domain, uint64_t ts, rtev_phase phase)
{
	struct model *m = ctx;

	model_touch(m, domain, ts);
	return model_next(m);
}

/* A gap from before the attach is told to observers only, for those that read user events. */
static enum rtev_next past_lost(void *ctx, unsigned domain, uint64_t words, uint64_t history)
{
	const struct model_gap gap = {.kind = MODEL_NOTE_LOST, .words = words, .history = words};
	struct model *m = ctx;

	OBSERVE(m, gap, domain, &gap);
	return model_next(m);
}

static enum rtev_next past_corrupt(void *ctx, unsigned domain, uint64_t words)
{
	return past_lost(ctx, domain, words, words);
}

static enum rtev_next past_user(struct model *m, unsigned domain, uint64_t ts,
    const struct rtev_user_event *event, enum model_user_kind kind, struct model_user_event what)
{
	const struct model_user_slot slot = {.name = event->name, .name_len = event->name_len, .kind = kind};

	what.what = MODEL_USER_PAST;
	what.ts = ts;
	what.past = &slot;
	OBSERVE(m, user, domain, &what);
	return model_next(m);
}

static enum rtev_next past_unit(void *ctx, unsigned domain, uint64_t ts, const struct rtev_user_event *event)
{
	return past_user(ctx, domain, ts, event, MODEL_USER_UNIT, (struct model_user_event){0});
}

static enum rtev_next past_int(
    void *ctx, unsigned domain, uint64_t ts, const struct rtev_user_event *event, int64_t value)
{
	return past_user(ctx, domain, ts, event, MODEL_USER_INT, (struct model_user_event){.value = value});
}

static enum rtev_next past_custom(void *ctx, unsigned domain, uint64_t ts,
    const struct rtev_user_event *event, const void *data, size_t len)
{
	return past_user(
	    ctx, domain, ts, event, MODEL_USER_CUSTOM, (struct model_user_event){.data = data, .len = len});
}

static enum rtev_next past_span(
    void *ctx, unsigned domain, uint64_t ts, const struct rtev_user_event *event, bool begin)
{
	return past_user(ctx, domain, ts, event, MODEL_USER_SPAN, (struct model_user_event){.value = !begin});
}

void model_past_callbacks(struct rtev_callbacks *out)
{
	*out = (struct rtev_callbacks){
	    .size = sizeof(*out),
	    .begin = past_begin,
	    .counter = counter_take,
	    .lifecycle = take_lifecycle,
	    .user_unit = past_unit,
	    .user_int = past_int,
	    .user_span = past_span,
	    .user_custom = past_custom,
	    .lost = past_lost,
	    .corrupt = past_corrupt,
	};
}

void model_callbacks(struct rtev_callbacks *out)
{
	*out = (struct rtev_callbacks){
	    .size = sizeof(*out),
	    .begin = span_begin,
	    .end = span_end,
	    .counter = counter_take,
	    .alloc = alloc_take,
	    .lifecycle = take_lifecycle,
	    .user_unit = user_take_unit,
	    .user_int = user_take_int,
	    .user_span = user_take_span,
	    .user_custom = user_take_custom,
	    .lost = take_lost,
	    .corrupt = take_corrupt,
	    .restart = take_restart,
	    .begin_end = span_begin_end,
	};
}
