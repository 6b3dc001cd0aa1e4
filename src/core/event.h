/*
 * event.h - the kinds of events, as one list from which other rooms derive theirs, and a sink that takes all
 * events through one function instead of a table of callbacks.
 */
#pragma once

#include "core/std.h"
#include "rtev/cursor.h"

/* X(NAME): what an event's id refers to. */
#define EVENT_LABELS(X)                                                                                      \
	X(PHASE)                                                                                             \
	X(COUNTER)                                                                                           \
	X(LIFECYCLE)                                                                                         \
	X(UNIT) /* user events, from here on */                                                              \
	X(INT)                                                                                               \
	X(SPAN)                                                                                              \
	X(CUSTOM)

/* X(NAME, word, label, has a stamp), in the order of struct rtev_callbacks, except that a span's begin and
 * end are two kinds.  The label is one of the list above or NONE.  Trails store the numbers: rows are never
 * reordered. */
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
	uint64_t ts;	  /* 0 if the kind has no stamp */
	uint16_t id;	  /* phase, counter, lifecycle event or user event */
	int64_t value;	  /* counter; int; a lifecycle event's data; words lost or corrupt */
	uint64_t history; /* of the lost words, those from before the attach */
	const struct rtev_user_event *user; /* NULL unless it is a user event */
	const void *data;		    /* a custom event's payload, or an alloc event's buckets */
	size_t len;			    /* of `data`, in bytes */
};

/* The kind in one word, and whether events of it have a stamp. */
const char *event_word(enum event_kind kind);
bool event_stamped(enum event_kind kind);

/* Return the class of a phase without a call, for code that runs with each event; rtev_phase_class elsewhere. */
static inline enum rtev_phase_class phase_class(rtev_phase phase)
{
	static const uint8_t classes[RTEV_PHASE_COUNT] = {
#define PHASE_CLASS(name, text, class, brief, c50, c52, c53, c54, cox) RTEV_CLASS_##class,
	    RTEV_PHASES(PHASE_CLASS)
#undef PHASE_CLASS
	};

	return phase < RTEV_PHASE_COUNT ? (enum rtev_phase_class)classes[phase] : RTEV_CLASS_UNKNOWN;
}

/* The short name of a phase, for narrow places; NULL if the phase has none.  Static storage. */
const char *phase_brief(rtev_phase phase);

/* Copy a text to `out` and replace each word that is a phase's name by its short name.  Returns `out`. */
const char *phase_brief_words(const char *text, char *out, size_t size);

/* A function that takes all events.  Poll with event_sink_calls and a pointer to the sink as context. */
struct event_sink {
	enum rtev_next (*take)(void *ctx, const struct rtev_event *event);
	void *ctx;
};
extern const struct rtev_callbacks event_sink_calls;

/* Pass one event to its function in a table of callbacks.  A NULL member ignores the event. */
static inline enum rtev_next event_deliver(
    const struct rtev_event *e, const struct rtev_callbacks *calls, void *ctx)
{
#define DELIVER(call, arguments) return calls->call != NULL ? calls->call arguments : RTEV_CONTINUE
	switch (e->kind) {
	case EVENT_BEGIN:
		DELIVER(begin, (ctx, e->domain, e->ts, e->id));
	case EVENT_END:
		DELIVER(end, (ctx, e->domain, e->ts, e->id));
	case EVENT_COUNTER:
		DELIVER(counter, (ctx, e->domain, e->ts, e->id, e->value));
	case EVENT_ALLOC:
		DELIVER(alloc, (ctx, e->domain, e->ts, e->data));
	case EVENT_LIFECYCLE:
		DELIVER(lifecycle, (ctx, e->domain, e->ts, e->id, e->value));
	case EVENT_UNIT:
		DELIVER(user_unit, (ctx, e->domain, e->ts, e->user));
	case EVENT_INT:
		DELIVER(user_int, (ctx, e->domain, e->ts, e->user, e->value));
	case EVENT_SPAN_BEGIN:
	case EVENT_SPAN_END:
		DELIVER(user_span, (ctx, e->domain, e->ts, e->user, e->kind == EVENT_SPAN_BEGIN));
	case EVENT_CUSTOM:
		DELIVER(user_custom, (ctx, e->domain, e->ts, e->user, e->data, e->len));
	case EVENT_LOST:
		DELIVER(lost, (ctx, e->domain, (uint64_t)e->value, e->history));
	case EVENT_CORRUPT:
		DELIVER(corrupt, (ctx, e->domain, (uint64_t)e->value));
	case EVENT_RESTART:
		DELIVER(restart, (ctx, e->domain));
	default:
		return RTEV_CONTINUE;
	}
#undef DELIVER
}
