/*
 * test_notes.c - notes and tables of recordings: what was put in comes out, whatever its kind, of files that
 * are whole, cut short or made up; and when a recording asks for tables.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "record/flight.h"
#include "record/recording.h"
#include "record/trail.h"
#include "support/model_feed.h"
#include "support/fxt_parser.h"
#include "support/tape.h"
#include "core/cut.h"
#include "support/trail_bytes.h"

#define S UINT64_C(1000000000)
#define NOBODYS 4000000000u /* a kind that nobody knows */

/* What came out. */
struct heard {
	unsigned notes;
	struct {
		uint32_t kind;
		uint64_t ts, events; /* of the model before it */
		size_t len;
		uint8_t first, last;
	} list[64];
	struct model *model;
};

static void on_note(void *ctx, uint32_t kind, uint64_t ts, const void *data, size_t len)
{
	struct heard *h = ctx;
	const uint8_t *bytes = data;

	CHECK(h->notes < 64);
	const struct model_totals t = model_totals(h->model);
	h->list[h->notes].kind = kind;
	h->list[h->notes].ts = ts;
	h->list[h->notes].events = t.events;
	h->list[h->notes].len = len;
	h->list[h->notes].first = len > 0 ? bytes[0] : 0;
	h->list[h->notes++].last = len > 0 ? bytes[len - 1] : 0;
}

/* Open a recording in memory, indexed. */
static struct trail *opened(const void *data, size_t size)
{
	struct trail *t;

	CHECK_INT(trail_open_bytes(&t, data, size), TRAIL_OK);
	while (trail_index(t, 100))
		continue;
	return t;
}

/* Play it from a key on. */
static struct heard hear(const void *data, size_t size, uint64_t since)
{
	struct heard h = {.model = model_create(NULL)};
	struct trail_sink sink = record_trail_sink(h.model);
	struct trail *t = opened(data, size);
	struct trail_info info;

	sink.note = on_note;
	sink.note_ctx = &h;
	trail_rewind(t, since);
	trail_feed(t, &sink, UINT64_MAX, UINT64_MAX);
	trail_info(t, &info);
	CHECK_INT(info.damaged, 0);
	trail_close(t);
	model_destroy(h.model);
	return h;
}

/* Add a note of a tape. */
static void note(struct tape *tape, uint32_t kind, uint64_t ts, const void *data, size_t len)
{
	trail_write(tape->writer,
	    &(struct trail_event){
		.kind = TRAIL_NOTE, .stream = TRAIL_TARGET, .ts = ts, .id = kind, .data = data, .len = len});
}

/* Notes stand among the events at their time; their kind and length are nobody else's business. */
TEST(among_events)
{
	uint8_t bytes[TRAIL_NOTE_MAX];
	struct tape tape;

	memset(bytes, 7, sizeof(bytes));
	tape_init(&tape, 1u << 20, &(struct trail_about){.name = "made-up"});
	for (unsigned i = 0; i < 20; i++) {
		bytes[0] = (uint8_t)i;
		tape_add(&tape, TRAIL_BEGIN, 0, i * S + 1, RTEV_PHASE_MINOR, 0);
		note(&tape, i % 2 != 0 ? NOBODYS : TRAIL_NOTE_SYSTEM, i * S + 2, bytes,
		    i < 4 ? i : sizeof(bytes));
		tape_add(&tape, TRAIL_END, 0, i * S + 3, RTEV_PHASE_MINOR, 0);
	}
	tape_finish(&tape, 30 * S);
	struct heard h = hear(tape.data, tape.used, 0);
	CHECK_INT(h.notes, 20);
	for (unsigned i = 0; i < 20; i++) {
		CHECK_INT(h.list[i].kind, i % 2 != 0 ? NOBODYS : TRAIL_NOTE_SYSTEM);
		CHECK_INT(h.list[i].ts, i * S + 2);
		CHECK_INT(h.list[i].events, 2 * i + 1);
		CHECK_INT(h.list[i].len, i < 4 ? i : sizeof(bytes));
		CHECK(i == 0 || h.list[i].first == i);
		CHECK(i < 4 || h.list[i].last == 7);
	}
	h = hear(tape.data, tape.used, 18 * S);
	CHECK(h.notes >= 2 && h.notes < 8);
	CHECK_INT(h.list[h.notes - 1].ts, 19 * S + 2);
	tape_fini(&tape);
}

