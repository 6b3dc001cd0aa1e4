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

#include "core/event.h"
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

/* Add a piece to the text. */
__attribute__((format(printf, 4, 5))) static inline size_t collect_add(
    char *text, size_t used, size_t room, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	used += (size_t)vsnprintf(text + used, room - used, format, args);
	va_end(args);
	CHECK(used < room);
	return used;
}

/* What an event carries, as text. */
static inline void collect_content(const struct rtev_event *e, char *text, size_t room)
{
	const unsigned char *bytes = e->data;
	const uint64_t *buckets = e->data;
	size_t used = 0;

	text[0] = '\0';
	switch (e->kind) {
	case EVENT_LIFECYCLE:
		if (e->value == getpid()) {
			collect_add(text, used, room, " PID");
			break;
		}
		/* fallthrough */
	case EVENT_COUNTER:
	case EVENT_INT:
	case EVENT_LOST:
	case EVENT_CORRUPT:
		collect_add(text, used, room, " %" PRId64, e->value);
		break;
	case EVENT_ALLOC:
		for (int i = 0; i < RTEV_ALLOC_BUCKETS; i++)
			used = collect_add(text, used, room, "%s%" PRIu64, i == 0 ? " " : ",", buckets[i]);
		break;
	case EVENT_CUSTOM:
		CHECK(e->len <= RTEV_CUSTOM_BYTES_MAX);
		used = collect_add(text, used, room, " ");
		for (size_t i = 0; i < e->len; i++)
			used = collect_add(text, used, room, "%02x", bytes[i]);
		break;
	default:
		break;
	}
}

/* Keep an event. */
static inline enum rtev_next collect_event(void *ctx, const struct rtev_event *e)
{
	char text[2 * RTEV_CUSTOM_BYTES_MAX + RTEV_ALLOC_BUCKETS * 21 + 2], buf[RTEV_NAME_SIZE];
	struct collect *c = ctx;

	if (e->kind == EVENT_RESTART)
		return RTEV_CONTINUE;
	if (event_stamped(e->kind))
		collect_stamp(c, e->domain, e->ts);
	c->lost += e->kind == EVENT_LOST ? (uint64_t)e->value : 0;
	c->corrupt += e->kind == EVENT_CORRUPT ? (uint64_t)e->value : 0;
	collect_content(e, text, sizeof(text));
	const char *name = event_name(e, buf);
	bool named = e->kind != EVENT_ALLOC && event_stamped(e->kind);
	collect_line(c, "%u %s%s%s%s", e->domain, event_word(e->kind), named ? " " : "", name, text);
	return RTEV_CONTINUE;
}

/* Read all that a cursor has; the text stays valid until the next call for the same collect. */
static inline const char *collect_poll(struct collect *c, struct rtev_cursor *cursor)
{
	struct event_sink sink = {.take = collect_event, .ctx = c};

	c->used = 0;
	if (c->text != NULL)
		c->text[0] = '\0';
	CHECK_INT(rtev_cursor_poll(cursor, &event_sink_calls, &sink, 0, NULL), RTEV_OK);
	return c->text != NULL ? c->text : "";
}

#endif
