/*
 * log_lines.h - print events, one a line, as text or JSON.
 *
 * A log receives events through an event sink.  It prints them at once, in the order of delivery.  Or it
 * merges: it holds events until all rings have been read past their timestamp and prints them in order of
 * time (at equal times by domain; within a domain in ring order).  Losses and corrupt stretches have no
 * timestamp and come before the next event of their ring.  Held events refer to user events of the cursor:
 * print them all before closing it.
 */
#ifndef APP_COMMANDS_LOG_LINES_H
#define APP_COMMANDS_LOG_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/event.h"
#include "print/out.h"

struct log;

struct log_options {
	bool json;
	bool merge;
	size_t most;	 /* merging: events held, at most; beyond that the oldest are printed; 0: no limit */
	uint64_t origin; /* text form: timestamps are relative to the first event, or to this if not 0 */
};

/* Create a log that prints to `out`; `out` still belongs to the caller.  Returns NULL if memory ran out. */
struct log *log_create(struct out *out, const struct log_options *options);
void log_destroy(struct log *log);

/* The sink for events. */
struct event_sink *log_sink(struct log *log);

/* Merging: print held events before `before` (UINT64_MAX: all).  Returns false if memory ran out since the
 * last call. */
bool log_release(struct log *log, uint64_t before);

/* How many words made no sense, and how often stamps went back. */
uint64_t log_corrupt_words(const struct log *log);
uint64_t log_falls(const struct log *log);

#endif
