/*
 * trail.c - write the trail of a recording or of the flight recorder: convert what the model tells back into
 * events.
 */
#include "record/trail.h"

#include <assert.h>

#include "record/system_note.h"
#include "trail/writer.h"

static_assert(TRAIL_DOMAINS == MODEL_DOMAINS_MAX, "a stream for each domain");
static_assert(TRAIL_PAYLOAD_KEPT == MODEL_CUSTOM_KEPT, "what is known of a payload");

/* Limit on the notes and resumes kept until the first event: of a target that is silent for longer, only the
 * first are kept.  Later resumes are known from their own events. */
#define EARLY_BYTES (1u << 20)

/* A note or a resume that came before the first event.  The bytes of a note follow. */
struct early {
	uint64_t ts;
	uint32_t kind, len; /* of a note */
};

/* The early notes or the early resumes. */
struct early_list {
	uint8_t *bytes;
	size_t used;
};

struct record_trail {
	struct model *model;
	struct record_trail_calls calls;
	struct trail_writer *writer;
	bool started, short_of_memory;
	struct early_list resumes, notes;
};

/* Keep a resume or a note until the trail starts. */
static void keep_early(
    struct record_trail *t, struct early_list *list, const struct early *early, const void *data)
{
	if (list->bytes == NULL)
		list->bytes = malloc(EARLY_BYTES);
	t->short_of_memory |= list->bytes == NULL;
	if (list->bytes == NULL || EARLY_BYTES - list->used < sizeof(*early) + early->len)
		return;
	memcpy(list->bytes + list->used, early, sizeof(*early));
	if (data != NULL)
		memcpy(list->bytes + list->used + sizeof(*early), data, early->len);
	list->used += sizeof(*early) + early->len;
}

/* Write a resume or a note. */
static void put_early(
    struct record_trail *t, enum trail_kind kind, const struct early *early, const void *data)
{
	trail_write(t->writer, &(struct trail_event){.kind = kind,
				   .stream = TRAIL_TARGET,
				   .ts = early->ts,
				   .id = early->kind,
				   .data = data,
				   .len = early->len});
}

/* Write the early resumes or notes. */
static void put_kept(struct record_trail *t, enum trail_kind kind, struct early_list *list)
{
	struct early early;

	for (size_t at = 0; at < list->used; at += sizeof(early) + early.len) {
		memcpy(&early, list->bytes + at, sizeof(early));
		put_early(t, kind, &early, list->bytes + at + sizeof(early));
	}
	free(list->bytes);
	*list = (struct early_list){0};
}

/* Start the trail, with the resumes announced and the notes taken so far. */
static void begin(struct record_trail *t)
{
	t->started = true;
	t->calls.start(t->calls.ctx);
	put_kept(t, TRAIL_RESUME, &t->resumes);
	put_kept(t, TRAIL_NOTE, &t->notes);
}

static void add(struct record_trail *t, const struct trail_event *event)
{
	if (!t->started)
		begin(t);
	trail_write(t->writer, event);
}

/* Write an event with a label, and a value if it is `valued`. */
static inline void add_labelled(struct record_trail *t, enum trail_kind kind, unsigned domain, uint64_t ts,
    uint32_t id, bool valued, int64_t value)
{
	if (!trail_append(t->writer, kind, domain, ts, id, valued, value))
		add(t, &(struct trail_event){
			   .kind = kind, .stream = domain, .ts = ts, .id = id, .value = value});
}

/* ---- what the model tells ---- */

static void on_opened(void *ctx, unsigned domain, rtev_phase phase, uint64_t ts, unsigned depth)
{
	add_labelled(ctx, TRAIL_BEGIN, domain, ts, phase, false, 0);
}

static void on_closed(void *ctx, unsigned domain, const struct model_span *span)
{
	if (span->whole)
		on_opened(ctx, domain, span->phase, span->begin, span->depth);
	if (!span->shown)
		add_labelled(ctx, TRAIL_END, domain, span->end, span->phase, false, 0);
}

/* Write a begin or end without its counterpart, of a runtime span or a wait: it still counts as an event. */
static void on_stray(
    void *ctx, unsigned domain, enum model_stray what, rtev_phase phase, uint64_t begin, uint64_t ts)
{
	if (what != MODEL_WAITED)
		add_labelled(
		    ctx, what == MODEL_STRAY_BEGIN ? TRAIL_BEGIN : TRAIL_END, domain, ts, phase, false, 0);
}

static void on_counter(void *ctx, unsigned domain, uint64_t ts, rtev_counter counter, int64_t value)
{
	add_labelled(ctx, TRAIL_COUNTER, domain, ts, counter, true, value);
}

static void on_alloc(void *ctx, unsigned domain, uint64_t ts, const uint64_t *buckets)
{
	add(ctx, &(struct trail_event){.kind = TRAIL_ALLOC, .stream = domain, .ts = ts, .buckets = buckets});
}

static void on_lifecycle(void *ctx, unsigned domain, uint64_t ts, rtev_lifecycle event, int64_t data)
{
	add(ctx, &(struct trail_event){
		     .kind = TRAIL_LIFECYCLE, .stream = domain, .ts = ts, .id = event, .value = data});
}

