/*
 * collect.h - read a ring with a cursor and keep what was delivered as lines of text, for tests to compare.
 *
 * A line is "DOMAIN what ...": "0 begin minor", "1 counter minor_promoted 16", "0 lifecycle ring_start PID",
 * "0 alloc 0,1,...", "0 unit NAME", "0 int NAME VALUE", "0 span_begin NAME", "0 custom NAME hex",
 * "0 lost WORDS".  The calling process's pid is written as PID.
 */
#ifndef RING_COLLECT_H
#define RING_COLLECT_H

#include <inttypes.h>
#include <stdarg.h>
#include <stdint.h>
#include <unistd.h>

#include "rtev/cursor.h"
#include "support/test.h"

struct collect {
	char *text;
	size_t used, room;
	uint64_t last_ts[64];
	uint64_t events, lost, corrupt;
};

/* Append a line. */
__attribute__((format(printf, 2, 3))) static inline void collect_line(
    struct collect *c, const char *format, ...)
{
	va_list args;

	if (c->room - c->used < 4096) {
		c->room = 2 * c->room + 8192;
		c->text = realloc(c->text, c->room);
		CHECK(c->text != NULL);
	}
	va_start(args, format);
	c->used += (size_t)vsnprintf(c->text + c->used, c->room - c->used, format, args);
	va_end(args);
	c->text[c->used++] = '\n';
	c->text[c->used] = '\0';
}

/* Check what holds for every event. */
static inline void collect_stamp(struct collect *c, unsigned domain, uint64_t ts)
{
	c->events++;
	if (domain < 64) {
		CHECK(ts >= c->last_ts[domain]);
		c->last_ts[domain] = ts;
	}
}

static inline enum rtev_next collect_begin(void *ctx, unsigned domain, uint64_t ts, rtev_phase phase)
{
	char name[RTEV_NAME_SIZE];
	collect_stamp(ctx, domain, ts);
	collect_line(ctx, "%u begin %s", domain, rtev_phase_name(phase, name));
	return RTEV_CONTINUE;
}

static inline enum rtev_next collect_end(void *ctx, unsigned domain, uint64_t ts, rtev_phase phase)
{
	char name[RTEV_NAME_SIZE];
	collect_stamp(ctx, domain, ts);
	collect_line(ctx, "%u end %s", domain, rtev_phase_name(phase, name));
	return RTEV_CONTINUE;
}

static inline enum rtev_next collect_counter(
    void *ctx, unsigned domain, uint64_t ts, rtev_counter counter, int64_t value)
{
	char name[RTEV_NAME_SIZE];
	collect_stamp(ctx, domain, ts);
	collect_line(ctx, "%u counter %s %" PRId64, domain, rtev_counter_name(counter, name), value);
	return RTEV_CONTINUE;
}

static inline enum rtev_next collect_alloc(void *ctx, unsigned domain, uint64_t ts, const uint64_t *buckets)
{
	char text[RTEV_ALLOC_BUCKETS * 21 + 1];
	size_t used = 0;
	collect_stamp(ctx, domain, ts);
	for (int i = 0; i < RTEV_ALLOC_BUCKETS; i++)
		used += (size_t)snprintf(
		    text + used, sizeof(text) - used, "%s%" PRIu64, i == 0 ? "" : ",", buckets[i]);
	collect_line(ctx, "%u alloc %s", domain, text);
	return RTEV_CONTINUE;
}

static inline enum rtev_next collect_lifecycle(
    void *ctx, unsigned domain, uint64_t ts, rtev_lifecycle event, int64_t data)
{
	char name[RTEV_NAME_SIZE], number[32];
	collect_stamp(ctx, domain, ts);
	snprintf(number, sizeof(number), "%" PRId64, data);
	collect_line(ctx, "%u lifecycle %s %s", domain, rtev_lifecycle_name(event, name),
	    data == getpid() ? "PID" : number);
	return RTEV_CONTINUE;
}

static inline enum rtev_next collect_unit(
    void *ctx, unsigned domain, uint64_t ts, const struct rtev_user_event *event)
{
	collect_stamp(ctx, domain, ts);
	collect_line(ctx, "%u unit %s", domain, event->name);
	return RTEV_CONTINUE;
}

static inline enum rtev_next collect_int(
    void *ctx, unsigned domain, uint64_t ts, const struct rtev_user_event *event, int64_t value)
{
	collect_stamp(ctx, domain, ts);
	collect_line(ctx, "%u int %s %" PRId64, domain, event->name, value);
	return RTEV_CONTINUE;
}

static inline enum rtev_next collect_span(
    void *ctx, unsigned domain, uint64_t ts, const struct rtev_user_event *event, bool begin)
{
	collect_stamp(ctx, domain, ts);
	collect_line(ctx, "%u span_%s %s", domain, begin ? "begin" : "end", event->name);
	return RTEV_CONTINUE;
}

static inline enum rtev_next collect_custom(void *ctx, unsigned domain, uint64_t ts,
    const struct rtev_user_event *event, const void *data, size_t len)
{
	char hex[2 * RTEV_CUSTOM_BYTES_MAX + 1] = "";
	collect_stamp(ctx, domain, ts);
	CHECK(len <= RTEV_CUSTOM_BYTES_MAX);
	for (size_t i = 0; i < len; i++)
		snprintf(hex + 2 * i, 3, "%02x", ((const unsigned char *)data)[i]);
	collect_line(ctx, "%u custom %s %s", domain, event->name, hex);
	return RTEV_CONTINUE;
}

static inline enum rtev_next collect_lost(void *ctx, unsigned domain, uint64_t words, uint64_t history)
{
	struct collect *c = ctx;
	(void)history;
	c->lost += words;
	collect_line(c, "%u lost %" PRIu64, domain, words);
	return RTEV_CONTINUE;
}

static inline enum rtev_next collect_corrupt(void *ctx, unsigned domain, uint64_t words)
{
	struct collect *c = ctx;
	c->corrupt += words;
	collect_line(c, "%u corrupt %" PRIu64, domain, words);
	return RTEV_CONTINUE;
}

/* The callbacks; ctx is a struct collect. */
static const struct rtev_callbacks collect_callbacks = {
    .size = sizeof(collect_callbacks),
    .begin = collect_begin,
    .end = collect_end,
    .counter = collect_counter,
    .alloc = collect_alloc,
    .lifecycle = collect_lifecycle,
    .user_unit = collect_unit,
    .user_int = collect_int,
    .user_span = collect_span,
    .user_custom = collect_custom,
    .lost = collect_lost,
    .corrupt = collect_corrupt,
};

/* Read all that a cursor has; the text stays valid until the next call for the same collect. */
static inline const char *collect_poll(struct collect *c, struct rtev_cursor *cursor)
{
	c->used = 0;
	if (c->text != NULL)
		c->text[0] = '\0';
	CHECK_INT(rtev_cursor_poll(cursor, &collect_callbacks, c, 0, NULL), RTEV_OK);
	return c->text != NULL ? c->text : "";
}

#endif
