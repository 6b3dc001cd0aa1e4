/*
 * writer.h - write the trail of a recording.
 *
 * Events come in the order in which a model was told of them; each stream keeps up to a chunk of them back.  The
 * caller hands the blobs on in the order in which they come.
 */
#ifndef TRAIL_WRITER_H
#define TRAIL_WRITER_H

#include "trail/trail.h"

/* A span that is open. */
struct trail_open {
	bool user;
	uint32_t id; /* phase or user slot */
	uint64_t begin;
};

/* What a writer needs of its caller. */
struct trail_writer_calls {
	void *ctx;
	void (*blob)(void *ctx, enum trail_blob blob, const void *data, size_t len);
	/* Fill in the spans open on a domain before the event at hand, outermost first; returns how many, at most `max`.
	 * With `open_now` those that are open after it, and between two events those that are. */
	unsigned (*open)(void *ctx, unsigned domain, struct trail_open *list, unsigned max);
	/* The name of a user slot; false when there is none. */
	bool (*user)(void *ctx, uint32_t slot, const char **name, size_t *len);
	bool open_now;
};

struct trail_writer;

/* NULL when memory ran out. */
struct trail_writer *trail_writer_create(const struct trail_writer_calls *calls);
void trail_writer_destroy(struct trail_writer *w);

/* Say whose recording it is; first of all. */
void trail_write_about(struct trail_writer *w, const struct trail_about *about);

/* Add an event.  append.h has a short way for most. */
void trail_write(struct trail_writer *w, const struct trail_event *event);

/* Add a table, at most TRAIL_TABLE_MAX bytes. */
void trail_write_table(struct trail_writer *w, uint32_t kind, uint64_t ts, const void *data, size_t len);

/* With `open_now`: begin with what is open on a domain, between two events. */
void trail_writer_begin(struct trail_writer *w, unsigned domain);

/* Hand on what is kept back, between two events; with `open_now` also what is open where there are no events. */
void trail_writer_flush(struct trail_writer *w);

/* End the trail at a stamp, flushed. */
void trail_writer_finish(struct trail_writer *w, uint64_t end);

/* False once memory ran out: the trail is incomplete. */
bool trail_writer_sound(const struct trail_writer *w);

#endif