/* Write a user event that is not a span. */
static void user_came(struct record_trail *t, unsigned domain, uint64_t ts, unsigned slot, int64_t value)
{
	const struct model_user_slot *known = model_user_slot(t->model, slot);

	if (known == NULL)
		return;
	if (known->kind != MODEL_USER_CUSTOM) {
		if (known->kind == MODEL_USER_INT)
			add_labelled(t, TRAIL_INT, domain, ts, slot, true, value);
		else
			add_labelled(t, TRAIL_UNIT, domain, ts, slot, false, 0);
		return;
	}
	const struct model_user *user = model_user(t->model, domain, slot);
	const void *data = user != NULL ? user->data : NULL;
	add(t, &(struct trail_event){.kind = TRAIL_CUSTOM,
		   .stream = domain,
		   .ts = ts,
		   .id = slot,
		   .len = (size_t)value,
		   .data = data,
		   .kept = data != NULL ? user->kept : 0});
}

/* Of a span also a begin or an end without its counterpart is written. */
static void on_user(void *ctx, unsigned domain, const struct model_user_event *event)
{
	switch (event->what) {
	case MODEL_USER_CAME:
		user_came(ctx, domain, event->ts, event->slot, event->value);
		break;
	case MODEL_USER_OPENED:
	case MODEL_USER_STRAY_BEGIN:
		add_labelled(ctx, TRAIL_SPAN_BEGIN, domain, event->ts, event->slot, false, 0);
		break;
	case MODEL_USER_CLOSED:
	case MODEL_USER_CLOSED_STALE:
	case MODEL_USER_STRAY_END:
		add_labelled(ctx, TRAIL_SPAN_END, domain, event->ts, event->slot, false, 0);
		break;
	default:
		break;
	}
}

static void take_note(void *ctx, uint32_t kind, uint64_t ts, const void *data, size_t len)
{
	record_trail_note(ctx, kind, ts, data, len);
}

/* A gap that is found is written as one event.  The begin of a loss is not written.  At the end of a loss it is written since when
 * events may be lost, if the model knows a later begin than the ring's reads show; a replay has no reads. */
static void on_gap(void *ctx, unsigned domain, const struct model_gap *gap)
{
	struct record_trail *t = ctx;
	const struct model_domain *d = model_domain(t->model, domain);
	struct trail_event event = {.stream = domain, .words = gap->words, .history = gap->history};

	if (gap->what == MODEL_GAP_OVER && d != NULL && gap->from > d->last_ts)
		system_note_read(domain, gap->from, take_note, t);
	if (gap->what != MODEL_GAP_FOUND)
		return;
	event.kind = gap->kind == MODEL_NOTE_LOST      ? TRAIL_LOST
		     : gap->kind == MODEL_NOTE_CORRUPT ? TRAIL_CORRUPT
						       : TRAIL_RESTART;
	add(t, &event);
}

static void on_turned(void *ctx, enum model_turn turn, uint64_t ts)
{
	struct record_trail *t = ctx;

	if (turn == MODEL_REATTACHED)
		add(t, &(struct trail_event){.kind = TRAIL_REATTACH, .stream = TRAIL_TARGET});
	if (turn != MODEL_RESUMED)
		return;
	/* Nothing is written before the first event, because the OCaml version is not known yet. */
	if (t->started)
		put_early(t, TRAIL_RESUME, &(struct early){.ts = ts}, NULL);
	else
		keep_early(t, &t->resumes, &(struct early){.ts = ts}, NULL);
}

/* ---- what the writer asks for ---- */

/* Pass a blob on. */
static void blob(void *ctx, enum trail_blob blob, const void *data, size_t len)
{
	const struct record_trail *t = ctx;

	t->calls.blob(t->calls.ctx, blob, data, len);
}

/* List the spans open on a domain as the recording has them. */
static unsigned open_spans(void *ctx, unsigned domain, struct trail_open *list, unsigned max)
{
	const struct record_trail *t = ctx;
	const struct record_spans *spans = t->calls.open(t->calls.ctx, domain);
	unsigned count = 0;

	for (; spans != NULL && count < spans->count && count < max; count++) {
		const struct record_span *span = &spans->list[count];
		list[count] = (struct trail_open){.user = span->user, .id = span->id, .begin = span->stamp};
	}
	return count;
}

/* List the spans open on a domain in the model, in the order in which they began. */
static unsigned model_open(void *ctx, unsigned domain, struct trail_open *list, unsigned max)
{
	const struct record_trail *t = ctx;
	const struct model_domain *d = model_domain(t->model, domain);
	struct model_open_user users[TRAIL_OPEN_MAX / 2];
	unsigned n = 0, u = 0, user_count, depth;

	if (d == NULL || d->open == 0)
		return 0;
	user_count = (unsigned)model_users_open(t->model, domain, users, TRAIL_OPEN_MAX / 2);
	depth = d->depth < max - user_count ? d->depth : max - user_count;
	for (unsigned i = 0; i <= depth; i++) {
		const struct model_open_span *span = i < depth ? &d->stack[i] : NULL;
		for (; u < user_count && (span == NULL || users[u].begin < span->begin); u++)
			list[n++] =
			    (struct trail_open){.user = true, .id = users[u].slot, .begin = users[u].begin};
		if (span != NULL)
			list[n++] = (struct trail_open){.id = span->phase, .begin = span->begin};
	}
	return n;
}

