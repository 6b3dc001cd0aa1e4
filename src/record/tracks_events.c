/*
 * tracks_events.c - convert what the model tells into slices, counters and instants.
 */
#include "record/tracks_private.h"

/* Kinds of gaps and their names. */
static const struct {
	enum model_note_kind kind;
	enum record_word name;
} gap_names[RECORD_GAP_KINDS] = {
    {MODEL_NOTE_LOST, RECORD_LOST},
    {MODEL_NOTE_CORRUPT, RECORD_CORRUPT},
    {MODEL_NOTE_RESTART, RECORD_RESTART},
};

struct record_domain *tracks_domain_new(struct tracks *r, unsigned domain)
{
	char name[16];

	if (domain >= MODEL_DOMAINS_MAX)
		return NULL;
	struct record_domain *d = calloc(1, sizeof(*d));
	if (d == NULL) {
		r->out_of_memory = true;
		return NULL;
	}
	d->domain = domain;
	r->domains[domain] = d;
	tracks_start(r);
	snprintf(name, sizeof(name), "D%u", domain);
	r->sink->track(r->sink, domain, name);
	return d;
}

/* Write the slices of a gap, which ends at `to`. */
static void gap_write(struct tracks *r, struct record_domain *d, uint64_t to)
{
	uint64_t from = d->shown ? d->spans.last : to;

	if (d->gap_from > from)
		from = d->gap_from < to ? d->gap_from : to;
	if (record_spans_crosses(&d->spans, from, to))
		from = to;
	d->gap = false;
	d->gap_from = 0;
	for (int i = 0; i < RECORD_GAP_KINDS; i++) {
		if (!d->gaps[i])
			continue;
		const struct record_arg words = {
		    .name = tracks_own(RECORD_WORDS), .value = (int64_t)d->words[i]};
		record_clock_event(&r->clock, r->sink,
		    &(struct record_event){.kind = RECORD_SLICE,
			.track = d->domain,
			.category = RECORD_TRACING,
			.name = tracks_own(gap_names[i].name),
			.begin = from,
			.end = to > from ? to : from,
			.arg_count = 1,
			.args = &words});
		d->gaps[i] = false;
		d->words[i] = 0;
	}
}

/* End a gap with an event. */
static void gap_end(struct tracks *r, struct record_domain *d, uint64_t ts)
{
	if (d->falls)
		record_spans_resume(&d->spans, ts);
	d->falls = false;
	gap_write(r, d, ts);
	record_spans_show(&d->spans, ts);
}

/* Return the domain of an event, after writing any gap before it.  Each observer of events starts with this. */
static inline struct record_domain *touch(struct tracks *r, unsigned domain, uint64_t ts)
{
	struct record_domain *d = tracks_domain_of(r, domain);

	if (d == NULL)
		return NULL;
	if (d->gap)
		gap_end(r, d, ts);
	d->shown = true;
	return d;
}

static const struct record_arg open_mark = {
    .name = {RECORD_LABEL_WORD, RECORD_OPEN, NULL, 0}, .type = RECORD_ARG_BOOL, .value = 1};

/* Write a thread's wait; with `open`, it ends only because the recording does. */
static void wait_write(struct tracks *r, struct record_domain *d, uint64_t begin, uint64_t end, bool open)
{
	char name[24];

	tracks_start(r);
	snprintf(name, sizeof(name), "D%u waits", d->domain);
	if (!d->waits)
		r->sink->track(r->sink, RECORD_TRACK_WAITS + d->domain, name);
	d->waits = true;
	record_clock_event(&r->clock, r->sink,
	    &(struct record_event){.kind = RECORD_SLICE,
		.track = RECORD_TRACK_WAITS + d->domain,
		.category = RECORD_GC,
		.name = {.kind = RECORD_LABEL_PHASE, .number = RTEV_PHASE_DOMAIN_CONDITION_WAIT},
		.begin = begin,
		.end = end > begin ? end : begin,
		.arg_count = open,
		.args = &open_mark});
}

static void on_stray(
    void *ctx, unsigned domain, enum model_stray what, rtev_phase phase, uint64_t begin, uint64_t ts)
{
	struct tracks *r = ctx;
	struct record_domain *d = what == MODEL_WAITED ? touch(r, domain, ts) : NULL;

	if (d != NULL)
		wait_write(r, d, begin, ts, false);
}

/* Whether a span is a stretch in which its domain is idle. */
static bool is_idle(const struct record_span *span)
{
	return !span->user && span->id == RTEV_PHASE_DOMAIN_CONDITION_WAIT;
}

/* Write a span; with `open`, it ends only because the recording does. */
static void span_write(
    struct tracks *r, struct record_domain *d, const struct record_span *span, uint64_t end, bool open)
{
	struct record_event event = {.kind = span->aside ? RECORD_ASYNC : RECORD_SLICE,
	    .track = d->domain,
	    .category = span->user ? RECORD_USER : RECORD_GC,
	    .name = {span->user ? RECORD_LABEL_USER : RECORD_LABEL_PHASE, span->id, NULL, 0},
	    .begin = span->aside ? span->stamp : span->begin,
	    .end = end,
	    .arg_count = open,
	    .args = &open_mark};

