/*
 * append.h - the short way of an event into its chunk: inline, for events that come by the million.
 *
 * It takes the events that have a label, and at most a value.  Where more is to be done than to write one (the label has no code
 * yet, or one that is not near; there is no chunk; the stamp goes back) it does nothing, and trail_write does it.
 */
#ifndef TRAIL_APPEND_H
#define TRAIL_APPEND_H

#include "core/varint.h"
#include "trail/writer.h"

#define TRAIL_CODE_NONE 0x80808080u /* a label without a code yet; so is the number behind it */

/* Most bytes of an event but for a note: two varints for its stamp and one for its code, then buckets or a payload. */
#define TRAIL_EVENT_MAX ((3 + 2 + RTEV_ALLOC_BUCKETS) * VARINT_MAX + TRAIL_PAYLOAD_KEPT + VARINT_SLACK)
#define TRAIL_CHUNK_FULL (TRAIL_CHUNK - TRAIL_EVENT_MAX) /* with more there is no room for another event */

/* A stream and its chunk. */
struct trail_out {
	uint8_t *at;	 /* where the chunk has come to; NULL: none was begun */
	uint64_t last;	 /* latest stamp */
	uint64_t key;	 /* once `seen` */
	uint32_t events; /* in the chunk */
	bool ready;	 /* the chunk goes on, and has had a stamp */
	bool based;	 /* the chunk has an event with a stamp */
	bool seen;	 /* the stream has had one */
	unsigned open;	 /* spans that the chunk begins with */
	uint64_t from;	 /* its first key, once `based` */
	uint64_t base;	 /* stamp that its first difference counts from */
	uint8_t bytes[TRAIL_CHUNK];
};

struct trail_writer {
	uint32_t *codes[TRAIL_LABEL_KINDS]; /* by phase, counter, user slot and so on */
	size_t known[TRAIL_LABEL_KINDS];    /* how many there is room for */
	struct trail_out *streams[TRAIL_STREAMS];
	struct trail_writer_calls calls;
	bool failed;
	uint32_t labels, next_code;
	uint32_t *label_of; /* number of the label, by its first code */
	size_t label_room;
};

/* The chunk of a stream is full after an event. */
void trail_writer_full(struct trail_writer *w, unsigned number);

/* Write the difference to the stamp before, below 1 << 40, with a near code. */
static inline uint8_t *trail_put_head(uint8_t *p, uint64_t difference, uint32_t code)
{
	return varint_put(p, (difference & ((UINT64_C(1) << 40) - 1)) << TRAIL_CODE_BITS | code);
}

/* Add an event.  False when it was not added. */
static inline bool trail_append(struct trail_writer *w, enum trail_kind kind, unsigned number, uint64_t ts,
    uint32_t id, bool valued, int64_t value)
{
	const enum trail_label_kind label = trail_label_kind(kind);

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

#endif
