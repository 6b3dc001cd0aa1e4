/*
 * record.c - what a model is told of, as slices, counters and instants.
 *
 * The model reports spans of the runtime that it drops one by one, but not user spans; `dropped` remembers
 * its count as of when a domain's list was last compared with the model's, so that this is done only after
 * something was dropped.
 */
#include "record/record.h"

#include <stdio.h>
#include <stdlib.h>

#include "record/clock.h"
#include "record/open_spans.h"
#include "record/text.h"
#include "record/trail.h"

#define GAP_KINDS 3

struct domain {
	unsigned domain;
	struct record_spans spans;
	uint64_t dropped;
	bool shown; /* an event of it has been written: spans.last holds something */
	bool falls; /* stamps may go back at the next event */
	bool gap;   /* one lasts until the next event: */
	bool gaps[GAP_KINDS];
	uint64_t words[GAP_KINDS];
};

struct record {
	struct record_sink *sink;
	struct model *model;
	struct record_trail *trail; /* NULL: the sink has no place for one */
	void (*subject)(void *ctx, struct record_subject *out);
	void *ctx;
	struct record_clock clock;
	bool started, clock_known, out_of_memory;
	uint64_t since;	    /* the latest stamp before it began */
	uint64_t resumed;   /* the latest resume that became known since */
	uint64_t paused_to; /* end of the last pause of the target that was written */
	struct domain *domains[MODEL_DOMAINS_MAX];
};

/* The kinds of gaps and their names. */
static const struct {
	enum model_note_kind kind;
	enum record_word name;
} gap_names[GAP_KINDS] = {
    {MODEL_NOTE_LOST, RECORD_LOST},
    {MODEL_NOTE_CORRUPT, RECORD_CORRUPT},
    {MODEL_NOTE_RESTART, RECORD_RESTART},
};

/* A label of our own. */
static struct record_label word(enum record_word number)
{
	return (struct record_label){RECORD_LABEL_WORD, number};
}

/* Write what comes before all else, once. */
static void record_start(struct record *r)
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

/* What is known of a domain, its track named; NULL when memory ran out. */
static struct domain *domain_of(struct record *r, unsigned domain)
{
	char name[16];

	if (domain >= MODEL_DOMAINS_MAX)
		return NULL;
	if (r->domains[domain] != NULL)
		return r->domains[domain];
	struct domain *d = calloc(1, sizeof(*d));
	if (d == NULL) {
		r->out_of_memory = true;
		return NULL;
	}
	d->domain = domain;
	r->domains[domain] = d;
	record_start(r);
	snprintf(name, sizeof(name), "D%u", domain);
	r->sink->track(r->sink, domain, name);
	return d;
}

/* Write the gap that lasts until `to`. */
static void gap_write(struct record *r, struct domain *d, uint64_t to)
{
	uint64_t from = d->shown ? d->spans.last : to;

	if (record_spans_crosses(&d->spans, from, to))
		from = to;
	d->gap = false;
	for (int i = 0; i < GAP_KINDS; i++) {
		if (!d->gaps[i])
			continue;
		const struct record_arg words = {.name = word(RECORD_WORDS), .value = (int64_t)d->words[i]};
		record_clock_event(&r->clock, r->sink,
		    &(struct record_event){.kind = RECORD_SLICE,
			.track = d->domain,
			.category = RECORD_TRACING,
			.name = word(gap_names[i].name),
			.begin = from,
			.end = to > from ? to : from,
			.arg_count = 1,
			.args = &words});
		d->gaps[i] = false;
		d->words[i] = 0;
	}
}

/* The domain of an event; every observer of events begins with it. */
static struct domain *touch(struct record *r, unsigned domain, uint64_t ts)
{
	struct domain *d = domain_of(r, domain);

	if (d == NULL)
		return NULL;
	if (d->gap) {
		if (d->falls)
			record_spans_resume(&d->spans, ts);
		d->falls = false;
		gap_write(r, d, ts);
		record_spans_show(&d->spans, ts);
	}
	d->shown = true;
	return d;
}

/* What the comparison with the model's user spans needs. */
struct comparison {
	const struct record *record;
	unsigned domain;
	uint32_t slot;	/* whose count differs by */
	int64_t differ; /* this, since the event at hand is not in the list yet */
};

