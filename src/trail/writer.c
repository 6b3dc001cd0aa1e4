/*
 * writer.c - write the trail of a recording: labels, chunks, and the events in them.
 */
#include "trail/writer.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "trail/bytes.h"

#define NUMBERS (RTEV_OPAQUE + RTEV_ID_LIMIT) /* phases, counters, lifecycle events */

/* Most bytes of an event, and what writing its numbers touches: a tag, a stamp, and the buckets or a payload. */
#define EVENT_MAX                                                                                            \
	(1 + (2 + RTEV_ALLOC_BUCKETS) * VARINT_MAX + 2 * VARINT_MAX + TRAIL_PAYLOAD_KEPT + VARINT_SLACK)
static_assert(TRAIL_HEADER + (1 + 2 * TRAIL_OPEN_MAX) * VARINT_MAX + VARINT_SLACK + EVENT_MAX <= TRAIL_CHUNK,
    "a chunk has room for what is open, and an event");

struct stream {
	size_t used;	 /* bytes of the chunk; 0: none was begun */
	uint32_t events; /* in it */
	uint64_t from;	 /* its first key, once `based` */
	uint64_t base;	 /* stamp that its first delta counts from */
	uint64_t last;	 /* latest stamp */
	bool based;	 /* the chunk has an event with a stamp */
	bool seen;	 /* the stream has had one: */
	uint64_t key;
	uint8_t bytes[TRAIL_CHUNK];
};

struct trail_writer {
	struct trail_writer_calls calls;
	bool failed;
	uint64_t key;			      /* the latest of all streams */
	uint32_t *numbers[TRAIL_LABEL_KINDS]; /* label + 1 by number, 0: not defined */
	size_t known[TRAIL_LABEL_KINDS];      /* how many there is room for */
	uint32_t labels;
	struct stream *streams[TRAIL_STREAMS];
};

/* Make a writer. */
struct trail_writer *trail_writer_create(const struct trail_writer_calls *calls)
{
	struct trail_writer *w = calloc(1, sizeof(*w));

	if (w != NULL)
		w->calls = *calls;
	return w;
}

/* Free a writer. */
void trail_writer_destroy(struct trail_writer *w)
{
	if (w == NULL)
		return;
	for (int i = 0; i < TRAIL_LABEL_KINDS; i++)
		free(w->numbers[i]);
	for (unsigned i = 0; i < TRAIL_STREAMS; i++)
		free(w->streams[i]);
	free(w);
}

/* Tell whether nothing has been left out. */
bool trail_writer_sound(const struct trail_writer *w)
{
	return !w->failed;
}

/* Write a text of at most TRAIL_NAME_MAX bytes behind its length. */
static uint8_t *put_text(uint8_t *p, const char *text)
{
	size_t len = strnlen(text, TRAIL_NAME_MAX);

	*p++ = (uint8_t)len;
	memcpy(p, text, len);
	return p + len;
}

/* Say whose recording it is. */
void trail_write_about(struct trail_writer *w, const struct trail_about *about)
{
	uint8_t bytes[6 * 8 + 3 * (TRAIL_NAME_MAX + 1)];
	uint8_t *p = trail_put_fixed(bytes, TRAIL_VERSION, 8);

	p = trail_put_fixed(p, about->live, 8);
	p = trail_put_fixed(p, about->attach_ts, 8);
	p = trail_put_fixed(p, about->base_ts, 8);
	p = trail_put_fixed(p, (uint64_t)about->base_wall, 8);
	p = trail_put_fixed(p, (uint64_t)about->pid, 8);
	p = put_text(p, about->name);
	p = put_text(p, about->ocaml);
	p = put_text(p, about->ocaml_from);
	w->calls.blob(w->calls.ctx, TRAIL_BLOB_ABOUT, bytes, (size_t)(p - bytes));
}

/* ---- labels ---- */

/* The name that a label stands for; false when there is none. */
static bool label_text(struct trail_writer *w, enum trail_label_kind kind, uint32_t number,
    char buf[RTEV_NAME_SIZE], const char **text, size_t *len)
{
	switch (kind) {
	case TRAIL_LABEL_PHASE:
		*text = rtev_phase_name((rtev_phase)number, buf);
		break;
	case TRAIL_LABEL_COUNTER:
		*text = rtev_counter_name((rtev_counter)number, buf);
		break;
	case TRAIL_LABEL_LIFECYCLE:
		*text = rtev_lifecycle_name((rtev_lifecycle)number, buf);
		break;
	default:
		return w->calls.user(w->calls.ctx, number, text, len);
	}
	*len = strlen(*text);
	return true;
}

