/*
 * writer.h - write a trail.
 *
 * Events are given in the order in which the model was told of them.  Each stream holds back up to one chunk.
 * The caller must keep the order of the blobs.
 *
 * trail_append handles the common case inline: an event with a label and at most one value, whose label has a near
 * code, in a chunk that has a stamp already.
 */
#pragma once

#include "core/varint.h"
#include "trail/trail.h"

/* An open span. */
struct trail_open {
	bool user;
	uint32_t id; /* phase or user slot */
	uint64_t begin;
};

/* The functions that a writer calls. */
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

/* Add an event.  trail_append is faster for most. */
void trail_write(struct trail_writer *w, const struct trail_event *event);

/* With `open_now`, between two events: start a chunk with the spans open on a domain. */
void trail_writer_begin(struct trail_writer *w, unsigned domain);

/* Pass on all chunks, between two events; with `open_now` also the open spans of domains without events. */
void trail_writer_flush(struct trail_writer *w);

/* Flush, and end the trail at a stamp. */
void trail_writer_finish(struct trail_writer *w, uint64_t end);

/* False once out of memory: the trail is incomplete. */
bool trail_writer_sound(const struct trail_writer *w);

/* ---- append an event to its chunk ---- */

#define TRAIL_CODE_NONE 0x80808080u /* no code assigned; the number behind it is not near either */

/* Longest event except a note: two varints of the stamp and one of the code, then the buckets or a payload. */
#define TRAIL_EVENT_MAX ((3 + 2 + RTEV_ALLOC_BUCKETS) * VARINT_MAX + TRAIL_PAYLOAD_KEPT + VARINT_SLACK)
#define TRAIL_CHUNK_FULL (TRAIL_CHUNK - TRAIL_EVENT_MAX) /* beyond this there is no room for another event */

/* A stream and the chunk being filled. */
struct trail_out {
	uint8_t *at;	 /* write position; NULL: no chunk has been started */
	uint64_t last;	 /* latest stamp */
	uint64_t key;	 /* valid once `seen` */
	uint32_t events; /* in the chunk */
	bool ready;	 /* there is a chunk, and it has a stamp */
	bool based;	 /* the chunk has an event with a stamp */
	bool seen;	 /* the stream has had an event with a stamp */
	unsigned open;	 /* spans listed at the start of the chunk */
	uint64_t from;	 /* the chunk's first key, valid once `based` */
	uint64_t base;	 /* stamp that the chunk's first difference is relative to */
	uint8_t bytes[TRAIL_CHUNK];
};

struct trail_writer {
	uint32_t *codes[TRAIL_LABEL_KINDS]; /* by number: phase, counter, user slot and so on */
	size_t known[TRAIL_LABEL_KINDS];    /* entries allocated */
	struct trail_out *streams[TRAIL_STREAMS];
	struct trail_writer_calls calls;
	bool failed;
	uint32_t labels, next_code;
	uint32_t *label_of; /* label number by first code */
	size_t label_room;
};

/* Called by trail_append when an event has filled the chunk of a stream. */
void trail_writer_full(struct trail_writer *w, unsigned number);

/* Write a difference below 1 << 40 and a near code. */
static inline uint8_t *trail_put_head(uint8_t *p, uint64_t difference, uint32_t code)
{
	return varint_put(p, (difference & ((UINT64_C(1) << 40) - 1)) << TRAIL_CODE_BITS | code);
}

/* Append an event.  Returns false if trail_write has to do it. */
static inline bool trail_append(struct trail_writer *w, enum trail_kind kind, unsigned number, uint64_t ts,
    uint32_t id, bool valued, int64_t value)
{
	const enum trail_label_kind label = trail_kinds[kind].label;

	if (number >= TRAIL_DOMAINS || id >= w->known[label])
		return false;
	struct trail_out *s = w->streams[number];
	uint32_t code = w->codes[label][id] + trail_kind_ends(kind);
	if (s == NULL || !s->ready || code >= TRAIL_CODE_FAR || (ts - s->last) >> 40 != 0)
		return false;
	uint8_t *p = trail_put_head(s->at, ts - s->last, code);
	s->last = ts;
	if (ts > s->key)
		s->key = ts;
	if (valued)
		p = varint_put(p, fold(value));
	s->at = p;
	s->events++;
	if ((size_t)(p - s->bytes) > TRAIL_CHUNK_FULL)
		trail_writer_full(w, number);
	return true;
}
