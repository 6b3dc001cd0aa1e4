/*
 * spool.h - events on their way from the thread that reads the rings to the one that uses them.
 *
 * A spool is a bounded queue with one writer and one reader.  Its address space is allocated once, as
 * *chunks*; memory is used only as events wait: the chunk that became empty last is filled next, and
 * spool_trim gives the kernel back the memory of chunks that stay empty.  A chunk is a block of a batch
 * (core/batch.h).  Its marks are the resumes that were found and the times up to which all events have been
 * published.  The reader takes events in the order of writing, over all rings.
 *
 * The writer writes into one chunk between spool_begin and spool_publish, without a lock, an allocation or a
 * system call.  The lock is taken by these two, and when resumes fill a chunk.
 */
#pragma once

#include "core/batch.h"

#define SPOOL_CHUNK_WORDS 32768u
#define SPOOL_CHUNKS 48u /* chunks for events */

struct spool;

/* Returns NULL if memory ran out. */
struct spool *spool_create(void);
void spool_destroy(struct spool *sp);

/* ---- the writer ---- */

/* Make room for events.  Returns false if the spool is full. */
bool spool_begin(struct spool *sp);

/* The writer to pass to batch_callbacks.  It stops a poll when the chunk is full; everything written by then
 * is kept. */
struct batch_writer *spool_writer(struct spool *sp);

/* Whether the writer has stopped a poll since spool_begin. */
bool spool_stopped(const struct spool *sp);

/* Write a resume that a scan of up to SPOOL_SCAN_WORDS words has found.  There is always room. */
#define SPOOL_SCAN_WORDS (UINT64_C(1) << 19)
void spool_resume(struct spool *sp, uint64_t ts);

/* Show the reader what was written since spool_begin.  A `read_ts` that is not 0 says that everything that
 * the rings held at that time has now been published; it may be given once after each spool_begin. */
void spool_publish(struct spool *sp, uint64_t read_ts);

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
	bool whole;   /* the reader stands at the newest spool_publish with a time */
	/* time of the newest spool_publish before which all events were delivered; 0: none */
	uint64_t whole_ts;
};

/* Deliver at most max_events events (0: no bound).  Stops at the newest spool_publish with a time, unless the
 * spool is half full or `all` is set. */
void spool_take(
    struct spool *sp, const struct spool_sink *sink, uint64_t max_events, bool all, struct spool_taken *out);

/* Give back the memory of up to max_chunks chunks that were not used since the last call. */
void spool_trim(struct spool *sp, unsigned max_chunks);
