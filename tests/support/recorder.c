/*
 * recorder.c - write down what a cursor delivers.
 */
#include "support/recorder.h"

#include <stdarg.h>

#include "support/test.h"

/* Add to the text. */
__attribute__((format(printf, 2, 3))) static void add(struct recorder *r, const char *format, ...)
{
	va_list args;

	if (r->silent)
		return;
	if (r->room - r->length < 4096) {
		r->room = r->room * 2 + 8192;
		r->text = realloc(r->text, r->room);
		if (r->text == NULL)
			TEST_FAIL("no memory");
	}
	va_start(args, format);
	int n = vsnprintf(r->text + r->length, r->room - r->length, format, args);
	va_end(args);
	if (n < 0 || (size_t)n >= r->room - r->length)
		TEST_FAIL("line too long");
	r->length += (size_t)n;
}

/* Count a call and ask the hook. */
static enum rtev_next called(struct recorder *r, enum call_kind kind, unsigned domain, uint64_t ts)
{
	r->counts[kind]++;
	if (kind < CALL_LOST)
		r->events++;
	return r->hook != NULL ? r->hook(r, kind, domain, ts) : RTEV_CONTINUE;
}

static enum rtev_next on_begin(void *ctx, unsigned domain, uint64_t ts, rtev_phase phase)
{
	char name[RTEV_NAME_SIZE];
	add(ctx, "%u %" PRIu64 " begin %s\n", domain, ts, rtev_phase_name(phase, name));
	return called(ctx, CALL_BEGIN, domain, ts);
}

static enum rtev_next on_end(void *ctx, unsigned domain, uint64_t ts, rtev_phase phase)
{
	char name[RTEV_NAME_SIZE];
	add(ctx, "%u %" PRIu64 " end %s\n", domain, ts, rtev_phase_name(phase, name));
	return called(ctx, CALL_END, domain, ts);
}

static enum rtev_next on_counter(void *ctx, unsigned domain, uint64_t ts, rtev_counter counter, int64_t value)
{
	char name[RTEV_NAME_SIZE];
	add(ctx, "%u %" PRIu64 " counter %s %" PRId64 "\n", domain, ts, rtev_counter_name(counter, name),
	    value);
	return called(ctx, CALL_COUNTER, domain, ts);
}

static enum rtev_next on_alloc(void *ctx, unsigned domain, uint64_t ts, const uint64_t *buckets)
{
	add(ctx, "%u %" PRIu64 " alloc ", domain, ts);
	for (int i = 0; i < RTEV_ALLOC_BUCKETS; i++)
		add(ctx, "%s%" PRIu64, i == 0 ? "" : ",", buckets[i]);
	add(ctx, "\n");
	return called(ctx, CALL_ALLOC, domain, ts);
}

static enum rtev_next on_lifecycle(
    void *ctx, unsigned domain, uint64_t ts, rtev_lifecycle event, int64_t data)
{
	char name[RTEV_NAME_SIZE];
	add(ctx, "%u %" PRIu64 " lifecycle %s %" PRId64 "\n", domain, ts, rtev_lifecycle_name(event, name),
	    data);
	return called(ctx, CALL_LIFECYCLE, domain, ts);
}

/* Check what holds for every user event, and return its name. */
static const char *name_of(const struct rtev_user_event *event)
{
	CHECK(event->id < RTEV_USER_EVENTS_MAX);
	CHECK_INT(strlen(event->name), event->name_len);
	return event->name_len != 0 ? event->name : "-";
}

static enum rtev_next on_unit(void *ctx, unsigned domain, uint64_t ts, const struct rtev_user_event *event)
{
	add(ctx, "%u %" PRIu64 " unit %s\n", domain, ts, name_of(event));
	return called(ctx, CALL_UNIT, domain, ts);
}

static enum rtev_next on_int(
    void *ctx, unsigned domain, uint64_t ts, const struct rtev_user_event *event, int64_t value)
{
	add(ctx, "%u %" PRIu64 " int %s %" PRId64 "\n", domain, ts, name_of(event), value);
	return called(ctx, CALL_INT, domain, ts);
}

static enum rtev_next on_span(
    void *ctx, unsigned domain, uint64_t ts, const struct rtev_user_event *event, bool begin)
{
	add(ctx, "%u %" PRIu64 " span_%s %s\n", domain, ts, begin ? "begin" : "end", name_of(event));
	return called(ctx, CALL_SPAN, domain, ts);
}

static enum rtev_next on_custom(void *ctx, unsigned domain, uint64_t ts, const struct rtev_user_event *event,
    const void *data, size_t len)
{
	const unsigned char *bytes = data;
	add(ctx, "%u %" PRIu64 " custom %s %zu ", domain, ts, name_of(event), len);
	for (size_t i = 0; i < len; i++)
		add(ctx, "%02x", bytes[i]);
	add(ctx, "\n");
	return called(ctx, CALL_CUSTOM, domain, ts);
}

static enum rtev_next on_lost(void *ctx, unsigned domain, uint64_t words, uint64_t history)
{
	struct recorder *r = ctx;
	CHECK(words > 0 && history <= words);
	r->lost += words - history;
	r->history += history;
	add(r, "%u lost %" PRIu64 " (%" PRIu64 ")\n", domain, words, history);
	return called(r, CALL_LOST, domain, 0);
}

static enum rtev_next on_corrupt(void *ctx, unsigned domain, uint64_t words)
{
	struct recorder *r = ctx;
	r->corrupt += words;
	add(r, "%u corrupt %" PRIu64 "\n", domain, words);
	return called(r, CALL_CORRUPT, domain, 0);
}

static enum rtev_next on_restart(void *ctx, unsigned domain)
{
	add(ctx, "%u restart\n", domain);
	return called(ctx, CALL_RESTART, domain, 0);
}

const struct rtev_callbacks recorder_calls = {.size = sizeof(recorder_calls),
    .begin = on_begin,
    .end = on_end,
    .counter = on_counter,
    .alloc = on_alloc,
    .lifecycle = on_lifecycle,
    .user_unit = on_unit,
    .user_int = on_int,
    .user_span = on_span,
    .user_custom = on_custom,
    .lost = on_lost,
    .corrupt = on_corrupt,
    .restart = on_restart};

/* Forget what was recorded. */
void recorder_clear(struct recorder *recorder)
{
	struct recorder kept = *recorder;

	free(recorder->text);
	*recorder = (struct recorder){.silent = kept.silent, .hook = kept.hook, .context = kept.context};
}

/* Poll and check that it went well. */
uint64_t recorder_poll(struct recorder *recorder, struct rtev_cursor *cursor, uint64_t max_events)
{
	uint64_t before = recorder->events, consumed = 77;
	int status = rtev_cursor_poll(cursor, &recorder_calls, recorder, max_events, &consumed);

	if (status != RTEV_OK)
		TEST_FAIL("poll: %s", rtev_strerror(status));
	CHECK_INT(recorder->events - before, consumed);
	if (max_events != 0)
		CHECK(consumed <= max_events);
	return consumed;
}

/* Check that the lines so far are these, and forget them. */
void recorder_expect(struct recorder *recorder, const char *lines, const char *file, int line)
{
	const char *text = recorder->text != NULL ? recorder->text : "";

	if (strcmp(text, lines) != 0) {
		fprintf(stderr, "%s:%d: recorded:\n%sexpected:\n%s", file, line, text, lines);
		exit(1);
	}
	recorder_clear(recorder);
}
