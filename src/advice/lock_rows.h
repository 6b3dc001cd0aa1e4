/* lock_rows.h - words for locks, and the table of locks in a report and in the live view: looks at locks (samples/lock_past.h),
 * with functions from samples of the code (calls/profile.h). */
#pragma once

#include "calls/profile.h"
#include "samples/lock_past.h"

/* What is known of the locks of a process. */
struct lock_table {
	const char *why; /* why nothing is known, as a clause in static storage; NULL: it is */
	struct lock_window window;
	struct profile_lock code[LOCK_ROWS]; /* functions of each row; all zero: its code was not sampled */
};

/* Fill in the functions of a table.  `hz` is the rate of the samples; `profile` NULL: there are none. */
void lock_table_code(struct lock_table *table, const struct profile *profile, unsigned hz);

#define LOCK_ROW_TEXT 160

/* Name a lock: "mutex 0x7f31a4001b80", "channel fd 4", "master lock D0". */
void lock_row_name(const struct lock_row *row, char out[LOCK_ROW_TEXT]);

/* Say what the holder of a lock did, most frequent first: "sleeps 96%, runs 4%". */
void lock_row_owner(const struct lock_row *row, char out[LOCK_ROW_TEXT]);

/* Say how long a domain waited for a lock in a period: "waits for a lock about 300ms".  Returns false, with
 * "", if it did not or that is not known. */
bool lock_waited_words(
    const struct lock_past *past, unsigned domain, uint64_t from, uint64_t ns, char out[LOCK_ROW_TEXT]);

/* List the functions of a side, most frequent first: "Log.line 100%"; "": none is known. */
void lock_row_functions(
    const struct profile *profile, const struct profile_side *side, char out[LOCK_ROW_TEXT]);

/* Name a lock in a sentence: "a mutex", "the lock of a channel (fd 4)", "the master lock of domain 0". */
#define LOCK_WORDS 64
const char *lock_words(const struct lock_id *lock, char out[LOCK_WORDS]);

/* Say what a thread does in a system call, by its number: "sleeps", "writes".  Static storage. */
const char *lock_call_words(int call);