	if (event.end < event.begin)
		event.end = event.begin;
	if (record_spans_crosses(&d->spans, event.begin, event.end))
		event.kind = RECORD_ASYNC;
	if (event.kind == RECORD_ASYNC)
		event.id = (uint64_t)d->domain << 32 | record_spans_lane(&d->spans, event.begin, event.end);
	record_clock_event(&r->clock, r->sink, &event);
}

static void on_opened(void *ctx, unsigned domain, rtev_phase phase, uint64_t ts, unsigned depth)
{
	struct tracks *r = ctx;
	struct record_domain *d = touch(r, domain, ts);

	if (d != NULL && !record_spans_open(&d->spans, phase, false, ts))
		r->out_of_memory = true;
}

static void on_closed(void *ctx, unsigned domain, const struct model_span *span)
{
	struct tracks *r = ctx;

	if (span->whole)
		on_opened(ctx, domain, span->phase, span->begin, span->depth);
	struct record_domain *d = touch(r, domain, span->end);
	struct record_span closed;
	if (d == NULL)
		return;
	uint64_t end = record_spans_show(&d->spans, span->end);
	if (d->spans.count - d->spans.users > span->depth && record_spans_close(&d->spans, &closed) &&
	    !is_idle(&closed))
		span_write(r, d, &closed, end, false);
}

static void on_dropped(void *ctx, unsigned domain, rtev_phase phase, uint64_t begin, unsigned depth)
{
	struct tracks *r = ctx;
	struct record_domain *d = tracks_domain_of(r, domain);

	if (d != NULL)
		record_spans_drop(&d->spans, depth);
}

static void counter_write(struct tracks *r, unsigned domain, uint64_t ts, enum record_word category,
    struct record_label name, enum record_word unit, int64_t value)
{
	const struct record_arg arg = {.name = tracks_own(unit), .value = value};

	record_clock_event(&r->clock, r->sink,
	    &(struct record_event){.kind = RECORD_COUNTER,
		.track = domain,
		.category = category,
		.name = name,
		.begin = ts,
		.arg_count = 1,
		.args = &arg});
}

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
	struct tracks *r = ctx;
	const struct record_domain *d = touch(r, domain, ts);

	if (d != NULL)
		counter_write(r, domain, ts, RECORD_COUNTERS,
		    (struct record_label){.kind = RECORD_LABEL_COUNTER, .number = counter},
		    units[rtev_counter_unit(counter)], value);
}

static void on_alloc(void *ctx, unsigned domain, uint64_t ts, const uint64_t *buckets)
{
	struct record_arg args[RTEV_ALLOC_BUCKETS];
	struct tracks *r = ctx;

	if (touch(r, domain, ts) == NULL)
		return;
	for (unsigned i = 0; i < RTEV_ALLOC_BUCKETS; i++)
		args[i] = (struct record_arg){
		    .name = {.kind = RECORD_LABEL_BUCKET, .number = i}, .value = (int64_t)buckets[i]};
	record_clock_event(&r->clock, r->sink,
	    &(struct record_event){.kind = RECORD_COUNTER,
		.track = domain,
		.category = RECORD_COUNTERS,
		.name = tracks_own(RECORD_ALLOC),
		.begin = ts,
		.arg_count = RTEV_ALLOC_BUCKETS,
		.args = args});
}