/* How many spans of a slot are open. */
static uint64_t users_open(void *ctx, uint32_t slot)
{
	const struct comparison *c = ctx;
	const struct model_user *user = model_user(c->record->model, c->domain, slot);
	uint64_t open = user != NULL ? user->open : 0;

	return slot == c->slot ? open + (uint64_t)c->differ : open;
}

/* Forget the user spans that the model has dropped.  Those begun before a reset it drops without counting. */
static void users_compare(struct record *r, struct domain *d, uint32_t slot, int64_t differ)
{
	const struct model_domain *known = model_domain(r->model, d->domain);
	struct comparison c = {r, d->domain, slot, differ};

	if (known == NULL ||
	    (known->dropped == d->dropped && d->spans.users <= known->open - known->depth + (uint64_t)differ))
		return;
	d->dropped = known->dropped;
	record_spans_keep(&d->spans, users_open, &c);
}

/* Write a span that ends now; `open`: only because the recording does. */
static void span_write(
    struct record *r, struct domain *d, const struct record_span *span, uint64_t end, bool open)
{
	static const struct record_arg mark = {
	    .name = {RECORD_LABEL_WORD, RECORD_OPEN}, .type = RECORD_ARG_BOOL, .value = 1};
	struct record_event event = {.kind = span->aside ? RECORD_ASYNC : RECORD_SLICE,
	    .track = d->domain,
	    .category = span->user ? RECORD_USER : RECORD_GC,
	    .name = {span->user ? RECORD_LABEL_USER : RECORD_LABEL_PHASE, span->id},
	    .begin = span->aside ? span->stamp : span->begin,
	    .end = end,
	    .arg_count = open,
	    .args = &mark};

	if (event.end < event.begin)
		event.end = event.begin;
	if (record_spans_crosses(&d->spans, event.begin, event.end))
		event.kind = RECORD_ASYNC;
	if (event.kind == RECORD_ASYNC)
		event.id = (uint64_t)d->domain << 32 | record_spans_lane(&d->spans, event.begin, event.end);
	record_clock_event(&r->clock, r->sink, &event);
}

/* A span of the runtime has begun. */
static void on_opened(void *ctx, unsigned domain, rtev_phase phase, uint64_t ts, unsigned depth)
{
	struct record *r = ctx;
	struct domain *d = touch(r, domain, ts);

	(void)depth;
	if (d != NULL && !record_spans_open(&d->spans, phase, false, ts))
		r->out_of_memory = true;
}

/* A span of the runtime has ended. */
static void on_closed(void *ctx, unsigned domain, const struct model_span *span)
{
	struct record *r = ctx;
	struct domain *d = touch(r, domain, span->end);
	struct record_span closed;

	if (d == NULL)
		return;
	uint64_t end = record_spans_show(&d->spans, span->end);
	if (d->spans.count - d->spans.users > span->depth && record_spans_close(&d->spans, &closed))
		span_write(r, d, &closed, end, false);
}

/* A span of the runtime was dropped. */
static void on_dropped(void *ctx, unsigned domain, rtev_phase phase, uint64_t begin, unsigned depth)
{
	struct record *r = ctx;
	struct domain *d = domain_of(r, domain);

	(void)phase, (void)begin;
	if (d != NULL)
		record_spans_drop(&d->spans, depth);
}

/* A user span has begun. */
static void on_user_opened(void *ctx, unsigned domain, uint64_t ts, unsigned slot)
{
	struct record *r = ctx;
	struct domain *d = touch(r, domain, ts);

	if (d == NULL)
		return;
	users_compare(r, d, slot, -1);
	if (!record_spans_open(&d->spans, slot, true, ts))
		r->out_of_memory = true;
}

/* A user span has ended. */
static void on_user_closed(void *ctx, unsigned domain, uint64_t begin, uint64_t end, unsigned slot)
{
	struct record *r = ctx;
	struct domain *d = touch(r, domain, end);
	struct record_span closed;

	if (d == NULL)
		return;
	users_compare(r, d, slot, 1);
	uint64_t shown = record_spans_show(&d->spans, end);
	if (!record_spans_close_user(&d->spans, slot, begin, &closed))
		closed = (struct record_span){
		    .stamp = begin, .begin = begin, .id = slot, .user = true, .aside = true};
	span_write(r, d, &closed, closed.aside ? end : shown, false);
}

