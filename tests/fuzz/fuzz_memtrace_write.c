/*
 * fuzz_memtrace_write.c - a writer driven by the bytes: what it wrote is read back with every check on, and a
 * copy of it has the same bytes.
 *
 * Each step takes a byte that says what is done and some more that say how.  Backtraces change at their inner
 * end, as those of a program do; codes come from an alphabet whose size the first byte sets.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "rtev/memtrace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { START = 123456789, DEPTH_MAX = 1200, EVENTS_MAX = 250 };

struct input {
	const uint8_t *p, *end;
};

static unsigned take(struct input *in)
{
	return in->p < in->end ? *in->p++ : 0;
}

struct output {
	uint8_t *data;
	size_t size, capacity;
};

static int put(void *ctx, const void *data, size_t size)
{
	struct output *out = ctx;

	/* The reader takes so much content, behind a header. */
	if (size > 68 + 32768 || size < 68)
		abort();
	if (out->capacity - out->size < size) {
		out->capacity = (out->size + size) * 2;
		out->data = realloc(out->data, out->capacity);
		if (out->data == NULL)
			abort();
	}
	memcpy(out->data + out->size, data, size);
	out->size += size;
	return RTEV_OK;
}

/* The meaning of a code, which follows from the code. */
static size_t locate(void *ctx, int64_t code, size_t index, const struct rtev_memtrace_location **out)
{
	static struct rtev_memtrace_location list[4];
	static char names[80][24];
	size_t count = (size_t)((uint64_t)code % 4);

	for (size_t i = 0; i < count; i++) {
		size_t file = (size_t)((uint64_t)code / 3 + i) % 40,
		       defname = (size_t)((uint64_t)code / 7) % 80;
		memcpy(names[file], "some_file_0.ml", 15);
		names[file][10] = (char)('0' + file);
		list[i] = (struct rtev_memtrace_location){names[file],
		    defname % 2 == 0 ? "f" : names[file] + defname % 14, (int32_t)defname, (int32_t)i, 9};
	}
	*out = list;
	return count;
}

/* An event as it was written. */
struct event {
	struct rtev_memtrace_event event;
	int64_t *backtrace;
};

struct state {
	struct input in;
	struct rtev_memtrace_mux *mux;
	struct event *events;
	size_t count;
	int64_t stack[4][DEPTH_MAX];
	size_t depth[4];
	int64_t time[4];
	unsigned alphabet;
	uint64_t seed;
};

/* Change a domain's backtrace. */
static void change_stack(struct state *s, unsigned domain)
{
	unsigned how = take(&s->in), grow = take(&s->in);
	size_t *depth = &s->depth[domain];

	*depth -= *depth * (how & 15) / 15;
	if (how & 128)
		grow *= 8;
	for (unsigned i = 0; i < grow && *depth < DEPTH_MAX; i++) {
		s->seed = s->seed * 6364136223846793005u + 1442695040888963407u;
		uint64_t r = s->seed >> 33;
		/* Cycles now and then, which are what is predicted. */
		int64_t code = how & 64 ? (int64_t)(i % 3) : (int64_t)(r % (s->alphabet + 1));
		s->stack[domain][(*depth)++] = how & 32 ? code * 0x123456789AB : code;
	}
}

static const int64_t lengths[] = {0, 1, 16, 17, 252, 253, 65536, -1, INT64_MAX / 2, INT64_MIN / 2};

/* Write one event, or flush. */
static void step(struct state *s)
{
	struct event *e = &s->events[s->count];
	unsigned what = take(&s->in), domain = what >> 3 & 3, length = take(&s->in);
	int64_t gap = (int64_t)(take(&s->in)) * (what & 32 ? 200000 : 1);

	if ((what & 7) == 7) {
		if (rtev_memtrace_mux_flush(s->mux) != RTEV_OK)
			abort();
		return;
	}
	s->time[domain] += gap;
	*e = (struct event){
	    {.size = sizeof(e->event), .time = s->time[domain], .domain = (uint16_t)(domain * 5)}, NULL};
	if ((what & 7) == 5 || (what & 7) == 6) {
		e->event.kind = (what & 7) == 5 ? RTEV_MEMTRACE_COLLECT : RTEV_MEMTRACE_PROMOTE;
		/* What is promoted has been allocated by this domain. */
		if (rtev_memtrace_mux_next_id(s->mux, e->event.domain, &e->event.object) != RTEV_OK)
			abort();
		e->event.object -= 1 + length;
	} else {
		change_stack(s, domain);
		e->event.kind = RTEV_MEMTRACE_ALLOC;
		e->event.length = length < 128 ? length : lengths[length % 10];
		e->event.samples = what & 64 ? length * 300 : 1;
		e->event.source = (enum rtev_memtrace_source)(what & 128 ? length % 3 : 0);
		e->event.depth = s->depth[domain];
		e->backtrace = malloc(e->event.depth * sizeof(int64_t) + 1);
		if (e->backtrace == NULL)
			abort();
		memcpy(e->backtrace, s->stack[domain], e->event.depth * sizeof(int64_t));
		e->event.backtrace = e->backtrace;
		if (rtev_memtrace_mux_next_id(s->mux, e->event.domain, &e->event.object) != RTEV_OK)
			abort();
	}
	if (rtev_memtrace_mux_put_event(s->mux, START + e->event.time, &e->event) != RTEV_OK)
		abort();
	s->count++;
}

