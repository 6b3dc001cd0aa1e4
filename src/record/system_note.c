/*
 * system_note.c - encode and decode notes.  Each layout is one function NAME_pass, which writes or reads, so
 * that both agree.
 */
#include "record/system_note.h"

#include "core/cut.h"
#include "trail/trail.h"

#define VERSION 1
#define HEAPS_SENT (1u << HEAP_GAUGES)
#define HEAP_BYTES ((3 + HEAP_GAUGES) * VARINT_MAX) /* longest entry of a domain */
#define GAUGE_MOST (UINT64_C(1) << 54)		    /* a size is the sum of two parts of at most half this */
#define FIBERS_BYTES (768u << 10)		    /* limit on all notes of fibers */
#define FIBER_BYTES (7 * VARINT_MAX + FIBERS_TEXT)  /* longest event of fibers */
#define SCHEDULER_NAME 16			    /* bytes of a scheduler's name and its NUL */
#define THREAD_VALUES 6
/* The longest thread, and the longest part of a note before its threads. */
#define THREAD_BYTES (5 * VARINT_MAX + SYSTEM_COMM_SIZE + THREAD_VALUES * (1 + VARINT_MAX))
#define HEAD_BYTES (8 * VARINT_MAX + SYSTEM_VALUE_COUNT * (1 + VARINT_MAX))

_Static_assert(
    HEAD_BYTES + THREAD_BYTES + VARINT_SLACK < TRAIL_NOTE_MAX, "a part has room for a thread at least");

/* ---- layouts, for writing and reading ---- */

/* A note that is being written or read. */
struct note {
	uint8_t *put;	 /* write position; NULL: the note is read */
	struct cut *get; /* the rest to read */
};

/* Write a number and return it, or return a number read, of at most `max`. */
static uint64_t number_pass(struct note *n, uint64_t value, uint64_t max)
{
	if (n->put == NULL)
		return cut_varint(n->get, max);
	n->put = varint_put(n->put, value);
	return value;
}

/* Whether a list goes on after `i` of `count` items. */
static bool goes_on(const struct note *n, uint64_t i, uint64_t count)
{
	return i < count && (n->put != NULL || !n->get->fault);
}

/* Pass a text with its length.  A text that does not fit is a fault. */
static void text_pass(struct note *n, char *text, size_t size)
{
	size_t len = (size_t)number_pass(n, n->put != NULL ? strnlen(text, size) : 0, size - 1);

	if (n->put != NULL) {
		memcpy(n->put, text, len);
		n->put += len;
		return;
	}
	const uint8_t *bytes = cut_bytes(n->get, len);
	if (bytes == NULL)
		return;
	memcpy(text, bytes, len);
	text[len] = '\0';
}

/* Pass a value, or that it is not known. */
static void value_pass(struct note *n, struct system_value *value)
{
	value->known = (enum system_known)number_pass(n, value->known, SYSTEM_KNOWN_COUNT - 1);
	value->value = value->known == SYSTEM_KNOWN ? number_pass(n, value->value, UINT64_MAX) : 0;
}

/* Pass a thread of a sample that was taken at `ts`. */
static void thread_pass(struct note *n, uint64_t ts, struct system_thread *thread)
{
	struct system_value *const values[THREAD_VALUES] = {
	    &thread->user, &thread->system, &thread->run, &thread->wait, &thread->voluntary, &thread->forced};

	thread->tid = (int32_t)number_pass(n, (uint32_t)thread->tid, INT32_MAX);
	thread->state = (char)number_pass(n, (uint8_t)thread->state, UINT8_MAX);
	text_pass(n, thread->comm, sizeof(thread->comm));
	uint64_t before = number_pass(n, ts > thread->ts ? ts - thread->ts : 0, UINT64_MAX);
	thread->ts = before < ts ? ts - before : 0;
	for (unsigned v = 0; v < THREAD_VALUES; v++)
		value_pass(n, values[v]);
}

/* Pass the part of a sample before its threads.  When reading, values that this program does not know are
 * dropped. */