/* The order in which events came: the stream of each, and whether notes came. */
struct order {
	unsigned count;
	unsigned streams[16];
};

static enum rtev_next on_counter(void *ctx, unsigned domain, uint64_t ts, rtev_counter counter, int64_t value)
{
	struct order *o = ctx;

	CHECK(o->count < 16);
	o->streams[o->count++] = domain;
	return RTEV_CONTINUE;
}

static void on_order_note(void *ctx, uint32_t kind, uint64_t ts, const void *data, size_t len)
{
	struct order *o = ctx;

	CHECK(o->count < 16);
	o->streams[o->count++] = TRAIL_TARGET;
}

/* Play the counters and notes of a recording from a key on. */
static struct order play(const struct tape *tape, uint64_t since)
{
	struct order o = {0};
	const struct trail_sink sink = {
	    .calls = {.counter = on_counter}, .ctx = &o, .note = on_order_note, .note_ctx = &o};
	struct trail *t = opened(tape->data, tape->used);

	trail_rewind(t, since);
	trail_feed(t, &sink, UINT64_MAX, UINT64_MAX);
	trail_close(t);
	return o;
}

/* Of one time, the target comes first, then the lower domain. */
TEST(same_time)
{
	static const unsigned expected[] = {TRAIL_TARGET, 0, 1, 5};
	struct tape tape;

	tape_init(&tape, 1 << 16, &(struct trail_about){.name = "made-up"});
	tape_add(&tape, TRAIL_COUNTER, 5, S, RTEV_COUNTER_MINOR_PROMOTED, 1);
	tape_add(&tape, TRAIL_COUNTER, 0, S, RTEV_COUNTER_MINOR_PROMOTED, 1);
	tape_add(&tape, TRAIL_COUNTER, 1, S, RTEV_COUNTER_MINOR_PROMOTED, 1);
	note(&tape, NOBODYS, S, "n", 1);
	tape_finish(&tape, 2 * S);
	const struct order o = play(&tape, 0);
	CHECK_INT(o.count, 4);
	for (unsigned i = 0; i < 4; i++)
		CHECK_INT(o.streams[i], expected[i]);
	tape_fini(&tape);
}

/* Events of the time that is asked for are delivered, also those at the end of a chunk before the one that
 * begins then. */
TEST(same_time_in_two_chunks)
{
	struct tape tape;

	tape_init(&tape, 1 << 16, &(struct trail_about){.name = "made-up"});
	for (unsigned i = 0; i < 3; i++) {
		tape_add(&tape, TRAIL_COUNTER, 0, (2 * i + 1) * S, RTEV_COUNTER_MINOR_PROMOTED, 1);
		tape_add(&tape, TRAIL_COUNTER, 0, (2 * i + 3) * S, RTEV_COUNTER_MINOR_PROMOTED, 1);
		trail_writer_flush(tape.writer);
	}
	tape_finish(&tape, 9 * S);
	CHECK_INT(play(&tape, 0).count, 6);
	CHECK_INT(play(&tape, 3 * S).count, 6);
	CHECK_INT(play(&tape, 5 * S).count, 4);
	CHECK_INT(play(&tape, 5 * S + 1).count, 2);
	tape_fini(&tape);
}

/* A stream that never had a stamp is put where the recording ends, and doesn't make it begin at 0. */
TEST(without_stamp)
{
	struct trail_info info;
	struct tape tape;

	tape_init(&tape, 1 << 16, &(struct trail_about){.name = "made-up"});
	tape_add(&tape, TRAIL_COUNTER, 0, 5 * S, RTEV_COUNTER_MINOR_PROMOTED, 1);
	tape_add(&tape, TRAIL_LOST, 1, 0, 0, 7);
	tape_add(&tape, TRAIL_COUNTER, 0, 6 * S, RTEV_COUNTER_MINOR_PROMOTED, 1);
	tape_finish(&tape, 7 * S);
	struct trail *t = opened(tape.data, tape.used);
	trail_info(t, &info);
	CHECK_INT(info.events, 3);
	CHECK_INT(info.start, 5 * S);
	trail_close(t);
	tape_fini(&tape);
}

