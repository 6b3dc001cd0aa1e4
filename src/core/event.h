/*
 * event.h - what an event is: the one list of kinds, from which others derive theirs, and a struct of an event for who
 * takes them all by one function rather than by a table of callbacks.
 */
#ifndef CORE_EVENT_H
#define CORE_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rtev/cursor.h"

/* X(NAME): what the id of an event is a number of. */
#define EVENT_LABELS(X)                                                                                      \
	X(PHASE)                                                                                             \
	X(COUNTER)                                                                                           \
	X(LIFECYCLE)                                                                                         \
	X(UNIT) /* user events, from here on */                                                              \
	X(INT)                                                                                               \
	X(SPAN)                                                                                              \
	X(CUSTOM)

/* X(NAME, word, label, whether it has a stamp), in the order of struct rtev_callbacks but that a span's begin and end are two.  A kind
 * has a label of the list above or NONE.  Trails keep the numbers: a new kind goes to the end of the trail's list. */
#define EVENT_KINDS(X)                                                                                       \
	X(BEGIN, "begin", PHASE, true)                                                                       \
	X(END, "end", PHASE, true)                                                                           \
	X(COUNTER, "counter", COUNTER, true)                                                                 \
	X(ALLOC, "alloc", NONE, true)                                                                        \
	X(LIFECYCLE, "lifecycle", LIFECYCLE, true)                                                           \
	X(UNIT, "unit", UNIT, true)                                                                          \
	X(INT, "int", INT, true)                                                                             \
	X(SPAN_BEGIN, "span_begin", SPAN, true)                                                              \
	X(SPAN_END, "span_end", SPAN, true)                                                                  \
	X(CUSTOM, "custom", CUSTOM, true)                                                                    \
	X(LOST, "lost", NONE, false)                                                                         \
	X(CORRUPT, "corrupt", NONE, false)                                                                   \
	X(RESTART, "restart", NONE, false)

enum event_kind {
#define EVENT_KIND(name, word, label, stamped) EVENT_##name,
	EVENT_KINDS(EVENT_KIND)
#undef EVENT_KIND
	    EVENT_KIND_COUNT
};

struct rtev_event {
	enum event_kind kind;
	unsigned domain;
	uint64_t ts;	  /* 0 where the kind has none */
	uint16_t id;	  /* phase, counter, lifecycle event, user event */
	int64_t value;	  /* counter, int; a lifecycle event's data; how many words are lost or corrupt */
	uint64_t history; /* of the lost words those before the attach */
	const struct rtev_user_event *user; /* NULL but for user events */
	const void *data;		    /* payload of a custom event, or the buckets of an alloc event, */
	size_t len;			    /* in bytes */
};

/* The kind as one word, and whether it has a stamp. */
const char *event_word(enum event_kind kind);
bool event_stamped(enum event_kind kind);

/* The name of a phase, counter, lifecycle event or user event, which is foreign; in `buf` where it is not kept elsewhere.  "" for kinds
 * without a label. */
static inline const char *event_name(const struct rtev_event *event, char buf[RTEV_NAME_SIZE])
{
	if (event->user != NULL)
		return event->user->name;
	switch (event->kind) {
	case EVENT_BEGIN:
	case EVENT_END:
		return rtev_phase_name(event->id, buf);
	case EVENT_COUNTER:
		return rtev_counter_name(event->id, buf);
	case EVENT_LIFECYCLE:
		return rtev_lifecycle_name(event->id, buf);
	default:
		return "";
	}
}

/* Who takes events by one function.  These are the callbacks, and the sink is their context. */
struct event_sink {
	enum rtev_next (*take)(void *ctx, const struct rtev_event *event);
	void *ctx;
};
extern const struct rtev_callbacks event_sink_calls;

#endif