static void head_pass(struct note *n, struct system_sample *sample)
{
	sample->in_turns = number_pass(n, sample->in_turns, 1) != 0;
	sample->threads_known =
	    (enum system_known)number_pass(n, sample->threads_known, SYSTEM_KNOWN_COUNT - 1);
	sample->pressure_scope =
	    (enum system_pressure_scope)number_pass(n, sample->pressure_scope, SYSTEM_PRESSURE_OF_MACHINE);
	uint64_t count = number_pass(n, SYSTEM_VALUE_COUNT, TRAIL_NOTE_MAX);
	for (uint64_t i = 0; goes_on(n, i, count); i++) {
		struct system_value other;
		value_pass(n, i < SYSTEM_VALUE_COUNT ? &sample->values[i] : &other);
	}
}

/* Pass settings.  When reading, settings that this program does not know are dropped. */
static void settings_pass(struct note *n, struct ocaml_settings *settings)
{
	settings->environment =
	    (enum system_known)number_pass(n, settings->environment, SYSTEM_KNOWN_COUNT - 1);
	uint64_t count = number_pass(n, OCAML_SETTING_COUNT, TRAIL_NOTE_MAX);
	for (uint64_t i = 0; goes_on(n, i, count); i++) {
		struct ocaml_setting other = {0};
		struct ocaml_setting *setting = i < OCAML_SETTING_COUNT ? &settings->of[i] : &other;
		setting->from = (enum ocaml_origin)number_pass(n, setting->from, OCAML_FROM_PROGRAM);
		setting->value =
		    setting->from != OCAML_UNKNOWN ? number_pass(n, setting->value, UINT64_MAX) : 0;
	}
	text_pass(n, settings->memory_why, sizeof(settings->memory_why));
}

/* Pass bytes with their length.  When reading, they stay in the note. */
static void bytes_pass(struct note *n, const void **text, size_t *len)
{
	*len = (size_t)number_pass(n, *len, FIBERS_TEXT);
	if (n->put != NULL) {
		if (*len > 0)
			memcpy(n->put, *text, *len);
		n->put += *len;
		return;
	}
	*text = cut_bytes(n->get, *len);
}

/* Pass an event of fibers, not after `ts`. */
static void fiber_pass(struct note *n, uint64_t ts, unsigned *domain, uint64_t *at, struct fiber_event *event)
{
	event->op = (enum fiber_op)number_pass(n, event->op, FIBER_MORE);
	*domain = (unsigned)number_pass(n, *domain, MODEL_DOMAINS_MAX - 1);
	event->kind = (enum fiber_kind)number_pass(n, event->kind, FIBER_MUTEX);
	event->id = number_pass(n, event->id, UINT64_MAX);
	event->other = number_pass(n, event->other, UINT64_MAX);
	*at = ts - number_pass(n, ts > *at ? ts - *at : 0, ts);
	bytes_pass(n, &event->text, &event->len);
}

/* ---- writing ---- */

void system_note_settings(const struct ocaml_settings *settings, uint64_t ts, system_note_put *put, void *ctx)
{
	uint8_t bytes[TRAIL_NOTE_MAX];
	struct note n = {.put = varint_put(bytes, VERSION)};
	struct ocaml_settings copy = *settings;

	settings_pass(&n, &copy);
	put(ctx, TRAIL_NOTE_SETTINGS, ts, bytes, (size_t)(n.put - bytes));
}

void system_note_write(const struct system_sample *sample, const struct ocaml_settings *settings,
    system_note_put *put, void *ctx)
{
	enum { LEAST = THREAD_BYTES + VARINT_SLACK };
	struct system_sample copy = *sample;
	unsigned thread = 0, part = 0;
	bool more;

	do {
		uint8_t bytes[TRAIL_NOTE_MAX], head[HEAD_BYTES + VARINT_SLACK];
		struct note n = {.put = head};
		if (part == 0)
			head_pass(&n, &copy);
		size_t head_size = (size_t)(n.put - head);
		/* The number of threads with room is known only after the layout: assume all of the greatest
		 * size. */
		unsigned room =
		    (unsigned)((TRAIL_NOTE_MAX - head_size - 4 * VARINT_MAX - VARINT_SLACK) / LEAST);
		unsigned count = sample->thread_count - thread < room ? sample->thread_count - thread : room;

		more = thread + count < sample->thread_count;
		n.put = varint_put(varint_put(varint_put(bytes, VERSION), part), more);
		memcpy(n.put, head, head_size);
		n.put = varint_put(n.put + head_size, count);
		for (unsigned i = 0; i < count; i++)
			thread_pass(&n, sample->ts, &copy.threads[thread++]);
		put(ctx, TRAIL_NOTE_SYSTEM, sample->ts, bytes, (size_t)(n.put - bytes));
		part++;
	} while (more);
	if (settings != NULL)
		system_note_settings(settings, sample->ts, put, ctx);
}

