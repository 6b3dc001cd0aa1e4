/*
 * log_lines.h - print events, one a line, as text or JSON.
 *
 * A log is fed by an event sink.  It prints at once, in the order of delivery, or, when told to merge, keeps events
 * until all rings have been read past their stamp and prints them in order of time (of equals, by domain; on one domain always
 * in ring order).  Losses and corrupt stretches have no stamp and stand before the event that follows them on their ring.  What is
 * kept refers to user events of the cursor: before that is closed, everything has to be printed.
 */
#ifndef APP_COMMANDS_LOG_LINES_H
#define APP_COMMANDS_LOG_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/event.h"
#include "record/out.h"

struct log;

struct log_options {
	bool json;
	bool merge;
	size_t most; /* merging: events kept at most, of which the first are then printed; 0: no bound */
	uint64_t
	    origin; /* text form: stamps are printed relative to the first, or to this when it is not 0 */
};

/* Create a log that prints to `out`, which stays the caller's.  NULL when memory ran out. */
struct log *log_create(struct out *out, const struct log_options *options);
void log_destroy(struct log *log);

/* What takes the events of a log. */
struct event_sink *log_sink(struct log *log);

/* Merging: print what is kept with a stamp below `before` (UINT64_MAX: everything).  False when memory ran out before. */
bool log_release(struct log *log, uint64_t before);

/* How many words made no sense, and how often stamps went back. */
uint64_t log_corrupt_words(const struct log *log);
uint64_t log_falls(const struct log *log);

#endif
