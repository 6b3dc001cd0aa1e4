/*
 * batch.h - events in blocks of memory, on their way to another thread or kept until they are due.
 *
 * A begin or an end usually takes one word, which holds its stamp as the difference to the event before.  Any
 * other event takes a head, a stamp, and the contents of its kind.  A batch refers to nothing outside itself:
 * the writer puts a user event's name before the first event of its id, and again when the name changes; the
 * reader keeps the names.  *Marks* may stand between events; their numbers mean whatever the user of the
 * batch chooses.  The reader delivers in the order of writing.
 *
 * No event crosses the end of a block.  The blocks of a writer are read by one reader, in the order in which
 * they were written.  Only words from our own writer are read, so they are not checked.
 */
#pragma once

#include "core/event.h"

/* Words of a mark, and of the longest event including the name before it. */
#define BATCH_MARK_WORDS 2u
#define BATCH_EVENT_WORDS (4u + (RTEV_USER_NAME_SIZE + 7) / 8 + 1 + RTEV_RECORD_WORDS_MAX + 1)

struct batch_writer {
	struct event_sink sink; /* the first member: it takes what batch_callbacks has no function for */
	uint64_t *at;		/* where the next event begins: there is room for it */
	uint64_t *full;		/* up to here an event may begin */
	uint64_t last_ts;
	/* Called after an event that leaves no room for another.  Returns whether a poll may go on; if so, or
	 * if the callbacks may be called again, it has made room. */
	enum rtev_next (*filled)(struct batch_writer *w);
	/* The generation + 1 of the name last written for each of the RTEV_USER_EVENTS_MAX ids, or 0.  NULL
	 * if the reader knows the names. */
	uint64_t *named;
};

/* Callbacks that write an event into a block.  Their context is the writer, whose sink must be batch_put. */
void batch_callbacks(struct rtev_callbacks *out);

/* Write an event.  `ctx` is the writer: this is a sink's function. */
enum rtev_next batch_put(void *ctx, const struct rtev_event *event);

/* The most words that an event takes, without its name. */
static inline size_t batch_words(const struct rtev_event *event)
{
	return 4 + (event->len + 7) / 8;
}

/* Write a mark.  The block must have room for it. */
void batch_mark(struct batch_writer *w, unsigned mark, uint64_t value);

/* Forget the names, because the ids of another cursor follow. */
void batch_forget(struct batch_writer *w);

struct batch_reader {
	uint64_t last_ts;
	struct rtev_user_event *users; /* the names, RTEV_USER_EVENTS_MAX */
};

/* What batch_deliver may deliver, and to whom. */
struct batch_delivery {
	const struct rtev_callbacks *calls; /* NULL members are skipped */
	void *ctx;
	enum rtev_next (*mark)(void *ctx, unsigned mark, uint64_t value);
	void *mark_ctx;
	uint64_t left; /* events */
	bool stop;     /* a callback has returned RTEV_STOP */
};

/* Deliver the items from `at` to `end`.  The names of user events belong to the reader; data points into the
 * block.  Returns the place after the last item delivered. */
const uint64_t *batch_deliver(
    struct batch_reader *r, struct batch_delivery *d, const uint64_t *at, const uint64_t *end);