/* Write a note that consists of one number. */
static void put_number(enum trail_note kind, uint64_t number, uint64_t ts, system_note_put *put, void *ctx)
{
	uint8_t bytes[2 * VARINT_MAX + VARINT_SLACK], *end = varint_put(varint_put(bytes, VERSION), number);

	put(ctx, kind, ts, bytes, (size_t)(end - bytes));
}

void system_note_tracing(bool paused, uint64_t ts, system_note_put *put, void *ctx)
{
	put_number(TRAIL_NOTE_TRACING, paused, ts, put, ctx);
}

void system_note_read(unsigned domain, uint64_t ts, system_note_put *put, void *ctx)
{
	put_number(TRAIL_NOTE_READ, domain, ts, put, ctx);
}

/* Write what is known of the heap of a domain at `ts`.  Returns the end. */
static uint8_t *put_heap(uint8_t *p, const struct model_domain *d, uint64_t ts)
{
	const struct heap *heap = &d->heap;
	unsigned known = heap->size_sent ? HEAPS_SENT : 0;

	for (int g = 0; g < HEAP_GAUGES; g++)
		known |= !isnan(heap->values[g]) ? 1u << g : 0;
	p = varint_put(varint_put(p, d->domain), known);
	p = varint_put(p, ts > heap->parts_ts ? ts - heap->parts_ts : 0);
	for (int g = 0; g < HEAP_GAUGES; g++)
		if ((known & 1u << g) != 0)
			p = varint_put(p, (uint64_t)heap->values[g]);
	return p;
}

void system_note_heaps(const struct model *m, uint64_t ts, system_note_put *put, void *ctx)
{
	uint8_t bytes[TRAIL_NOTE_MAX], *begin = varint_put(bytes, VERSION), *end = begin;
	unsigned domains = model_domains(m);

	for (unsigned i = 0; i < domains; i++) {
		const struct model_domain *d = model_domain(m, i);
		if (d == NULL || !d->seen || d->state != MODEL_DOMAIN_RUNNING)
			continue;
		end = put_heap(end, d, ts);
		if (bytes + sizeof(bytes) - end >= HEAP_BYTES + VARINT_SLACK)
			continue;
		put(ctx, TRAIL_NOTE_HEAPS, ts, bytes, (size_t)(end - bytes));
		end = begin;
	}
	if (end != begin)
		put(ctx, TRAIL_NOTE_HEAPS, ts, bytes, (size_t)(end - bytes));
}

/* Pass the heaps that memory told of, without their domains. */
static void look_pass(struct note *n, struct model_look *look)
{
	unsigned known = 0;

	for (int g = 0; g < HEAP_GAUGES; g++)
		known |= !isnan(look->heap[g]) ? 1u << g : 0;
	known = (unsigned)number_pass(n, known, (1u << HEAP_GAUGES) - 1);
	for (int g = 0; g < HEAP_GAUGES; g++)
		look->heap[g] = (known & 1u << g) != 0
				    ? (double)number_pass(n, (uint64_t)look->heap[g], GAUGE_MOST)
				    : (double)NAN;
}

/* Pass one domain of such a look. */
static void look_domain_pass(struct note *n, struct model_look_domain *d)
{
	d->domain = (unsigned)number_pass(n, d->domain, MODEL_DOMAINS_MAX - 1);
	d->size = number_pass(n, d->size, GAUGE_MOST);
	d->minor_heap = number_pass(n, d->minor_heap, GAUGE_MOST);
	d->minor_used = number_pass(n, d->minor_used, GAUGE_MOST);
}