static bool user_name(void *ctx, uint32_t slot, const char **name, size_t *len)
{
	const struct record_trail *t = ctx;
	const struct model_user_slot *known = model_user_slot(t->model, slot);

	if (known == NULL)
		return false;
	*name = known->name;
	*len = known->name_len;
	return true;
}

/* ---- the trail as a whole ---- */

/* Start chunks with the spans open in the model. */
static void begin_open(struct record_trail *t)
{
	MODEL_FOREACH (d, t->model)
		if (d->open > 0)
			trail_writer_begin(t->writer, d->domain);
}

struct record_trail *record_trail_create(struct model *m, const struct record_trail_calls *calls)
{
	struct record_trail *t = calloc(1, sizeof(*t));

	if (t == NULL)
		return NULL;
	t->model = m;
	t->calls = *calls;
	t->started = calls->start == NULL;
	const struct trail_writer_calls writer_calls = {.ctx = t,
	    .blob = blob,
	    .open = calls->open != NULL ? open_spans : model_open,
	    .user = user_name,
	    .open_now = calls->open == NULL};
	const struct model_observer observer = {.ctx = t,
	    .opened = on_opened,
	    .closed = on_closed,
	    .stray = on_stray,
	    .counter = on_counter,
	    .alloc = on_alloc,
	    .lifecycle = on_lifecycle,
	    .user = on_user,
	    .gap = on_gap,
	    .turned = on_turned};
	t->writer = trail_writer_create(&writer_calls);
	if (t->writer == NULL || !model_observe(m, &observer)) {
		record_trail_destroy(t);
		return NULL;
	}
	if (calls->open == NULL)
		begin_open(t);
	return t;
}

void record_trail_destroy(struct record_trail *t)
{
	if (t == NULL)
		return;
	model_unobserve(t->model, t);
	trail_writer_destroy(t->writer);
	free(t->resumes.bytes);
	free(t->notes.bytes);
	free(t);
}

void record_trail_start(struct record_trail *t, const struct record_subject *subject)
{
	struct trail_about about = {.live = subject->live,
	    .attach_ts = subject->attach_ts,
	    .base_ts = subject->base_ts,
	    .base_wall = subject->base_wall,
	    .pid = subject->pid};
	const struct {
		const char *text;
		char *to;
	} texts[] = {{subject->program != NULL ? subject->program : subject->name, about.name},
	    {subject->ocaml, about.ocaml}, {subject->ocaml_from, about.ocaml_from}};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (texts[i].text != NULL)
			memcpy(texts[i].to, texts[i].text, strnlen(texts[i].text, TRAIL_NAME_MAX));
	trail_write_about(t->writer, &about);
}

void record_trail_note(struct record_trail *t, uint32_t kind, uint64_t ts, const void *data, size_t len)
{
	const struct early note = {.ts = ts, .kind = kind, .len = (uint32_t)len};

	if (len > TRAIL_NOTE_MAX)
		return;
	/* As in on_turned, nothing is written before the first event. */
	if (t->started)
		put_early(t, TRAIL_NOTE, &note, data);
	else
		keep_early(t, &t->notes, &note, data);
}

void record_trail_flush(struct record_trail *t)
{
	trail_writer_flush(t->writer);
}

bool record_trail_finish(struct record_trail *t, uint64_t end)
{
	/* Without any event, write the notes alone. */
	if (t->notes.used > 0)
		begin(t);
	trail_writer_finish(t->writer, end);
	return record_trail_sound(t);
}

bool record_trail_sound(const struct record_trail *t)
{
	return trail_writer_sound(t->writer) && !t->short_of_memory;
}

/* ---- back into a model ---- */

static void feed_resume(void *ctx, uint64_t ts)
{
	model_resume_at(ctx, ts);
}

static void feed_reopened(void *ctx)
{
	model_reattach(ctx);
}

void record_trail_users(const struct trail *t, struct model *model)
{
	static const enum model_user_kind kinds[TRAIL_LABEL_KINDS] = {
	    [TRAIL_LABEL_UNIT] = MODEL_USER_UNIT,
	    [TRAIL_LABEL_INT] = MODEL_USER_INT,
	    [TRAIL_LABEL_SPAN] = MODEL_USER_SPAN,
	    [TRAIL_LABEL_CUSTOM] = MODEL_USER_CUSTOM,
	};

	for (uint32_t i = 0; i < trail_labels(t); i++) {
		enum trail_label_kind kind;
		const struct rtev_user_event *user = trail_user_label(t, i, &kind);
		if (user != NULL)
			model_user_expect(model, kinds[kind], user);
	}
}

struct trail_sink record_trail_sink(struct model *model)
{
	struct trail_sink sink = {.ctx = model, .resume = feed_resume, .reopened = feed_reopened};

	model_callbacks(&sink.calls);
	return sink;
}