/* Write a counter of one value. */
static void counter_write(struct record *r, unsigned domain, uint64_t ts, enum record_word category,
    struct record_label name, enum record_word unit, int64_t value)
{
	const struct record_arg arg = {.name = word(unit), .value = value};

	record_clock_event(&r->clock, r->sink,
	    &(struct record_event){.kind = RECORD_COUNTER,
		.track = domain,
		.category = category,
		.name = name,
		.begin = ts,
		.arg_count = 1,
		.args = &arg});
}

/* A counter has a value. */
static void on_counter(void *ctx, unsigned domain, uint64_t ts, rtev_counter counter, int64_t value)
{
	static const enum record_word units[] = {
	    [RTEV_UNIT_OCCURRENCES] = RECORD_OCCURRENCES,
	    [RTEV_UNIT_BYTES] = RECORD_BYTES,
	    [RTEV_UNIT_WORDS] = RECORD_WORDS,
	    [RTEV_UNIT_BLOCKS] = RECORD_BLOCKS,
	    [RTEV_UNIT_WORK] = RECORD_WORK,
	    [RTEV_UNIT_NONE] = RECORD_VALUE,
	};
	struct record *r = ctx;
	const struct domain *d = touch(r, domain, ts);

	if (d != NULL)
		counter_write(r, domain, ts, RECORD_COUNTERS,
		    (struct record_label){RECORD_LABEL_COUNTER, counter}, units[rtev_counter_unit(counter)],
		    value);
}

/* Blocks were counted by their sizes. */
static void on_alloc(void *ctx, unsigned domain, uint64_t ts, const uint64_t *buckets)
{
	struct record_arg args[RTEV_ALLOC_BUCKETS];
	struct record *r = ctx;

	if (touch(r, domain, ts) == NULL)
		return;
	for (unsigned i = 0; i < RTEV_ALLOC_BUCKETS; i++)
		args[i] = (struct record_arg){.name = {RECORD_LABEL_BUCKET, i}, .value = (int64_t)buckets[i]};
	record_clock_event(&r->clock, r->sink,
	    &(struct record_event){.kind = RECORD_COUNTER,
		.track = domain,
		.category = RECORD_COUNTERS,
		.name = word(RECORD_ALLOC),
		.begin = ts,
		.arg_count = RTEV_ALLOC_BUCKETS,
		.args = args});
}

/* Write an instant. */
static void instant_write(struct record *r, struct domain *d, uint64_t ts, enum record_word category,
    struct record_label name, const struct record_arg *args, unsigned count)
{
	record_clock_event(&r->clock, r->sink,
	    &(struct record_event){.kind = RECORD_INSTANT,
		.track = d->domain,
		.category = category,
		.name = name,
		.begin = record_spans_show(&d->spans, ts),
		.arg_count = count,
		.args = args});
}

/* Something happened to a ring or a domain. */
static void on_lifecycle(void *ctx, unsigned domain, uint64_t ts, rtev_lifecycle event, int64_t data)
{
	struct record *r = ctx;
	struct domain *d = touch(r, domain, ts);
	const struct record_arg arg = {.name = word(RECORD_DATA), .value = data};

	if (d != NULL)
		instant_write(r, d, ts, RECORD_LIFECYCLE,
		    (struct record_label){RECORD_LABEL_LIFECYCLE, event}, &arg, 1);
}

