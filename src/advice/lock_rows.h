/*
 * lock_rows.h - the table of locks that a report and the live view show: looks at them (samples/lock_past.h), with the functions that
 * samples of the code tell (calls/profile.h).
 */
#pragma once

#include "calls/profile.h"
#include "samples/lock_past.h"

/* What is known of the locks of a process. */
struct lock_table {
	const char *why; /* why nothing is, as a clause in static storage; NULL: it is */
	struct lock_window window;
	struct profile_lock code[LOCK_ROWS]; /* of each row; all zero: its code was not sampled */
};

/* Fill in the functions of a table.  `hz` is the rate of the samples; a profile of NULL has none. */
void lock_table_code(struct lock_table *table, const struct profile *profile, unsigned hz);

#define LOCK_ROW_TEXT 160

/* Name a lock: "mutex 0x7f31a4001b80", "channel fd 4", "master lock D0". */
void lock_row_name(const struct lock_row *row, char out[LOCK_ROW_TEXT]);

/* What those did who had it, most often first: "sleeps 96%, runs 4%". */
void lock_row_owner(const struct lock_row *row, char out[LOCK_ROW_TEXT]);

/* Say how long a domain waited for a lock in a stretch of time: "waits for a lock about 300ms".  False, and "": it did not, or it is
 * not known. */
bool lock_waited_words(
    const struct lock_past *past, unsigned domain, uint64_t from, uint64_t ns, char out[LOCK_ROW_TEXT]);

/* The functions of a side, most often first: "Log.line 100%"; "": none is known. */
void lock_row_functions(
    const struct profile *profile, const struct profile_side *side, char out[LOCK_ROW_TEXT]);
