/*
 * writer.h - write a trail.
 *
 * Events are given in the order in which the model was told of them.  Each stream holds back up to one chunk.
 * The caller must keep the order of the blobs.
 */
#ifndef TRAIL_WRITER_H
#define TRAIL_WRITER_H

#include "trail/trail.h"

/* An open span. */
struct trail_open {
	bool user;
	uint32_t id; /* phase or user slot */
	uint64_t begin;
};

/* What a writer asks of its caller. */
struct trail_writer_calls {
	void *ctx;
	void (*blob)(void *ctx, enum trail_blob blob, const void *data, size_t len);
	/* List the spans open on a domain before the current event, outermost first.  Returns how many, at
	 * most `max`.  With `open_now`: the spans open after it, or between two events, now. */
	unsigned (*open)(void *ctx, unsigned domain, struct trail_open *list, unsigned max);
	/* Name of a user slot.  Returns false if there is none. */
	bool (*user)(void *ctx, uint32_t slot, const char **name, size_t *len);
	bool open_now;
};

struct trail_writer;

/* NULL if out of memory. */
struct trail_writer *trail_writer_create(const struct trail_writer_calls *calls);
void trail_writer_destroy(struct trail_writer *w);

/* Write the header, before anything else. */
void trail_write_about(struct trail_writer *w, const struct trail_about *about);

/* Add an event.  trail_append (append.h) is faster for most. */
void trail_write(struct trail_writer *w, const struct trail_event *event);

/* With `open_now`, between two events: start a chunk with the spans open on a domain. */
void trail_writer_begin(struct trail_writer *w, unsigned domain);

/* Pass on all chunks, between two events; with `open_now` also the open spans of domains without events. */
void trail_writer_flush(struct trail_writer *w);

/* Flush, and end the trail at a stamp. */
void trail_writer_finish(struct trail_writer *w, uint64_t end);

/* False once out of memory: the trail is incomplete. */
bool trail_writer_sound(const struct trail_writer *w);

#endif