/* Write a custom event with what the model kept of its payload. */
static void custom_write(struct record *r, struct domain *d, uint64_t ts, unsigned slot, size_t len)
{
	const struct model_user *user = model_user(r->model, d->domain, slot);
	char hex[2 * MODEL_CUSTOM_KEPT];
	struct record_arg args[2] = {{.name = word(RECORD_TEXT), .type = RECORD_ARG_TEXT, .text = ""},
	    {.name = word(RECORD_LENGTH), .value = (int64_t)len}};

	if (user != NULL && user->data != NULL && user->kept > 0) {
		size_t kept = user->kept;
		/* A character that was cut off at the end spoils no text. */
		for (int i = 0; kept < len && i < 3 && !record_text_printable(user->data, kept); i++)
			kept--;
		if (record_text_printable(user->data, kept)) {
			args[0].text = (const char *)user->data;
			args[0].len = kept;
		} else {
			record_text_hex(hex, user->data, user->kept);
			args[0].name = word(RECORD_HEX);
			args[0].text = hex;
			args[0].len = 2 * user->kept;
		}
	}
	instant_write(r, d, ts, RECORD_USER, (struct record_label){RECORD_LABEL_USER, slot}, args, 2);
}

/* A user event that is no span. */
static void on_user(void *ctx, unsigned domain, uint64_t ts, unsigned slot, int64_t value)
{
	struct record *r = ctx;
	struct domain *d = touch(r, domain, ts);
	const struct model_user_slot *known = model_user_slot(r->model, slot);
	const struct record_label name = {RECORD_LABEL_USER, slot};

	if (d == NULL || known == NULL)
		return;
	if (known->kind == MODEL_USER_INT)
		counter_write(r, domain, ts, RECORD_USER, name, RECORD_VALUE, value);
	else if (known->kind == MODEL_USER_CUSTOM)
		custom_write(r, d, ts, slot, (size_t)value);
	else
		instant_write(r, d, ts, RECORD_USER, name, NULL, 0);
}

/* Nothing is known of a domain from its last event to its next, if the words are not from before the attach alone. */
static void on_gap(void *ctx, unsigned domain, enum model_note_kind kind, uint64_t after_ts, uint64_t words,
    uint64_t history)
{
	struct record *r = ctx;
	struct domain *d = domain_of(r, domain);

	(void)after_ts;
	if (d == NULL)
		return;
	record_spans_clear(&d->spans);
	/* What was overwritten before the attach is no loss. */
	words -= history;
	if (words == 0 && history != 0)
		return;
	d->gap = true;
	d->falls = d->falls || kind == MODEL_NOTE_CORRUPT;
	for (int i = 0; i < GAP_KINDS; i++)
		if (gap_names[i].kind == kind) {
			d->gaps[i] = true;
			d->words[i] =
			    words > (uint64_t)INT64_MAX - d->words[i] ? INT64_MAX : d->words[i] + words;
		}
}

/* A resume became known. */
static void on_resumed(void *ctx, uint64_t ts)
{
	struct record *r = ctx;

	if (ts > r->resumed)
		r->resumed = ts;
}

/* Take over what is open on a domain. */
static void domain_join(struct record *r, const struct model_domain *known)
{
	struct model_open_user users[RECORD_USERS_MAX];
	size_t count = model_users_open(r->model, known->domain, users, RECORD_USERS_MAX), u = 0;
	struct domain *d = domain_of(r, known->domain);
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
	d->dropped = known->dropped;
	d->shown = true;
	record_spans_show(&d->spans, known->last_ts);
}

/* Take over what is open in a model that has been told of events already. */
static void record_join(struct record *r)
{
	struct model_totals t;

	model_totals(r->model, &t);
	if (!t.seen)
		return;
	r->since = t.last_ts;
	for (unsigned i = 0; i < t.domains; i++) {
		const struct model_domain *known = model_domain(r->model, i);
		if (known != NULL && known->seen && (known->open > 0 || known->state == MODEL_DOMAIN_RUNNING))
			domain_join(r, known);
	}
}

/* The trail has something to write. */
static void trail_begins(void *ctx)
{
	record_start(ctx);
}

/* The spans open on a domain. */
static const struct record_spans *spans_of(void *ctx, unsigned domain)
{
	const struct record *r = ctx;

	return r->domains[domain] != NULL ? &r->domains[domain]->spans : NULL;
}

