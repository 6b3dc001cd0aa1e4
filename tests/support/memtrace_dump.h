/*
 * memtrace_dump.h - what the tests of the memtrace reader share: a digest of the lines that its events make,
 * and the notices that it gives.
 */
#pragma once

#include "support/test_memtrace_data.h"

/* Add the line of an event to a digest. */
void dump_event(
    struct digest *digest, struct rtev_memtrace_reader *reader, const struct rtev_memtrace_event *event);

/* Add the lines of all events that there are, and their number to *events.  Returns the status that ended
 * it. */
int read_on(struct digest *digest, struct rtev_memtrace_reader *reader, uint64_t *events);

/* The digest is, in hexadecimal, what is expected. */
void check_digest(struct digest *digest, const char *expected);

/* The first notices of a reader; more of them are a fault. */
struct notices {
	struct rtev_memtrace_notice list[8];
	size_t count;
};

/* A callback for notices; its context is a struct notices. */
void notices_take(void *ctx, const struct rtev_memtrace_notice *notice);