/* Have room for the label of a number; false when there is none. */
static bool label_room(struct trail_writer *w, enum trail_label_kind kind, uint32_t number)
{
	size_t room = kind <= TRAIL_LABEL_LIFECYCLE ? NUMBERS : w->known[kind];

	if (number < w->known[kind])
		return true;
	if (number >= TRAIL_LABELS_MAX || (kind <= TRAIL_LABEL_LIFECYCLE && number >= NUMBERS))
		return false;
	if (room <= number)
		room = (size_t)number + number / 2 + 64;
	uint32_t *grown = realloc(w->numbers[kind], room * sizeof(*grown));
	if (grown == NULL)
		return false;
	memset(grown + w->known[kind], 0, (room - w->known[kind]) * sizeof(*grown));
	w->numbers[kind] = grown;
	w->known[kind] = room;
	return true;
}

/* Define the label of a number. */
static bool label_define(struct trail_writer *w, enum trail_label_kind kind, uint32_t number)
{
	uint8_t bytes[5 + TRAIL_NAME_MAX];
	char buf[RTEV_NAME_SIZE];
	const char *text;
	size_t len;

	if (w->labels == TRAIL_LABELS_MAX || !label_text(w, kind, number, buf, &text, &len))
		return false;
	if (len > TRAIL_NAME_MAX)
		len = TRAIL_NAME_MAX;
	uint8_t *p = trail_put_fixed(bytes, w->labels, 4);
	*p++ = (uint8_t)kind;
	memcpy(p, text, len);
	w->numbers[kind][number] = ++w->labels;
	w->calls.blob(w->calls.ctx, TRAIL_BLOB_LABEL, bytes, 5 + len);
	return true;
}

/* The label of a number; false when it can't have one. */
static bool label_of(struct trail_writer *w, unsigned kind, uint32_t number, uint32_t *label)
{
	if ((number >= w->known[kind] && !label_room(w, kind, number)) ||
	    (w->numbers[kind][number] == 0 && !label_define(w, kind, number))) {
		w->failed = true;
		return false;
	}
	*label = w->numbers[kind][number] - 1;
	return true;
}

/* ---- chunks ---- */

/* Hand on the chunk of a stream. */
static void chunk_end(struct trail_writer *w, unsigned number, struct stream *s)
{
	/* What has no stamp goes with what came last anywhere. */
	uint64_t from = s->based ? s->from : s->seen ? s->key : w->key;
	uint64_t to = s->seen ? s->key : from;

	if (s->events > 0) {
		uint8_t *p = trail_put_fixed(s->bytes, number, 4);
		p = trail_put_fixed(p, s->events, 4);
		p = trail_put_fixed(p, from, 8);
		p = trail_put_fixed(p, to, 8);
		trail_put_fixed(p, s->base, 8);
		w->calls.blob(w->calls.ctx, TRAIL_BLOB_EVENTS, s->bytes, s->used);
		/* Keys ascend also across chunks that had no stamp. */
		s->key = to;
		s->seen = true;
	}
	s->used = 0;
}

/* Begin a chunk: room for its header, and what is open. */
static void chunk_begin(struct trail_writer *w, unsigned number, struct stream *s)
{
	struct trail_open open[TRAIL_OPEN_MAX];
	unsigned count = 0, kept = 0;
	uint32_t labels[TRAIL_OPEN_MAX];

	if (number < TRAIL_DOMAINS)
		count = w->calls.open(w->calls.ctx, number, open, TRAIL_OPEN_MAX);
	for (unsigned i = 0; i < count; i++) {
		open[kept] = open[i];
		kept += label_of(
		    w, open[i].user ? TRAIL_LABEL_SPAN : TRAIL_LABEL_PHASE, open[i].id, &labels[kept]);
	}
	uint8_t *p = varint_put(s->bytes + TRAIL_HEADER, kept);
	for (unsigned i = 0; i < kept; i++) {
		p = varint_put(p, labels[i]);
		p = varint_put(p, open[i].begin);
	}
	s->used = (size_t)(p - s->bytes);
	s->events = 0;
	s->based = false;
	s->base = s->last;
}

