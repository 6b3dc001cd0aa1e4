/*
 * read_dump.c - format events as text, like the dump of the reference library.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/sized.h"
#include "rtev/memtrace.h"

/* A text buffer.  `length` goes on counting when the buffer is full. */
struct text {
	char *buf;
	size_t size, length;
};

static void put(struct text *text, const char *bytes, size_t n)
{
	if (text->length < text->size) {
		size_t room = text->size - text->length;
		memcpy(text->buf + text->length, bytes, n < room ? n : room);
	}
	text->length += n;
}

static void put_number(struct text *text, int32_t value)
{
	char digits[11];
	size_t at = sizeof(digits);
	uint32_t rest = value < 0 ? 0u - (uint32_t)value : (uint32_t)value;

	do
		digits[--at] = (char)('0' + rest % 10);
	while ((rest /= 10) != 0);
	if (value < 0)
		put(text, "-", 1);
	put(text, digits + at, sizeof(digits) - at);
}

static void put_location(struct text *text, const struct rtev_memtrace_location *location)
{
	put(text, " ", 1);
	put(text, location->defname, strlen(location->defname));
	put(text, "@", 1);
	put(text, location->filename, strlen(location->filename));
	put(text, ":", 1);
	put_number(text, location->line);
	put(text, ":", 1);
	put_number(text, location->start_char);
	put(text, "-", 1);
	put_number(text, location->end_char);
}

/* Append the locations of a code, or "$" and the code when it has none. */
static int put_code(struct text *text, const struct rtev_memtrace_reader *reader, int64_t code)
{
	const struct rtev_memtrace_location *list;
	size_t count;
	int status = rtev_memtrace_lookup(reader, code, &list, &count);

	if (status != RTEV_OK)
		return status;
	for (size_t i = 0; i < count; i++)
		put_location(text, &list[i]);
	if (count == 0) {
		char number[32];
		int n = snprintf(number, sizeof(number), " $%" PRId64, code);
		put(text, number, (size_t)n);
	}
	return RTEV_OK;
}

/* Append the part of the line before the backtrace. */
static void put_head(struct text *text, const struct rtev_memtrace_event *event, bool with_time)
{
	static const char *const sources[] = {"alloc", "alloc_major", "alloc_ext"};
	char head[160];
	int n = 0;

	if (with_time)
		n = snprintf(head, sizeof(head), "%010" PRId64 " ", event->time);
	put(text, head, (size_t)n);
	if (event->kind == RTEV_MEMTRACE_ALLOC)
		n = snprintf(head, sizeof(head),
		    "%010" PRId64 " %s %" PRId64 " len=%" PRId64 " dom=%u % 4" PRId64 ":", event->object,
		    sources[event->source], event->samples, event->length, (unsigned)event->domain,
		    event->common_prefix);
	else
		n = snprintf(head, sizeof(head), "%010" PRId64 " %s", event->object,
		    event->kind == RTEV_MEMTRACE_PROMOTE ? "promote" : "collect");
	put(text, head, (size_t)n);
}

int rtev_memtrace_format_event(const struct rtev_memtrace_reader *reader,
    const struct rtev_memtrace_event *given, bool with_time, char *buf, size_t size, size_t *length)
{
	struct rtev_memtrace_event room;
	const struct rtev_memtrace_event *event = sized_view(&room, sizeof(room), given);
	/* Reserve one byte for the NUL. */
	struct text text = {buf, size > 0 ? size - 1 : 0, 0};
	int status = RTEV_OK;

	if (event == NULL)
		return RTEV_E_INVALID;
	put_head(&text, event, with_time);
	for (size_t i = 0; event->kind == RTEV_MEMTRACE_ALLOC && i < event->depth && status == RTEV_OK; i++)
		status = put_code(&text, reader, event->backtrace[i]);
	if (size > 0)
		buf[text.length < text.size ? text.length : text.size] = '\0';
	*length = text.length;
	return status;
}