/* Make a recording. */
struct record *record_create(struct record_sink *sink, struct model *m,
    void (*subject)(void *ctx, struct record_subject *out), void *ctx)
{
	struct record *r = calloc(1, sizeof(*r));

	if (r == NULL)
		return NULL;
	r->sink = sink;
	r->model = m;
	r->subject = subject;
	r->ctx = ctx;
	const struct model_observer observer = {.ctx = r,
	    .opened = on_opened,
	    .closed = on_closed,
	    .dropped = on_dropped,
	    .counter = on_counter,
	    .alloc = on_alloc,
	    .lifecycle = on_lifecycle,
	    .user = on_user,
	    .user_opened = on_user_opened,
	    .user_closed = on_user_closed,
	    .user_closed_stale = on_user_closed,
	    .gap = on_gap,
	    .resumed = on_resumed};
	/* The trail observes first: it tells what was open before an event. */
	if (sink->blob != NULL) {
		r->trail = record_trail_create(
		    sink, m, &(struct record_trail_calls){.ctx = r, .start = trail_begins, .open = spans_of});
		if (r->trail == NULL)
			goto fail;
	}
	if (!model_observe(m, &observer))
		goto fail;
	record_join(r);
	return r;
fail:
	record_trail_destroy(r->trail);
	free(r);
	return NULL;
}

/* Write one pause of the target. */
static void pause_write(struct record *r, uint64_t from, uint64_t to, bool at_most, bool open)
{
	struct record_arg args[2];
	unsigned count = 0;

	if (at_most)
		args[count++] =
		    (struct record_arg){.name = word(RECORD_AT_MOST), .type = RECORD_ARG_BOOL, .value = 1};
	if (open)
		args[count++] =
		    (struct record_arg){.name = word(RECORD_OPEN), .type = RECORD_ARG_BOOL, .value = 1};
	record_start(r);
	record_clock_event(&r->clock, r->sink,
	    &(struct record_event){.kind = RECORD_SLICE,
		.track = RECORD_TRACK_TARGET,
		.category = RECORD_TRACING,
		.name = word(RECORD_PAUSED),
		.begin = from,
		.end = to,
		.arg_count = count,
		.args = args});
}

/* Write the pauses of the target that ended before `settled` and have not been written; at the end also an
 * open one. */
static void pauses_write(struct record *r, uint64_t settled, bool at_end)
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

/* Write what has come to light. */
void record_pass_on(struct record *r, uint64_t settled)
{
	pauses_write(r, settled, false);
	if (r->trail != NULL)
		record_trail_flush(r->trail);
	r->sink->pass_on(r->sink);
}

/* The machine has slept. */
void record_sleep(struct record *r, uint64_t from, uint64_t slept)
{
	/* Before that the clocks have not been compared. */
	if (r->started && r->clock_known)
		record_clock_step(&r->clock, from, slept);
}

/* Close what is open on a domain. */
static void domain_finish(struct record *r, struct domain *d, uint64_t end)
{
	users_compare(r, d, UINT32_MAX, 0);
	if (d->gap)
		gap_write(r, d, end);
	/* After stamps went back, what is open reaches no further than what was told, lest it lie across what is later. */
	const struct model_domain *known = model_domain(r->model, d->domain);
	if (known != NULL && known->latest_ts > known->last_ts && known->last_ts < end)
		end = known->last_ts;
	end = record_spans_show(&d->spans, end);
	for (size_t i = 0; i < d->spans.count; i++)
		if (d->spans.list[i].stamp >= r->resumed)
			span_write(r, d, &d->spans.list[i], end, true);
}

/* Free the recording but not its sink. */
static void record_free(struct record *r)
{
	model_unobserve(r->model, r);
	for (unsigned i = 0; i < MODEL_DOMAINS_MAX; i++) {
		if (r->domains[i] == NULL)
			continue;
		record_spans_fini(&r->domains[i]->spans);
		free(r->domains[i]);
	}
	record_trail_destroy(r->trail);
	free(r);
}

/* End the recording. */
int record_finish(struct record *r, uint64_t end)
{
	record_start(r);
	for (unsigned i = 0; i < MODEL_DOMAINS_MAX; i++)
		if (r->domains[i] != NULL)
			domain_finish(r, r->domains[i], end);
	pauses_write(r, end, true);
	if (r->trail != NULL && !record_trail_finish(r->trail, end))
		r->out_of_memory = true;
	int status = r->sink->finish(r->sink);
	if (status == RTEV_OK && r->out_of_memory)
		status = RTEV_E_NOMEM;
	record_free(r);
	return status;
}
