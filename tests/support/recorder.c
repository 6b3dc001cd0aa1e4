/*
 * recorder.c - write down what a cursor delivers.
 */
#include "support/recorder.h"

#include <stdarg.h>
#include <unistd.h>

#include "support/event_name.h"
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

/* Check what holds for every user event. */
static void check_user(const struct rtev_user_event *user)
{
	CHECK(user->id < RTEV_USER_EVENTS_MAX);
	CHECK_INT(strlen(user->name), user->name_len);
}

/* Write down what an event carries. */
static void add_content(struct recorder *r, const struct rtev_event *e)
{
	const unsigned char *bytes = e->data;
	const uint64_t *buckets = e->data;

	switch (e->kind) {
	case EVENT_LIFECYCLE:
		if (r->unstamped && e->value == getpid()) {
			add(r, " PID");
			break;
		}
		/* fallthrough */
	case EVENT_COUNTER:
	case EVENT_INT:
		add(r, " %" PRId64, e->value);
		break;
	case EVENT_ALLOC:
		for (int i = 0; i < RTEV_ALLOC_BUCKETS; i++)
			add(r, "%s%" PRIu64, i == 0 ? " " : ",", buckets[i]);
		break;
	case EVENT_CUSTOM:
		add(r, " %zu ", e->len);
		for (size_t i = 0; i < e->len; i++)
			add(r, "%02x", bytes[i]);
		break;
	case EVENT_LOST:
		CHECK(e->value != 0 && e->history <= (uint64_t)e->value);
		r->lost += (uint64_t)e->value - e->history;
		r->history += e->history;
		add(r, " %" PRIu64 " (%" PRIu64 ")", (uint64_t)e->value, e->history);
		break;
	case EVENT_CORRUPT:
		r->corrupt += (uint64_t)e->value;
		add(r, " %" PRIu64, (uint64_t)e->value);
		break;
	default:
		break;
	}
}

/* Write down an event, count it, and ask the hook. */
static enum rtev_next on_event(void *ctx, const struct rtev_event *e)
{
	struct recorder *r = ctx;
	char buf[RTEV_NAME_SIZE];
	const char *name = event_name(e, buf);

	if (e->user != NULL)
		check_user(e->user);
	add(r, "%u ", e->domain);
	if (event_stamped(e->kind) && !r->unstamped)
		add(r, "%" PRIu64 " ", e->ts);
	add(r, "%s", event_word(e->kind));
	if (name[0] != '\0' || e->user != NULL)
		add(r, " %s", name[0] != '\0' ? name : "-");
	add_content(r, e);
	add(r, "\n");
	r->counts[e->kind]++;
	if (event_stamped(e->kind))
		r->events++;
	return r->hook != NULL ? r->hook(r, e->kind, e->domain, e->ts) : RTEV_CONTINUE;
}

/* Poll. */
int recorder_try(
    struct recorder *recorder, struct rtev_cursor *cursor, uint64_t max_events, uint64_t *consumed)
{
	struct event_sink sink = {.take = on_event, .ctx = recorder};

	return rtev_cursor_poll(cursor, &event_sink_calls, &sink, max_events, consumed);
}

/* Forget what was recorded. */
void recorder_clear(struct recorder *recorder)
{
	struct recorder kept = *recorder;

	free(recorder->text);
	*recorder = (struct recorder){
	    .silent = kept.silent, .unstamped = kept.unstamped, .hook = kept.hook, .context = kept.context};
}

/* Poll and check that it went well. */
uint64_t recorder_poll(struct recorder *recorder, struct rtev_cursor *cursor, uint64_t max_events)
{
	uint64_t before = recorder->events, consumed = 77;
	int status = recorder_try(recorder, cursor, max_events, &consumed);

	if (status != RTEV_OK)
		TEST_FAIL("poll: %s", rtev_strerror(status));
	CHECK_INT(recorder->events - before, consumed);
	if (max_events != 0)
		CHECK(consumed <= max_events);
	return consumed;
}

/* Forget what was recorded, poll, and return what came. */
const char *recorder_text(struct recorder *recorder, struct rtev_cursor *cursor)
{
	recorder_clear(recorder);
	recorder_poll(recorder, cursor, 0);
	return recorder->text != NULL ? recorder->text : "";
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
