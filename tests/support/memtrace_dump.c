/*
 * memtrace_dump.c - see memtrace_dump.h.
 */
#include "support/memtrace_dump.h"

#include <stdlib.h>
#include <string.h>

#include "support/test.h"

void dump_event(
    struct digest *digest, struct rtev_memtrace_reader *reader, const struct rtev_memtrace_event *event)
{
	static char *line;
	static size_t size;
	size_t length;

	CHECK_INT(rtev_memtrace_format_event(reader, event, true, line, size, &length), RTEV_OK);
	if (length >= size) {
		size = length * 2 + 1;
		line = realloc(line, size);
		CHECK(line != NULL);
		CHECK_INT(rtev_memtrace_format_event(reader, event, true, line, size, &length), RTEV_OK);
	}
	CHECK_INT(strlen(line), length);
	line[length] = '\n';
	digest_add(digest, line, length + 1);
}

int read_on(struct digest *digest, struct rtev_memtrace_reader *reader, uint64_t *events)
{
	const struct rtev_memtrace_event *event;
	int status;

	while ((status = rtev_memtrace_next(reader, &event)) == RTEV_OK) {
		dump_event(digest, reader, event);
		++*events;
	}
	CHECK(event == NULL);
	return status;
}

void check_digest(struct digest *digest, const char *expected)
{
	char hex[65];

	digest_hex(digest, hex);
	CHECK_STR(hex, expected);
}

void notices_take(void *ctx, const struct rtev_memtrace_notice *notice)
{
	struct notices *notices = ctx;

	CHECK(notices->count < 8);
	notices->list[notices->count++] = *notice;
}
