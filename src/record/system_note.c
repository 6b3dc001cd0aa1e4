/*
 * system_note.c - see system_note.h.
 */
#include "record/system_note.h"

#include <string.h>

#include "core/varint.h"
#include "trail/trail.h"

#define VERSION 1
#define THREAD_VALUES 6
/* Most of a thread, and of a note before its threads. */
#define THREAD_BYTES (5 * VARINT_MAX + SYSTEM_COMM_SIZE + THREAD_VALUES * (1 + VARINT_MAX))
#define HEAD_BYTES (8 * VARINT_MAX + SYSTEM_VALUE_COUNT * (1 + VARINT_MAX))

_Static_assert(
    HEAD_BYTES + THREAD_BYTES + VARINT_SLACK < TRAIL_NOTE_MAX, "a part has room for a thread at least");

/* ---- writing ---- */

/* Write a value, or that it is not known. */
static uint8_t *put_value(uint8_t *p, const struct system_value *value)
{
	p = varint_put(p, value->known);
	return value->known == SYSTEM_KNOWN ? varint_put(p, value->value) : p;
}

/* The values of a thread, in their order. */
static void thread_values(struct system_thread *thread, struct system_value *values[THREAD_VALUES])
{
	values[0] = &thread->user;
	values[1] = &thread->system;
	values[2] = &thread->run;
	values[3] = &thread->wait;
	values[4] = &thread->voluntary;
	values[5] = &thread->forced;
}

/* Write a thread. */
static uint8_t *put_thread(uint8_t *p, const struct system_sample *sample, unsigned i)
{
	struct system_thread thread = sample->threads[i];
	struct system_value *values[THREAD_VALUES];
	size_t len = strnlen(thread.comm, sizeof(thread.comm));

	p = varint_put(p, (uint32_t)thread.tid);
	p = varint_put(p, (uint8_t)thread.state);
	p = varint_put(p, len);
	memcpy(p, thread.comm, len);
	p = varint_put(p + len, sample->ts > thread.ts ? sample->ts - thread.ts : 0);
	thread_values(&thread, values);
	for (unsigned v = 0; v < THREAD_VALUES; v++)
		p = put_value(p, values[v]);
	return p;
}

/* Write what a sample has before its threads. */
static uint8_t *put_head(uint8_t *p, const struct system_sample *sample)
{
	p = varint_put(p, sample->in_turns);
	p = varint_put(p, sample->threads_known);
	p = varint_put(p, sample->pressure_scope);
	p = varint_put(p, SYSTEM_VALUE_COUNT);
	for (unsigned i = 0; i < SYSTEM_VALUE_COUNT; i++)
		p = put_value(p, &sample->values[i]);
	return p;
}

void system_note_settings(const struct ocaml_settings *settings, uint64_t ts, system_note_put *put, void *ctx)
{
	uint8_t bytes[TRAIL_NOTE_MAX], *p = bytes;
	size_t len = strnlen(settings->memory_why, sizeof(settings->memory_why));

	p = varint_put(p, VERSION);
	p = varint_put(p, settings->environment);
	p = varint_put(p, OCAML_SETTING_COUNT);
	for (unsigned i = 0; i < OCAML_SETTING_COUNT; i++) {
		p = varint_put(p, settings->of[i].from);
		if (settings->of[i].from != OCAML_UNKNOWN)
			p = varint_put(p, settings->of[i].value);
	}
	p = varint_put(p, len);
	memcpy(p, settings->memory_why, len);
	put(ctx, TRAIL_NOTE_SETTINGS, ts, bytes, (size_t)(p - bytes) + len);
}

void system_note_write(const struct system_sample *sample, const struct ocaml_settings *settings,
    system_note_put *put, void *ctx)
{
	enum { LEAST = THREAD_BYTES + VARINT_SLACK };
	unsigned thread = 0, part = 0;
	bool more;

	do {
		uint8_t bytes[TRAIL_NOTE_MAX], head[HEAD_BYTES + VARINT_SLACK];
		size_t head_size = part == 0 ? (size_t)(put_head(head, sample) - head) : 0;
		/* How many threads have room is known only once the part has been laid out: as many as have
		 * in any case. */
		unsigned room =
		    (unsigned)((TRAIL_NOTE_MAX - head_size - 4 * VARINT_MAX - VARINT_SLACK) / LEAST);
		unsigned count = sample->thread_count - thread < room ? sample->thread_count - thread : room;
		uint8_t *p = bytes;

		more = thread + count < sample->thread_count;
		p = varint_put(p, VERSION);
		p = varint_put(p, part);
		p = varint_put(p, more);
		memcpy(p, head, head_size);
		p = varint_put(p + head_size, count);
		for (unsigned i = 0; i < count; i++)
			p = put_thread(p, sample, thread++);
		put(ctx, TRAIL_NOTE_SYSTEM, sample->ts, bytes, (size_t)(p - bytes));
		part++;
	} while (more);
	if (settings != NULL)
		system_note_settings(settings, sample->ts, put, ctx);
}

void system_note_tracing(bool paused, uint64_t ts, system_note_put *put, void *ctx)
{
	uint8_t bytes[2 * VARINT_MAX + VARINT_SLACK], *p = varint_put(bytes, VERSION);

	p = varint_put(p, paused);
	put(ctx, TRAIL_NOTE_TRACING, ts, bytes, (size_t)(p - bytes));
}

/* ---- reading ---- */

/* Read a text with its length; what does not fit is a fault. */
void system_note_read(unsigned domain, uint64_t ts, system_note_put *put, void *ctx)
{
	uint8_t bytes[3 * VARINT_MAX], *end = varint_put(varint_put(bytes, VERSION), domain);

	put(ctx, TRAIL_NOTE_READ, ts, bytes, (size_t)(end - bytes));
}

