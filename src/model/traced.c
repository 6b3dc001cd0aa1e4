/*
 * traced.c - events that a program writes through the library ocaml-trace: its spans and values become user
 * events under their own names.  Its messages stay custom events.
 *
 * A name proves nothing: an event with another payload is a custom event of the program.
 */
#include "model/state.h"

/* A program may make up names as it runs, so they must leave room for other user events. */
#define TRACED_SLOTS_MAX (MODEL_USER_SLOTS_MAX / 2)

enum traced { SPAN_ENTER, SPAN_EXIT, METRIC_INT, METRIC_FLOAT };

static const struct {
	const char *name;
	enum model_user_kind kind;
	size_t value; /* bytes before the text in a payload */
} rows[] = {
    [SPAN_ENTER] = {"trace.span.enter", MODEL_USER_SPAN, 0},
    [SPAN_EXIT] = {"trace.span.exit", MODEL_USER_SPAN, 0},
    [METRIC_INT] = {"trace.metric.int", MODEL_USER_INT, 8},
    [METRIC_FLOAT] = {"trace.metric.float", MODEL_USER_CUSTOM, 8},
};
enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

static unsigned row_of(const struct rtev_user_event *event)
{
	unsigned row = 0;

	while (row < ROWS && (strlen(rows[row].name) != event->name_len ||
				 memcmp(rows[row].name, event->name, event->name_len) != 0))
		row++;
	return row;
}

bool user_take_traced(struct model *m, unsigned domain, uint64_t ts, const struct rtev_user_event *event,
    const void *data, size_t len)
{
	const unsigned row = row_of(event);
	/* The event has no ring id of its own, so it is looked up by name. */
	struct rtev_user_event named = {.id = RTEV_USER_EVENTS_MAX};
	uint64_t bits = 0;
	char number[32];
	double value;

	if (row == ROWS || len <= rows[row].value)
		return false;
	const char *text = (const char *)data + rows[row].value;
	len -= rows[row].value;
	named.name_len = (uint16_t)strnlen(text, len < RTEV_USER_NAME_SIZE ? len : RTEV_USER_NAME_SIZE - 1);
	memcpy(named.name, text, named.name_len);
	if (named.name_len == 0)
		return false;
	if (m->user_slot_count >= TRACED_SLOTS_MAX && !user_slot_made(m, &named, rows[row].kind))
		return false;
	for (unsigned i = 0; i < rows[row].value; i++)
		bits |= (uint64_t)((const uint8_t *)data)[i] << (8 * i);
	switch ((enum traced)row) {
	case SPAN_ENTER:
	case SPAN_EXIT:
		user_take_span(m, domain, ts, &named, row == SPAN_ENTER);
		break;
	case METRIC_INT:
		user_take_int(m, domain, ts, &named, (int64_t)bits);
		break;
	case METRIC_FLOAT:
		memcpy(&value, &bits, sizeof(value));
		snprintf(number, sizeof(number), "%.9g", value);
		user_count_custom(m, domain, ts, &named, number, strlen(number));
		break;
	}
	return true;
}
