/*
 * fuzz_trail.c - any bytes at all as a recording: opening, indexing, rewinding and delivering end, stay
 * inside them, and deliver keys in order and what a model can take.  The bytes are read as they are, and
 * again as the blobs of a good trace, so that labels and chunks are reached at once.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "watch/watch.h"
#include "rtev/fxt.h"
#include "support/trail_bytes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define ROUNDS_MAX 100000

/* A resume. */
static void on_resume(void *ctx, uint64_t ts)
{
	model_resume_at(ctx, ts);
}

/* Another ring. */
static void on_reopened(void *ctx)
{
	model_reattach(ctx);
}

/* A note: its bytes are there. */
static void on_note(void *ctx, uint32_t kind, uint64_t ts, const void *data, size_t len)
{
	volatile uint8_t *sum = ctx;

	for (size_t i = 0; i < len; i++)
		*sum ^= ((const uint8_t *)data)[i];
}

/* Deliver what there is from a key on to a new watch. */
static void play(struct trail *t, uint64_t since)
{
	uint8_t sum = 0;
	struct trail_sink sink = {
	    .resume = on_resume, .reopened = on_reopened, .note = on_note, .note_ctx = &sum};
	struct watch *w = watch_create(&(struct watch_options){.history_budget = HISTORY_BUDGET_MIN});
	uint64_t key, last = 0;
	int rounds = 0;

	if (w == NULL)
		return;
	model_callbacks(&sink.calls);
	sink.ctx = watch_model(w);
	trail_rewind(t, since);
	while (trail_next(t, &key) && rounds++ < ROUNDS_MAX) {
		if (key < last || trail_feed(t, &sink, key, 5) == 0 || !trail_last(t, &last) || last != key)
			abort();
		if (rounds % 64 == 0)
			watch_advance(w, key, key);
	}
	watch_finish(w);
	watch_destroy(w);
}

/* Read a recording in every way. */
static void read_all(const void *data, size_t size)
{
	struct trail_info info;
	struct trail *t;

	if (trail_open_bytes(&t, data, size) != TRAIL_OK)
		return;
	while (trail_index(t, 3))
		continue;
	trail_info(t, &info);
	if (!info.indexed || info.bytes > size || info.start > info.end)
		abort();
	play(t, 0);
	play(t, info.start + (info.end - info.start) / 2);
	uint64_t since = trail_since(t, info.end, 10);
	if (since > info.end)
		abort();
	play(t, since);
	trail_close(t);
}

/* Where the made trace goes. */
struct trace {
	uint8_t *data;
	size_t used;
};

/* Write a blob. */
static void put(
    struct rtev_fxt_writer *fxt, const rtev_fxt_string *names, unsigned blob, const void *data, size_t len)
{
	if (rtev_fxt_write_blob(fxt, RTEV_FXT_BLOB_DATA, names[blob % TRAIL_BLOB_COUNT], data, len) !=
	    RTEV_OK)
		abort();
}

/* Make a trace of the bytes: portions of them are blobs, the first byte of each says which, the second how
 * long it is. */
static void make(struct trace *trace, const uint8_t *data, size_t size)
{
	const uint8_t about[6 * 8 + 3] = {TRAIL_VERSION};
	static const uint8_t labels[][5 + 5] = {{0, 0, 0, 0, TRAIL_LABEL_PHASE, 'm', 'i', 'n', 'o', 'r'},
	    {1, 0, 0, 0, TRAIL_LABEL_SPAN, 's', 'p', 'a', 'n', '1'},
	    {2, 0, 0, 0, TRAIL_LABEL_CUSTOM, 'c', 'u', 's', 't', 'o'},
	    {3, 0, 0, 0, TRAIL_LABEL_INT, 'n', 'u', 'm', 'b', 'r'}};
	struct rtev_fxt_destination *destination;
	rtev_fxt_string names[TRAIL_BLOB_COUNT];
	size_t room = 8192 + size * 16;
	struct rtev_fxt_writer *fxt;

	trace->data = malloc(room);
	if (trace->data == NULL ||
	    rtev_fxt_memory_create(&destination, trace->data, room, &trace->used) != RTEV_OK ||
	    rtev_fxt_writer_create(&fxt, destination, NULL) != RTEV_OK)
		abort();
	for (int i = 0; i < TRAIL_BLOB_COUNT; i++) {
		const char *name = trail_blob_name((enum trail_blob)i);
		if (rtev_fxt_intern(fxt, name, strlen(name), &names[i]) != RTEV_OK)
			abort();
	}
	put(fxt, names, TRAIL_BLOB_ABOUT, about, sizeof(about));
	for (size_t i = 0; i < sizeof(labels) / sizeof(labels[0]); i++)
		put(fxt, names, TRAIL_BLOB_LABEL, labels[i], sizeof(labels[i]));
	while (size > 2) {
		size_t len = (size_t)data[1] * 2;
		/* Mostly chunks. */
		unsigned blob = data[0] < 200 ? TRAIL_BLOB_EVENTS : data[0];
		data += 2;
		size -= 2;
		if (len > size)
			len = size;
		put(fxt, names, blob, data, len);
		data += len;
		size -= len;
	}
	if (rtev_fxt_writer_close(fxt) != RTEV_OK)
		abort();
	rtev_fxt_writer_destroy(fxt);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct trace trace;

	read_all(data, size);
	make(&trace, data, size);
	/* As large as it is, so that a reader beyond its end is found out. */
	uint8_t *exact = malloc(trace.used);
	if (exact != NULL) {
		memcpy(exact, trace.data, trace.used);
		read_all(exact, trace.used);
	}
	free(exact);
	free(trace.data);
	return 0;
}