/* A header that is cut off anywhere is none. */
TEST(short_header)
{
	static const uint8_t about[6 * 8 + 3] = {TRAIL_VERSION};

	for (size_t len = 0; len <= sizeof(about); len++) {
		struct tape tape;
		struct trail *t = NULL;

		tape_init(&tape, 1 << 16, NULL);
		tape_blob(&tape, TRAIL_BLOB_ABOUT, about, len);
		tape_finish(&tape, S);
		CHECK_INT(
		    trail_open_bytes(&t, tape.data, tape.used), len < sizeof(about) ? TRAIL_FAULT : TRAIL_OK);
		trail_close(t);
		tape_fini(&tape);
	}
}

/* A label that this program does not know ends the trail; an event before it that uses its code is damage,
 * not an event of some other name. */
TEST(unknown_label)
{
	static const uint8_t about[6 * 8 + 3] = {TRAIL_VERSION},
					   label[] = {0, 0, 0, 0, TRAIL_LABEL_PHASE, 'n', 'o', 'n', 'e'};
	uint8_t bytes[TRAIL_HEADER + 2 * VARINT_SLACK], *p = cut_put_fixed(bytes, 0, 4);
	struct model *m = model_create(NULL);
	struct trail_sink sink = record_trail_sink(m);
	struct trail_info info;
	struct tape tape;

	p = cut_put_fixed(cut_put_fixed(p, 1, 4), S, 8);
	p = cut_put_fixed(cut_put_fixed(p, S, 8), S, 8);
	p = varint_put(varint_put(p, 0), TRAIL_CODES_OWN);
	tape_init(&tape, 1 << 16, NULL);
	tape_blob(&tape, TRAIL_BLOB_ABOUT, about, sizeof(about));
	tape_blob(&tape, TRAIL_BLOB_EVENTS, bytes, (size_t)(p - bytes));
	tape_blob(&tape, TRAIL_BLOB_LABEL, label, sizeof(label));
	tape_finish(&tape, 2 * S);
	struct trail *t = opened(tape.data, tape.used);
	trail_rewind(t, 0);
	trail_feed(t, &sink, UINT64_MAX, UINT64_MAX);
	trail_info(t, &info);
	CHECK_STR(info.fault, "an event that this version does not know");
	CHECK_INT(info.damaged, 1);
	const struct model_totals totals = model_totals(m);
	CHECK_INT(totals.events, 0);
	trail_close(t);
	model_destroy(m);
	tape_fini(&tape);
}

/* A note longer than the rest of its chunk is damage, not more. */
TEST(note_too_long)
{
	uint8_t bytes[64], *p = cut_put_fixed(bytes, TRAIL_TARGET, 4);
	struct trail_info info;
	struct tape tape;

	p = cut_put_fixed(cut_put_fixed(p, 1, 4), 5, 8);
	p = cut_put_fixed(cut_put_fixed(p, 5, 8), 5, 8);
	p = varint_put(varint_put(p, 0), TRAIL_NOTE);
	p = varint_put(varint_put(p, TRAIL_NOTE_SYSTEM), 4);
	memcpy(p, "abc", 3);
	tape_init(&tape, 1u << 20, &(struct trail_about){.name = "made-up"});
	tape_blob(&tape, TRAIL_BLOB_EVENTS, bytes, (size_t)(p + 3 - bytes));
	tape_finish(&tape, 10);
	struct heard h = {.model = model_create(NULL)};
	struct trail_sink sink = record_trail_sink(h.model);
	struct trail *t = opened(tape.data, tape.used);
	sink.note = on_note;
	sink.note_ctx = &h;
	trail_rewind(t, 0);
	trail_feed(t, &sink, UINT64_MAX, UINT64_MAX);
	trail_info(t, &info);
	CHECK_INT(info.damaged, 1);
	CHECK_INT(h.notes, 0);
	trail_close(t);
	model_destroy(h.model);
	tape_fini(&tape);
}

