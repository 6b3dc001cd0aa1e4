/*
 * log_lines.h - print events, one per line, as text or JSON.
 *
 * A log receives events through log_take and prints them at once, in the order of delivery.  Or it merges: it
 * holds events until all rings have been read past their stamp, and prints them in order of time (at equal
 * times by domain; within a domain in ring order).  Losses and corrupt stretches have no stamp and come
 * before the next event of their ring.  Held events refer to user events by id, so they must all be printed
 * before the ids of another cursor follow.
 */
#pragma once

#include "core/event.h"
#include "print/out.h"

struct log;

struct log_options {
	bool json;
	bool merge;
	size_t most;	 /* merging: most events held; beyond that the oldest are printed; 0: no limit */
	uint64_t origin; /* text form: stamps are relative to this or, if 0, to the first event */
};

/* Create a log that prints to `out`; `out` still belongs to the caller.  Returns NULL if memory ran out. */
struct log *log_create(struct out *out, const struct log_options *options);
void log_destroy(struct log *log);

/* Take an event.  `ctx` is the log: this is a sink's function. */
enum rtev_next log_take(void *ctx, const struct rtev_event *event);

/* Where the log keeps the names of user events, RTEV_USER_EVENTS_MAX.  Names that the caller stores there
 * itself need not be copied. */
struct rtev_user_event *log_users(struct log *log);

/* Merging: print held events before `before` (UINT64_MAX: all). */
void log_release(struct log *log, uint64_t before);

/* Faults of the events. */
struct log_faults {
	bool unsorted;		/* merging: an event is missing because memory ran out */
	uint64_t corrupt_words; /* invalid words */
	uint64_t falls;		/* how often stamps went back */
};
const struct log_faults *log_faults(const struct log *log);
