/*
 * reader.h - a thread that reads the rings of a session while they fill fast.
 *
 * The thread of the session can't read while it draws, writes, or evaluates what it has read, but a ring may
 * fill in 8 ms.  The reader polls into a spool (spool.h), from which the session delivers the events at its
 * own pace.
 *
 * Either the session or the reader has the cursor: the session lends it and takes it back.  While the session
 * has it, the reader sleeps, so an idle target costs nothing more.  The reader wishes to give the cursor back
 * when the rings fill slowly, or at once when only the session can proceed: after news of the release, or a
 * change of the file.
 */
#pragma once

#include "rtev/cursor.h"
#include "session/pace.h"
#include "session/spool.h"

#define READER_LEND_NS 4500000u /* a target with a faster pace than this is given to the reader */
#define READER_BACK_NS 6000000u /* a target with a slower pace than this is taken back */
#define READER_TAKE_NS 5000000u /* longest time between two spool_take */

/* What the reader reads. */
struct reader_loan {
	struct rtev_cursor *cursor;
	uint64_t ring_words;
	struct pace pace;
	struct rtev_scan known; /* the evidence that the session has seen */
	uint64_t began;		/* when the scan began whose words are not all delivered yet; 0: none */
};

struct reader;

/* Start the thread, which sleeps.  Returns NULL if that failed. */
struct reader *reader_create(void);

/* End the thread.  The session must have the cursor. */
void reader_destroy(struct reader *r);

/* The reader's spool; the caller is its reader, and its writer while it has the cursor. */
struct spool *reader_spool(struct reader *r);

/* Lend the cursor.  The caller must not use it until it has taken it back. */
void reader_lend(struct reader *r, const struct reader_loan *loan);

/* Whether the reader wishes to give the cursor back. */
bool reader_wishes(struct reader *r);

/* Take the cursor back, after the thread's current turn, with the learned pace and the `began` of the loan.
 * What was read is in the spool. */
void reader_take_back(struct reader *r, struct pace *pace, uint64_t *began);

/* Get the unread words of the first `count` rings while the cursor is lent. */
void reader_unread(struct reader *r, uint64_t *unread, unsigned count);