static void get_text(struct varint_bytes *r, char *to, size_t size)
{
	size_t len = (size_t)varint_next(r, size - 1);

	if ((size_t)(r->end - r->at) < len)
		r->fault = true;
	if (r->fault)
		return;
	memcpy(to, r->at, len);
	to[len] = '\0';
	r->at += len;
}

static void get_value(struct varint_bytes *r, struct system_value *value)
{
	value->known = (enum system_known)varint_next(r, SYSTEM_KNOWN_COUNT - 1);
	value->value = value->known == SYSTEM_KNOWN ? varint_next(r, UINT64_MAX) : 0;
}

/* Read a thread behind those that the sample has; they rise by number. */
static void get_thread(struct varint_bytes *r, struct system_sample *sample)
{
	struct system_thread thread = {.tid = (int32_t)varint_next(r, INT32_MAX)};
	struct system_value *values[THREAD_VALUES];

	thread.state = (char)varint_next(r, UINT8_MAX);
	get_text(r, thread.comm, sizeof(thread.comm));
	uint64_t before = varint_next(r, UINT64_MAX);
	thread.ts = before < sample->ts ? sample->ts - before : 0;
	thread_values(&thread, values);
	for (unsigned v = 0; v < THREAD_VALUES; v++)
		get_value(r, values[v]);
	if (sample->thread_count == SYSTEM_THREADS || thread.tid == 0 ||
	    (sample->thread_count > 0 && sample->threads[sample->thread_count - 1].tid >= thread.tid))
		r->fault = true;
	if (!r->fault)
		sample->threads[sample->thread_count++] = thread;
}

/* Read what a sample has before its threads.  Values that this program does not know are left out. */
static void get_head(struct varint_bytes *r, struct system_sample *sample, uint64_t ts)
{
	memset(sample, 0, sizeof(*sample));
	sample->ts = ts;
	sample->in_turns = varint_next(r, 1) != 0;
	sample->threads_known = (enum system_known)varint_next(r, SYSTEM_KNOWN_COUNT - 1);
	sample->pressure_scope = (enum system_pressure_scope)varint_next(r, SYSTEM_PRESSURE_OF_MACHINE);
	uint64_t count = varint_next(r, TRAIL_NOTE_MAX);
	for (uint64_t i = 0; i < count && !r->fault; i++) {
		struct system_value other;
		get_value(r, i < SYSTEM_VALUE_COUNT ? &sample->values[i] : &other);
	}
}

/* Take a part of a sample. */
static void take_sample(struct system_notes *notes, uint64_t ts, struct varint_bytes *r)
{
	uint64_t part = varint_next(r, SYSTEM_THREADS);
	bool more = varint_next(r, 1) != 0;

	if (r->fault || (part > 0 && (!notes->open || part != notes->parts || ts != notes->sample.ts))) {
		notes->open = false;
		return;
	}
	if (part == 0)
		get_head(r, &notes->sample, ts);
	uint64_t threads = varint_next(r, SYSTEM_THREADS);
	for (uint64_t i = 0; i < threads && !r->fault; i++)
		get_thread(r, &notes->sample);
	notes->parts = (unsigned)part + 1;
	notes->open = more && !r->fault;
	if (!more && !r->fault && notes->past != NULL)
		system_past_add(notes->past, &notes->sample);
}

/* Take the settings. */
static void take_settings(struct system_notes *notes, struct varint_bytes *r)
{
	struct ocaml_settings settings = {
	    .environment = (enum system_known)varint_next(r, SYSTEM_KNOWN_COUNT - 1)};
	uint64_t count = varint_next(r, TRAIL_NOTE_MAX);

	for (uint64_t i = 0; i < count && !r->fault; i++) {
		enum ocaml_origin from = (enum ocaml_origin)varint_next(r, OCAML_FROM_EVENTS);
		uint64_t value = from != OCAML_UNKNOWN ? varint_next(r, UINT64_MAX) : 0;

		if (i < OCAML_SETTING_COUNT)
			settings.of[i] = (struct ocaml_setting){value, from};
	}
	get_text(r, settings.memory_why, sizeof(settings.memory_why));
	if (!r->fault && notes->past != NULL)
		system_past_set_settings(notes->past, &settings);
}

/* Take what the target said of its events. */
static void take_tracing(const struct system_notes *notes, struct varint_bytes *r)
{
	bool paused = varint_next(r, 1) != 0;

	if (!r->fault && notes->model != NULL)
		model_set_silent(notes->model, paused);
}

/* Take up to when the ring of a domain had been read. */
static void take_read(const struct system_notes *notes, uint64_t ts, struct varint_bytes *r)
{
	uint64_t domain = varint_next(r, MODEL_DOMAINS_MAX - 1);

	if (!r->fault && notes->model != NULL)
		model_lost_from(notes->model, (unsigned)domain, ts);
}

void system_notes_take(void *ctx, uint32_t kind, uint64_t ts, const void *data, size_t len)
{
	struct system_notes *notes = ctx;
	struct varint_bytes r = {.at = data, .end = (const uint8_t *)data + len};

	if (kind < TRAIL_NOTE_SYSTEM || kind > TRAIL_NOTE_READ || kind == TRAIL_NOTE_TREND)
		return;
	if (varint_next(&r, UINT64_MAX) != VERSION || r.fault)
		return;
	if (kind == TRAIL_NOTE_SYSTEM)
		take_sample(notes, ts, &r);
	else if (kind == TRAIL_NOTE_SETTINGS)
		take_settings(notes, &r);
	else if (kind == TRAIL_NOTE_TRACING)
		take_tracing(notes, &r);
	else
		take_read(notes, ts, &r);
}
