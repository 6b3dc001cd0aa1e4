/*
 * spool.h - events on their way from the thread that reads the rings to the one that uses them.
 *
 * A spool is a bounded queue with one writer and one reader.  Memory is allocated once, as *chunks*, and used
 * as far as events wait: the chunk that became empty last is filled next, and spool_trim gives the kernel
 * back the memory of those that stay empty.  An event takes one word or a few.  It refers to nothing outside:
 * a user event's name is written before the first event of its id, and again when it changes.  Order is that
 * of writing, over all rings.
 *
 * The writer writes into one chunk between spool_begin and spool_publish, without a lock, an allocation or a
 * system call.  The lock is taken by these two, and when resumes fill a chunk.
 */
#ifndef SESSION_SPOOL_H
#define SESSION_SPOOL_H

#include <stdbool.h>
#include <stdint.h>

#include "rtev/cursor.h"

#define SPOOL_CHUNK_WORDS 32768u
#define SPOOL_CHUNKS 48u /* of events */

struct spool;

/* Returns NULL if memory ran out. */
struct spool *spool_create(void);
void spool_destroy(struct spool *sp);

/* ---- the writer ---- */

/* Make room for events.  Returns false while there is none. */
bool spool_begin(struct spool *sp);

/* Callbacks that write an event; their context is the spool.  They stop a poll when the chunk is full; all
 * that they were called with is written. */
extern const struct rtev_callbacks spool_calls;

/* Whether the callbacks have stopped a poll since spool_begin. */
bool spool_stopped(const struct spool *sp);

/* Write a resume that a scan of up to SPOOL_SCAN_WORDS words has found.  There is always room. */
#define SPOOL_SCAN_WORDS (UINT64_C(1) << 19)
void spool_resume(struct spool *sp, uint64_t ts);

/* Show the reader what was written.  `read_ts` is not 0: with it, all that the rings held at that time is. */
void spool_publish(struct spool *sp, uint64_t read_ts);

/* Forget the names: the ids of another cursor follow. */
void spool_forget(struct spool *sp);

/* ---- the reader ---- */

struct spool_sink {
	const struct rtev_callbacks *calls;
	void *ctx;
	void (*resume)(void *ctx, uint64_t ts); /* may be NULL */
};

struct spool_taken {
	uint64_t events;
	bool stopped; /* a callback returned RTEV_STOP, or max_events events were delivered */
	bool empty;   /* nothing is left */
	/* of the spool_publish up to which events were delivered; 0: they end between two */
	uint64_t read_ts;
	/* of the newest spool_publish with a time of which all events were delivered, ever; 0: none */
	uint64_t whole_ts;
};

/* Deliver events, at most max_events (0: no bound).  Stops at the newest spool_publish with a time, unless
 * the spool is half full; `all`: in no case. */
void spool_take(
    struct spool *sp, const struct spool_sink *sink, uint64_t max_events, bool all, struct spool_taken *out);

/* Give back the memory of up to max_chunks chunks that were not used since the call before. */
void spool_trim(struct spool *sp, unsigned max_chunks);

#endif