/* ---- of a recording, and of the flight recorder ---- */

static void target(void *ctx, struct recording_target *out)
{
	*out = (struct recording_target){.pid = 77, .name = "name", .live = true};
}

/* Some events up to a stamp. */
static uint64_t events(struct feed *f, unsigned count, uint64_t ts)
{
	for (unsigned i = 0; i < count; i++)
		f->cb.counter(f->m, 0, ts += 1000, RTEV_COUNTER_MINOR_PROMOTED, (int64_t)i);
	return ts;
}

/* A note from before the first event of a recording comes first. */
TEST(of_recording)
{
	struct feed f = feed_open(1);
	char path[64];
	snprintf(path, sizeof(path), "notes.%ld.tmp", (long)getpid());
	const struct recording_options options = {.file.fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600),
	    .source.target = target,
	    .model = f.m,
	    .buffers = 2};
	struct recording *r;
	size_t size;

	CHECK_INT(recording_create(&r, &options), 0);
	uint64_t now = recording_look(r).begun + S;
	recording_note(r, TRAIL_NOTE_SYSTEM, now, "early", 5);
	CHECK(recording_step(r, now));
	uint64_t last = events(&f, 10, now);
	recording_note(r, TRAIL_NOTE_SYSTEM, last + 1, "note", 4);
	CHECK(recording_step(r, now + S));
	recording_end(r, events(&f, 400000, last));
	CHECK_INT(recording_close(r).status, RTEV_OK);
	unsigned char *data = bytes_of_file(path, &size);
	CHECK(data != NULL);
	unlink(path);
	struct heard h = hear(data, size, 0);
	CHECK_INT(h.notes, 2);
	CHECK_INT(h.list[0].len, 5);
	CHECK_INT(h.list[1].len, 4);
	CHECK_INT(h.list[1].events, 10);
	free(data);
	feed_close(&f);
}

static void on_file(void *ctx, const struct flight_file *file)
{
	*(struct flight_file *)ctx = *file;
}

/* The flight recorder's files have the notes of their time. */
TEST(of_flight)
{
	struct feed f = feed_open(1);
	struct flight_file file = {.error = -1};
	const struct flight_options options = {.model = f.m,
	    .source.target = target,
	    .pause_ns = S / 100,
	    .where = "notes-%p.fxt",
	    .report = on_file,
	    .ctx = &file};
	struct flight *flight = flight_create(&options);
	size_t size;

	CHECK(flight != NULL);
	for (unsigned i = 1; i < 40; i++) {
		f.cb.counter(f.m, 0, i * S, RTEV_COUNTER_MINOR_PROMOTED, 1);
		flight_note(flight, TRAIL_NOTE_SYSTEM, i * S + 1, &(uint8_t){(uint8_t)i}, 1);
		if (i == 20)
			span(&f, 0, i * S + 2, i * S + S / 2, MAJOR);
		for (int k = 0; k < 100 && flight_step(flight, i * S + S / 2, i * S + S / 2); k++)
			continue;
	}
	flight_end(flight, 40 * S);
	flight_finish(flight);
	CHECK_INT(file.error, 0);
	unsigned char *data = bytes_of_file(file.path, &size);
	CHECK(data != NULL);
	unlink(file.path);
	struct heard h = hear(data, size, 0);
	/* the heaps of the begin; then from five seconds before the pause to one after it */
	CHECK_INT(h.notes, 7);
	CHECK_INT(h.list[0].kind, TRAIL_NOTE_HEAPS);
	for (unsigned i = 1; i < h.notes; i++)
		CHECK_INT(h.list[i].first, 15 + i);
	free(data);
	flight_destroy(flight);
	feed_close(&f);
}