void system_note_look(const struct model_look *look, uint64_t ts, system_note_put *put, void *ctx)
{
	uint8_t bytes[TRAIL_NOTE_MAX];
	struct note n = {.put = varint_put(bytes, VERSION)};
	struct model_look all = *look;

	look_pass(&n, &all);
	for (unsigned i = 0; i < all.count && bytes + sizeof(bytes) - n.put > 4 * VARINT_MAX + VARINT_SLACK;
	     i++)
		look_domain_pass(&n, &all.domains[i]);
	put(ctx, TRAIL_NOTE_LOOK, ts, bytes, (size_t)(n.put - bytes));
}

/* Notes of fibers under construction. */
struct fiber_notes {
	system_note_put *put;
	void *ctx;
	uint64_t ts;
	size_t bytes, begin; /* of all notes put; of the begin of each */
	struct note note;
	uint8_t buffer[TRAIL_NOTE_MAX];
};

static void fiber_notes_put(struct fiber_notes *notes)
{
	size_t used = (size_t)(notes->note.put - notes->buffer);

	if (used == notes->begin)
		return;
	notes->put(notes->ctx, TRAIL_NOTE_FIBERS, 0, notes->buffer, used);
	notes->bytes += used;
	notes->note.put = notes->buffer + notes->begin;
}

static bool put_fiber(void *ctx, unsigned domain, uint64_t ts, const struct fiber_event *event)
{
	struct fiber_notes *notes = ctx;
	struct fiber_event copy = *event;

	fiber_pass(&notes->note, notes->ts, &domain, &ts, &copy);
	if (notes->buffer + sizeof(notes->buffer) - notes->note.put < FIBER_BYTES + VARINT_SLACK)
		fiber_notes_put(notes);
	return notes->bytes < FIBERS_BYTES;
}

void system_note_fibers(
    const struct schedulers *schedulers, bool all, uint64_t ts, system_note_put *put, void *ctx)
{
	struct fiber_notes notes = {.put = put, .ctx = ctx, .ts = ts};
	const struct fibers *f;
	const char *of;
	unsigned at = 0;

	while ((f = schedulers_next(schedulers, &at, &of)) != NULL) {
		char name[SCHEDULER_NAME];
		strlcpy(name, of, sizeof(name));
		notes.note.put = varint_put(notes.buffer, VERSION);
		text_pass(&notes.note, name, sizeof(name));
		notes.note.put = varint_put(notes.note.put, ts);
		notes.begin = (size_t)(notes.note.put - notes.buffer);
		fibers_tell(f, all, ts, put_fiber, &notes);
		fiber_notes_put(&notes);
	}
}

/* ---- reading ---- */

/* Take a part of a sample.  Threads are in ascending order. */
static void take_sample(struct system_notes *notes, uint64_t ts, struct cut *r)
{
	struct system_sample *sample = &notes->sample;
	struct note n = {.get = r};
	uint64_t part = cut_varint(r, SYSTEM_THREADS);
	bool more = cut_varint(r, 1) != 0;

	if (r->fault || (part > 0 && (!notes->open || part != notes->parts || ts != sample->ts))) {
		notes->open = false;
		return;
	}
	if (part == 0) {
		memset(sample, 0, sizeof(*sample));
		sample->ts = ts;
		head_pass(&n, sample);
	}
	uint64_t threads = cut_varint(r, SYSTEM_THREADS);
	for (uint64_t i = 0; i < threads && !r->fault; i++) {
		struct system_thread thread = {0};
		thread_pass(&n, ts, &thread);
		if (sample->thread_count == SYSTEM_THREADS || thread.tid == 0 ||
		    (sample->thread_count > 0 && sample->threads[sample->thread_count - 1].tid >= thread.tid))
			r->fault = true;
		if (!r->fault)
			sample->threads[sample->thread_count++] = thread;
	}
	notes->parts = (unsigned)part + 1;
	notes->open = more && !r->fault;
	if (!more && !r->fault && notes->past != NULL)
		system_past_add(notes->past, sample);
}

static void take_settings(struct system_notes *notes, struct cut *r)
{
	struct ocaml_settings settings = {0};

	settings_pass(&(struct note){.get = r}, &settings);
	if (!r->fault && notes->past != NULL)
		system_past_set_settings(notes->past, &settings);
}