static void instant_write(struct tracks *r, struct record_domain *d, uint64_t ts, enum record_word category,
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

static void on_lifecycle(void *ctx, unsigned domain, uint64_t ts, rtev_lifecycle event, int64_t data)
{
	struct tracks *r = ctx;
	struct record_domain *d = touch(r, domain, ts);
	const struct record_arg arg = {.name = tracks_own(RECORD_DATA), .value = data};

	if (d != NULL)
		instant_write(r, d, ts, RECORD_LIFECYCLE,
		    (struct record_label){.kind = RECORD_LABEL_LIFECYCLE, .number = event}, &arg, 1);
}

/* Write a custom event with the part of the payload that the model kept. */
static void custom_write(struct tracks *r, struct record_domain *d, uint64_t ts, unsigned slot, size_t len)
{
	const struct model_user *user = model_user(r->model, d->domain, slot);
	char hex[2 * MODEL_CUSTOM_KEPT];
	struct record_arg args[2] = {{.name = tracks_own(RECORD_TEXT), .type = RECORD_ARG_TEXT, .text = ""},
	    {.name = tracks_own(RECORD_LENGTH), .value = (int64_t)len}};

	if (user != NULL && user->data != NULL && user->kept > 0) {
		size_t kept = user->kept;
		/* A character that was cut off at the end does not make the payload binary. */
		for (int i = 0; kept < len && i < 3 && !record_text_printable(user->data, kept); i++)
			kept--;
		if (record_text_printable(user->data, kept)) {
			args[0].text = (const char *)user->data;
			args[0].len = kept;
		} else {
			record_text_hex(hex, user->data, user->kept);
			args[0].name = tracks_own(RECORD_HEX);
			args[0].text = hex;
			args[0].len = 2 * user->kept;
		}
	}
	instant_write(
	    r, d, ts, RECORD_USER, (struct record_label){.kind = RECORD_LABEL_USER, .number = slot}, args, 2);
}

/* Write a user event that is not a span. */
static void user_write(struct tracks *r, struct record_domain *d, const struct model_user_event *event)
{
	const struct model_user_slot *known = model_user_slot(r->model, event->slot);
	const struct record_label name = {.kind = RECORD_LABEL_USER, .number = event->slot};

	if (known == NULL)
		return;
	if (known->kind == MODEL_USER_INT)
		counter_write(r, d->domain, event->ts, RECORD_USER, name, RECORD_VALUE, event->value);
	else if (known->kind == MODEL_USER_CUSTOM)
		custom_write(r, d, event->ts, event->slot, (size_t)event->value);
	else
		instant_write(r, d, event->ts, RECORD_USER, name, NULL, 0);
}

/* Write a user span that ended. */
static void user_span_write(struct tracks *r, struct record_domain *d, const struct model_user_event *event)
{
	uint64_t shown = record_spans_show(&d->spans, event->ts);
	struct record_span closed;

	if (!record_spans_close_user(&d->spans, event->slot, event->begin, &closed))
		closed = (struct record_span){.stamp = event->begin,
		    .begin = event->begin,
		    .id = event->slot,
		    .user = true,
		    .aside = true};
	span_write(r, d, &closed, closed.aside ? event->ts : shown, false);
}

static void on_user(void *ctx, unsigned domain, const struct model_user_event *event)
{
	const bool comes = event->what <= MODEL_USER_CLOSED_STALE;
	struct tracks *r = ctx;
	struct record_span dropped;

	if (!comes && event->what != MODEL_USER_DROPPED)
		return;
	struct record_domain *d = comes ? touch(r, domain, event->ts) : tracks_domain_of(r, domain);
	if (d == NULL)
		return;
	if (event->what == MODEL_USER_DROPPED)
		record_spans_close_user(&d->spans, event->slot, event->begin, &dropped);
	else if (event->what == MODEL_USER_CAME)
		user_write(r, d, event);
	else if (event->what == MODEL_USER_OPENED)
		r->out_of_memory |= !record_spans_open(&d->spans, event->slot, true, event->ts);
	else
		user_span_write(r, d, event);
}

/* A gap that is found begins: events are missing up to the next one, unless all of the words are from before the attach.  A loss
 * that is told to have begun gives the open gap its begin.  The end of a loss changes nothing. */
static void on_gap(void *ctx, unsigned domain, const struct model_gap *gap)
{
	struct tracks *r = ctx;
	struct record_domain *d = gap->what != MODEL_GAP_OVER ? tracks_domain_of(r, domain) : NULL;
	const uint64_t words = gap->words - gap->history;

	if (d == NULL)
		return;
	if (gap->what == MODEL_GAP_BEGAN) {
		d->gap_from = d->gap ? gap->from : d->gap_from;
		return;
	}
	record_spans_clear(&d->spans);
	/* Words overwritten before the attach are not lost. */
	if (words == 0 && gap->history != 0)
		return;
	d->gap = true;
	d->falls = d->falls || gap->kind == MODEL_NOTE_CORRUPT;
	for (int i = 0; i < RECORD_GAP_KINDS; i++)
		if (gap_names[i].kind == gap->kind) {
			d->gaps[i] = true;
			d->words[i] =
			    words > (uint64_t)INT64_MAX - d->words[i] ? INT64_MAX : d->words[i] + words;
		}
}

/* Note a resume of the target. */
static void on_turned(void *ctx, enum model_turn turn, uint64_t ts)
{
	struct tracks *r = ctx;

	if (turn == MODEL_RESUMED && ts > r->resumed)
		r->resumed = ts;
}

void tracks_domain_finish(struct tracks *r, struct record_domain *d, uint64_t end)
{
	if (d->gap)
		gap_write(r, d, end);
	/* After stamps went back, open spans end no later than the latest event, so that they don't cross
	 * later ones. */
	const struct model_domain *known = model_domain(r->model, d->domain);
	if (known != NULL && known->latest_ts > known->last_ts && known->last_ts < end)
		end = known->last_ts;
	end = record_spans_show(&d->spans, end);
	for (size_t i = 0; i < d->spans.count; i++)
		if (d->spans.list[i].stamp >= r->resumed && !is_idle(&d->spans.list[i]))
			span_write(r, d, &d->spans.list[i], end, true);
	for (size_t i = 0; known != NULL && i < known->wait_count; i++)
		if (known->waits[i] >= r->resumed)
			wait_write(r, d, known->waits[i], end, true);
}

void tracks_observer(struct tracks *r, struct model_observer *out)
{
	*out = (struct model_observer){
	    .ctx = r,
	    .opened = on_opened,
	    .closed = on_closed,
	    .dropped = on_dropped,
	    .stray = on_stray,
	    .counter = on_counter,
	    .alloc = on_alloc,
	    .lifecycle = on_lifecycle,
	    .user = on_user,
	    .gap = on_gap,
	    .turned = on_turned,
	};
}