/* The stream with this number, made if need be; NULL when memory ran out. */
static struct stream *stream_of(struct trail_writer *w, unsigned number)
{
	if (number >= TRAIL_STREAMS)
		return NULL;
	if (w->streams[number] == NULL)
		w->streams[number] = calloc(1, sizeof(*w->streams[number]));
	return w->streams[number];
}

/* Write what an event is. */
static uint8_t *put_tag(uint8_t *p, enum trail_kind kind, uint32_t label)
{
	*p++ = (uint8_t)(kind | (label < TRAIL_LABEL_FAR ? label : TRAIL_LABEL_FAR) << 4);
	return label < TRAIL_LABEL_FAR ? p : varint_put(p, label - TRAIL_LABEL_FAR);
}

/* Write the stamp of an event. */
static uint8_t *put_stamp(struct trail_writer *w, struct stream *s, uint8_t *p, uint64_t ts)
{
	if (!s->seen || ts > s->key)
		s->key = ts;
	s->seen = true;
	if (!s->based) {
		s->based = true;
		s->base = s->last = ts;
		s->from = s->key;
	}
	if (s->key > w->key)
		w->key = s->key;
	p = varint_put(p, fold((int64_t)(ts - s->last)));
	s->last = ts;
	return p;
}

/* Write what an event carries. */
static uint8_t *put_content(uint8_t *p, const struct trail_event *e)
{
	size_t kept = e->kept < TRAIL_PAYLOAD_KEPT ? e->kept : TRAIL_PAYLOAD_KEPT;

	switch (e->kind) {
	case TRAIL_COUNTER:
	case TRAIL_INT:
	case TRAIL_LIFECYCLE:
		return varint_put(p, fold(e->value));
	case TRAIL_ALLOC:
		for (unsigned i = 0; i < RTEV_ALLOC_BUCKETS; i++)
			p = varint_put(p, e->buckets[i]);
		return p;
	case TRAIL_CUSTOM:
		p = varint_put(p, e->len);
		p = varint_put(p, kept);
		if (kept > 0)
			memcpy(p, e->data, kept);
		return p + kept;
	case TRAIL_LOST:
		return varint_put(varint_put(p, e->words), e->history);
	case TRAIL_CORRUPT:
		return varint_put(p, e->words);
	default:
		return p;
	}
}

/* Add an event. */
void trail_write(struct trail_writer *w, const struct trail_event *event)
{
	const struct trail_kind_row *row = &trail_kinds[event->kind];
	struct stream *s = stream_of(w, event->stream);
	uint32_t label = 0;

	if (s == NULL || (row->label != TRAIL_LABEL_NONE && !label_of(w, row->label, event->id, &label))) {
		w->failed = true;
		return;
	}
	if (s->used + EVENT_MAX > sizeof(s->bytes))
		chunk_end(w, event->stream, s);
	if (s->used == 0)
		chunk_begin(w, event->stream, s);
	uint8_t *p = put_tag(s->bytes + s->used, event->kind, label);
	if (row->stamped)
		p = put_stamp(w, s, p, event->ts);
	p = put_content(p, event);
	s->used = (size_t)(p - s->bytes);
	s->events++;
}

/* Hand on what is kept back; of streams without a stamp only at the end, since they have no place in time yet. */
static void flush(struct trail_writer *w, bool at_end)
{
	for (unsigned i = 0; i < TRAIL_STREAMS; i++) {
		struct stream *s = w->streams[i];
		if (s != NULL && s->used > 0 && (s->seen || at_end))
			chunk_end(w, i, s);
	}
}

/* Hand on what is kept back. */
void trail_writer_flush(struct trail_writer *w)
{
	flush(w, false);
}

/* End the trail. */
void trail_writer_finish(struct trail_writer *w, uint64_t end)
{
	uint8_t bytes[8];

	flush(w, true);
	trail_put_fixed(bytes, end, 8);
	w->calls.blob(w->calls.ctx, TRAIL_BLOB_END, bytes, sizeof(bytes));
}
