/*
 * bench_cursor.c - what it costs to decode a full ring of 64 Ki words with every callback set, beside a
 * memcpy of the same words.
 *
 * "phases", "mixed", "user": begins and ends that never prove a release, some counters, and user events.
 * "minors": the minor collections of OCaml 5.3.  Ring files named by arguments are read through a new mapping
 * each time: "cold" is both passes together with its page faults; "calls" is one call of a callback for each
 * event, without a ring.
 */
#include <stdatomic.h>

#include "bench.h"
#include "ring/layout.h"
#include "rtev/cursor.h"

#define WORDS 65536u
#define ROUNDS 101

struct image {
	struct ring_metadata metadata;
	struct ring_header header;
	uint64_t words[WORDS];
	char names[RTEV_USER_EVENTS_MAX][RTEV_USER_NAME_SIZE];
};

static struct image image;
static uint64_t copy[WORDS];
static uint64_t seen;

/* The callbacks do as little as a callback can that must not be optimised away. */
static enum rtev_next on_phase(void *ctx, unsigned domain, uint64_t ts, rtev_phase phase)
{
	*(uint64_t *)ctx += ts ^ phase ^ domain;
	return RTEV_CONTINUE;
}

static enum rtev_next on_counter(void *ctx, unsigned domain, uint64_t ts, rtev_counter counter, int64_t value)
{
	*(uint64_t *)ctx += ts ^ counter ^ domain ^ (uint64_t)value;
	return RTEV_CONTINUE;
}

static enum rtev_next on_alloc(void *ctx, unsigned domain, uint64_t ts, const uint64_t *buckets)
{
	*(uint64_t *)ctx += ts ^ domain ^ buckets[1];
	return RTEV_CONTINUE;
}

static enum rtev_next on_lifecycle(
    void *ctx, unsigned domain, uint64_t ts, rtev_lifecycle event, int64_t data)
{
	*(uint64_t *)ctx += ts ^ event ^ domain ^ (uint64_t)data;
	return RTEV_CONTINUE;
}

static enum rtev_next on_unit(void *ctx, unsigned domain, uint64_t ts, const struct rtev_user_event *event)
{
	*(uint64_t *)ctx += ts ^ event->id ^ domain;
	return RTEV_CONTINUE;
}

static enum rtev_next on_int(
    void *ctx, unsigned domain, uint64_t ts, const struct rtev_user_event *event, int64_t value)
{
	*(uint64_t *)ctx += ts ^ event->id ^ domain ^ (uint64_t)value;
	return RTEV_CONTINUE;
}

static enum rtev_next on_span(
    void *ctx, unsigned domain, uint64_t ts, const struct rtev_user_event *event, bool begin)
{
	*(uint64_t *)ctx += ts ^ event->id ^ domain ^ begin;
	return RTEV_CONTINUE;
}

static enum rtev_next on_custom(void *ctx, unsigned domain, uint64_t ts, const struct rtev_user_event *event,
    const void *data, size_t len)
{
	*(uint64_t *)ctx += ts ^ event->id ^ domain ^ len ^ *(const unsigned char *)data;
	return RTEV_CONTINUE;
}

static enum rtev_next on_lost(void *ctx, unsigned domain, uint64_t words, uint64_t history)
{
	*(uint64_t *)ctx += words ^ history ^ domain;
	return RTEV_CONTINUE;
}

/* Fill the ring: `user` of each 16 records are user events, two are counters. */
static uint64_t fill(unsigned user)
{
	uint64_t at = 0, events = 0, ts = 1000;

	image.metadata = (struct ring_metadata){.version = 1,
	    .max_domains = 1,
	    .ring_header_bytes = sizeof(struct ring_header),
	    .ring_bytes = sizeof(image.words),
	    .ring_words = WORDS,
	    .headers_offset = offsetof(struct image, header),
	    .data_offset = offsetof(struct image, words),
	    .names_offset = offsetof(struct image, names)};
	while (at + 4 <= WORDS) {
		unsigned kind = (unsigned)(events % 16);
		image.words[at + 1] = ts += 100;
		if (kind < user) {
			image.words[at] =
			    header_make(2, kind & 1 ? RECORD_USER_SPAN_END : RECORD_USER_SPAN_BEGIN, 3);
			at += 2;
		} else if (kind < user + 2) {
			image.words[at] = header_make(3, RECORD_COUNTER, 4 + (kind & 1));
			image.words[at + 2] = ts;
			at += 3;
		} else {
			image.words[at] = header_make(2, kind & 1 ? RECORD_END : RECORD_BEGIN, 11 + kind / 2);
			at += 2;
		}
		events++;
	}
	atomic_store(&image.header.tail, at);
	return events;
}

static const struct rtev_callbacks calls = {.size = sizeof(calls),
    .begin = on_phase,
    .end = on_phase,
    .counter = on_counter,
    .alloc = on_alloc,
    .lifecycle = on_lifecycle,
    .user_unit = on_unit,
    .user_int = on_int,
    .user_span = on_span,
    .user_custom = on_custom,
    .lost = on_lost};

/* Append a record to the ring. */
static uint64_t put(uint64_t at, uint64_t *ts, enum record_type type, unsigned id)
{
	uint32_t length = type == RECORD_COUNTER ? 3 : 2;

	image.words[at] = header_make(length, type, id);
	image.words[at + 1] = *ts += 100;
	image.words[at + 2] = *ts;
	return at + length;
}