/* Compare what a code means with what was told. */
static void check_code(const struct rtev_memtrace_reader *reader, int64_t code)
{
	const struct rtev_memtrace_location *list, *expected;
	size_t count, n = locate(NULL, code, 0, &expected);

	/* An untouched bucket of the cache holds code 0, so that this is never new to the writer. */
	if ((rtev_memtrace_lookup(reader, code, &list, &count) != RTEV_OK && code != 0) || count != n)
		abort();
	for (size_t i = 0; i < n; i++) {
		if (strcmp(list[i].filename, expected[i].filename) != 0 ||
		    strcmp(list[i].defname, expected[i].defname) != 0 || list[i].line != expected[i].line)
			abort();
	}
}

/* Compare an event with what was written. */
static void check_event(const struct rtev_memtrace_reader *reader, const struct rtev_memtrace_event *a,
    const struct rtev_memtrace_event *e)
{
	if (a->kind != e->kind || a->time != e->time || a->object != e->object || a->domain != e->domain)
		abort();
	if (a->kind != RTEV_MEMTRACE_ALLOC)
		return;
	if (a->length != e->length || a->samples != e->samples || a->source != e->source ||
	    a->depth > e->depth)
		abort();
	/* A backtrace may have been cut short at its inner end; after that, prefixes are no longer whole. */
	if (a->depth == e->depth && memcmp(a->backtrace, e->backtrace, a->depth * sizeof(int64_t)) != 0)
		abort();
	for (size_t i = a->depth < 8 ? 0 : a->depth - 8; i < a->depth; i++)
		check_code(reader, a->backtrace[i]);
}

/* Read the trace back and copy it. */
static void check(const struct state *s, const struct output *out)
{
	struct rtev_memtrace_reader *reader;
	const struct rtev_memtrace_event *event;
	struct output copy = {0};
	struct rtev_memtrace_sink sink = {sizeof(sink), put, &copy};
	size_t i = 0;
	int status;

	if (rtev_memtrace_open_memory(&reader, out->data, out->size, NULL) != RTEV_OK)
		abort();
	while ((status = rtev_memtrace_next(reader, &event)) == RTEV_OK) {
		if (i == s->count)
			abort();
		check_event(reader, event, &s->events[i++].event);
	}
	if (status != RTEV_E_MEMTRACE_END || i != s->count)
		abort();
	rtev_memtrace_close(reader);
	if (rtev_memtrace_open_memory(&reader, out->data, out->size, NULL) != RTEV_OK ||
	    rtev_memtrace_copy(reader, &sink) != RTEV_OK)
		abort();
	if (copy.size != out->size || memcmp(copy.data, out->data, copy.size) != 0)
		abort();
	rtev_memtrace_close(reader);
	free(copy.data);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct state *s = calloc(1, sizeof(*s));
	struct output out = {0};
	struct rtev_memtrace_sink sink = {sizeof(sink), put, &out};
	struct rtev_memtrace_info info = {
	    .size = sizeof(info), .sample_rate = 0.5, .word_size = 64, .pid = 7, .start_time = START};
	struct rtev_memtrace_writer_options options = {.size = sizeof(options), .locate = locate};

	if (s == NULL)
		abort();
	s->in = (struct input){data, data + size};
	unsigned first = take(&s->in);
	s->alphabet = (1u << (first & 15)) - 1;
	s->seed = first;
	options.ids_per_chunk = 1 + take(&s->in) * 4;
	s->events = calloc(EVENTS_MAX, sizeof(*s->events));
	if (s->events == NULL || rtev_memtrace_mux_create(&s->mux, &sink, &info, &options) != RTEV_OK)
		abort();
	while (s->in.p < s->in.end && s->count < EVENTS_MAX)
		step(s);
	if (rtev_memtrace_mux_flush(s->mux) != RTEV_OK)
		abort();
	rtev_memtrace_mux_destroy(s->mux);
	check(s, &out);
	for (size_t i = 0; i < s->count; i++)
		free(s->events[i].backtrace);
	free(s->events);
	free(s);
	free(out.data);
	return 0;
}
