/*
 * bench_cursor.c - what it costs to decode a full ring of 64 Ki words with every callback set, beside a
 * memcpy of the same words.  The mixture is that of a busy program: mostly begins and ends, some counters and
 * user events.
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

/* Time one mixture. */
static void mixture(const char *name, unsigned user)
{
	static double decode[ROUNDS], scan[ROUNDS], plain[ROUNDS];
	uint64_t events = fill(user), consumed = 0;
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

/* Run the mixtures. */
int main(void)
{
	mixture("phases", 0);
	mixture("mixed", 8);
	mixture("user", 16);
	return seen == 42;
}