/* Take whether the target has paused its events. */
static void take_tracing(const struct system_notes *notes, struct cut *r)
{
	bool paused = cut_varint(r, 1) != 0;

	if (!r->fault && notes->model != NULL)
		model_set_silent(notes->model, paused);
}

/* Take until when the ring of a domain had been read. */
static void take_read(const struct system_notes *notes, uint64_t ts, struct cut *r)
{
	uint64_t domain = cut_varint(r, MODEL_DOMAINS_MAX - 1);

	if (!r->fault && notes->model != NULL)
		model_lost_from(notes->model, (unsigned)domain, ts);
}

/* Take the running domains and their heaps. */
static void take_heaps(const struct system_notes *notes, uint64_t ts, struct cut *r)
{
	const unsigned parts = 1u << HEAP_POOL | 1u << HEAP_LIVE | 1u << HEAP_FRAGMENTS | 1u << HEAP_LARGE;

	while (r->at < r->end && notes->model != NULL) {
		struct heap heap = {0};
		unsigned domain = (unsigned)cut_varint(r, MODEL_DOMAINS_MAX - 1);
		uint64_t known = cut_varint(r, 2 * HEAPS_SENT - 1), before = cut_varint(r, ts);
		for (int g = 0; g < HEAP_GAUGES; g++) {
			bool given = (known & 1u << g) != 0;
			heap.values[g] = given ? (double)cut_varint(r, GAUGE_MOST) : (double)NAN;
		}
		heap.size_sent = (known & HEAPS_SENT) != 0;
		/* The parts have one stamp, so they count together. */
		if ((known & parts) == parts)
			heap.parts_ts = ts - before;
		else if ((known & parts) != 0)
			r->fault = true;
		if (r->fault)
			return;
		model_attached(notes->model, domain, &heap);
	}
}

/* Take what memory told of the heaps. */
static void take_look(const struct system_notes *notes, uint64_t ts, struct cut *r)
{
	struct note n = {.get = r};
	struct model_look look = {.count = 0};

	look_pass(&n, &look);
	while (!r->fault && r->at < r->end && look.count < MODEL_LOOK_DOMAINS)
		look_domain_pass(&n, &look.domains[look.count++]);
	if (!r->fault && notes->model != NULL)
		model_look(notes->model, ts, &look);
}

static void take_fibers(const struct system_notes *notes, struct cut *r)
{
	struct note n = {.get = r};
	char name[SCHEDULER_NAME];

	text_pass(&n, name, sizeof(name));
	uint64_t ts = cut_varint(r, UINT64_MAX);
	while (!r->fault && r->at < r->end && notes->schedulers != NULL) {
		struct fiber_event event = {0};
		unsigned domain = 0;
		uint64_t at = 0;
		fiber_pass(&n, ts, &domain, &at, &event);
		if (!r->fault)
			schedulers_learn(notes->schedulers, name, domain, at, &event);
	}
}

void system_notes_take(void *ctx, uint32_t kind, uint64_t ts, const void *data, size_t len)
{
	struct system_notes *notes = ctx;
	struct cut r = {.at = data, .end = (const uint8_t *)data + len};

	if (kind < TRAIL_NOTE_SYSTEM || kind > TRAIL_NOTE_LOOK || kind == TRAIL_NOTE_TREND ||
	    kind == TRAIL_NOTE_CODE)
		return;
	if (cut_varint(&r, UINT64_MAX) != VERSION || r.fault)
		return;
	if (kind == TRAIL_NOTE_SYSTEM)
		take_sample(notes, ts, &r);
	else if (kind == TRAIL_NOTE_SETTINGS)
		take_settings(notes, &r);
	else if (kind == TRAIL_NOTE_TRACING)
		take_tracing(notes, &r);
	else if (kind == TRAIL_NOTE_READ)
		take_read(notes, ts, &r);
	else if (kind == TRAIL_NOTE_HEAPS)
		take_heaps(notes, ts, &r);
	else if (kind == TRAIL_NOTE_LOOK)
		take_look(notes, ts, &r);
	else
		take_fibers(notes, &r);
}