/* Fill the ring with minor collections, a request around each; returns the number of events. */
static uint64_t fill_minors(void)
{
	static const rtev_phase inside[] = {RTEV_PHASE_MINOR_REMEMBERED_SET, RTEV_PHASE_MINOR_LOCAL_ROOTS,
	    RTEV_PHASE_MINOR_FINALIZED, RTEV_PHASE_MINOR_MEMPROF_CLEAN};
	uint64_t at = 0, events = 0, ts = 1000;
#define PHASE(type, phase) put(at, &ts, type, (unsigned)rtev_phase_to_id(RTEV_RELEASE_5_3, phase))

	while (at + 64 <= WORDS) {
		at = put(at, &ts, RECORD_USER_SPAN_BEGIN, 3);
		at = PHASE(RECORD_BEGIN, RTEV_PHASE_STW_LEADER);
		at = PHASE(RECORD_BEGIN, RTEV_PHASE_MINOR);
		for (unsigned i = 0; i < sizeof(inside) / sizeof(inside[0]); i++) {
			at = PHASE(RECORD_BEGIN, inside[i]);
			at = PHASE(RECORD_END, inside[i]);
		}
		at = put(at, &ts, RECORD_COUNTER, 4);
		at = put(at, &ts, RECORD_COUNTER, 5);
		at = PHASE(RECORD_END, RTEV_PHASE_MINOR);
		at = PHASE(RECORD_END, RTEV_PHASE_STW_LEADER);
		at = put(at, &ts, RECORD_USER_SPAN_END, 3);
		events += 16;
	}
#undef PHASE
	atomic_store(&image.header.tail, at);
	return events;
}

/* Time what the ring holds. */
static void mixture(const char *name, uint64_t events)
{
	static double decode[ROUNDS], scan[ROUNDS], plain[ROUNDS];
	uint64_t consumed = 0;
	const struct rtev_cursor_options options = {
	    .size = sizeof(options), .release = RTEV_RELEASE_5_3, .finished = true};

	for (int i = 0; i < ROUNDS; i++) {
		struct rtev_cursor *cursor;
		struct rtev_scan found = {.size = sizeof(found)};
		if (rtev_cursor_open_memory(&cursor, &image, sizeof(image), &options) != RTEV_OK)
			bench_fail("open");
		uint64_t t0 = bench_now();
		memcpy(copy, image.words, sizeof(copy));
		uint64_t t1 = bench_now();
		rtev_cursor_scan(cursor, NULL, NULL, &found);
		uint64_t t2 = bench_now();
		rtev_cursor_poll(cursor, &calls, &seen, 0, &consumed);
		uint64_t t3 = bench_now();
		if (consumed != events)
			bench_fail("events");
		plain[i] = (double)(t1 - t0) / (double)events;
		scan[i] = (double)(t2 - t1) / (double)events;
		decode[i] = (double)(t3 - t2) / (double)events;
		seen += copy[i];
		rtev_cursor_close(cursor);
	}
	double base = bench_median(plain, ROUNDS);
	bench_line(name, "memcpy", base, base);
	bench_line(name, "scan", bench_median(scan, ROUNDS), base);
	bench_line(name, "poll", bench_median(decode, ROUNDS), base);
}

/* What the calls of callbacks alone cost: no poll can take less. */
static double calls_alone(uint64_t count)
{
	enum rtev_next (*volatile const given)(void *, unsigned, uint64_t, rtev_phase) = on_phase;
	enum rtev_next (*const call)(void *, unsigned, uint64_t, rtev_phase) = given;
	uint64_t begin = bench_now();

	for (uint64_t i = 0; i < count; i++)
		if (call(&seen, 1, i, i & 31) != RTEV_CONTINUE)
			break;
	return (double)(bench_now() - begin) / (double)count;
}

/* Time a ring file. */
static void file(const char *path)
{
	static double decode[ROUNDS], scan[ROUNDS], both[ROUNDS], alone[ROUNDS];
	const struct rtev_cursor_options options = {.size = sizeof(options), .finished = true};
	const char *name = strrchr(path, '/');

	name = name != NULL ? name + 1 : path;
	for (int i = 0; i < ROUNDS; i++) {
		struct rtev_cursor *cursor;
		struct rtev_scan found = {.size = sizeof(found)};
		uint64_t consumed = 0;
		if (rtev_cursor_open_path(&cursor, path, &options) != RTEV_OK)
			bench_fail("open");
		uint64_t t0 = bench_now();
		rtev_cursor_scan(cursor, NULL, NULL, &found);
		uint64_t t1 = bench_now();
		rtev_cursor_poll(cursor, &calls, &seen, 0, &consumed);
		uint64_t t2 = bench_now();
		if (consumed == 0)
			bench_fail("events");
		scan[i] = (double)(t1 - t0) / (double)consumed;
		decode[i] = (double)(t2 - t1) / (double)consumed;
		both[i] = scan[i] + decode[i];
		alone[i] = calls_alone(consumed);
		rtev_cursor_close(cursor);
	}
	double base = bench_median(both, ROUNDS);
	bench_line(name, "scan", bench_median(scan, ROUNDS), base);
	bench_line(name, "poll", bench_median(decode, ROUNDS), base);
	bench_line(name, "cold", base, base);
	bench_line(name, "calls", bench_median(alone, ROUNDS), base);
}

/* Run the mixtures, or time the files named. */
int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		file(argv[i]);
	if (argc > 1)
		return 0;
	mixture("phases", fill(0));
	mixture("mixed", fill(8));
	mixture("user", fill(16));
	mixture("minors", fill_minors());
	return seen == 42;
}
