/*
 * writer.c - write the trail of a recording: labels, chunks, and the events in them.
 */
#include "trail/writer.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/sum.h"
#include "trail/bytes.h"

#define NUMBERS (RTEV_OPAQUE + RTEV_ID_LIMIT) /* phases, counters, lifecycle events */

/* Most bytes of an event, and what writing its numbers touches: a tag, a stamp, and the buckets or a payload. */
#define EVENT_MAX                                                                                            \
	(1 + (2 + RTEV_ALLOC_BUCKETS) * VARINT_MAX + 2 * VARINT_MAX + TRAIL_PAYLOAD_KEPT + VARINT_SLACK)
#define CHUNK_FULL (TRAIL_CHUNK - EVENT_MAX) /* with more there is no room for another event */
static_assert(TRAIL_HEADER + (1 + 2 * TRAIL_OPEN_MAX) * VARINT_MAX + VARINT_SLACK + EVENT_MAX <= TRAIL_CHUNK,
    "a chunk has room for what is open, and an event");

struct stream {
	size_t used;	 /* bytes of the chunk; 0: none was begun */
	uint32_t events; /* in it */
	unsigned open;	 /* spans that it begins with */
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

/* The latest key of all streams. */
static uint64_t latest_key(const struct trail_writer *w)
{
	uint64_t key = 0;

	for (unsigned i = 0; i < TRAIL_STREAMS; i++)
		if (w->streams[i] != NULL && w->streams[i]->seen && w->streams[i]->key > key)
			key = w->streams[i]->key;
	return key;
}

/* Hand on the chunk of a stream. */
static void chunk_end(struct trail_writer *w, unsigned number, struct stream *s)
{
	/* What has no stamp goes with what came last anywhere. */
	uint64_t from = s->based ? s->from : s->seen ? s->key : latest_key(w);
	uint64_t to = s->seen ? s->key : from;

	if (s->events > 0 || (w->calls.open_now && s->open > 0)) {
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

/* Begin a chunk: room for its header, and what is open; nothing unless to `ask` for it. */
static void chunk_begin(struct trail_writer *w, unsigned number, struct stream *s, bool ask)
{
	struct trail_open open[TRAIL_OPEN_MAX];
	unsigned count = 0, kept = 0;
	uint32_t labels[TRAIL_OPEN_MAX];

	if (ask && number < TRAIL_DOMAINS)
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
	s->open = kept;
	s->based = false;
	s->base = s->last;
	for (unsigned i = 0; i < kept && w->calls.open_now; i++) {
		s->key = open[i].begin > s->key ? open[i].begin : s->key;
		s->seen = true;
	}
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
static inline uint8_t *put_tag(uint8_t *p, enum trail_kind kind, uint32_t label)
{
	*p++ = (uint8_t)(kind | (label < TRAIL_LABEL_FAR ? label : TRAIL_LABEL_FAR) << 4);
	return label < TRAIL_LABEL_FAR ? p : varint_put(p, label - TRAIL_LABEL_FAR);
}

/* Write the stamp of an event. */
static uint8_t *put_stamp(struct stream *s, uint8_t *p, uint64_t ts)
{
	if (ts > s->key)
		s->key = ts;
	if (!s->based) {
		s->based = s->seen = true;
		s->base = s->last = ts;
		s->from = s->key;
	}
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

/* Begin anew the chunks without events: what they begin with is what is open now. */
static void open_refresh(struct trail_writer *w)
{
	for (unsigned i = 0; i < TRAIL_DOMAINS; i++) {
		struct stream *s = w->streams[i];
		if (s != NULL && s->used > 0 && s->events == 0)
			chunk_begin(w, i, s, true);
	}
}

/* Hand on the chunk of a stream, and begin another with what is open now. */
static void chunk_turn(struct trail_writer *w, unsigned number, struct stream *s)
{
	chunk_end(w, number, s);
	chunk_begin(w, number, s, true);
}

/* Begin with what is open. */
void trail_writer_begin(struct trail_writer *w, unsigned domain)
{
	struct stream *s = stream_of(w, domain);

	if (s == NULL)
		w->failed = true;
	else if (s->used == 0)
		chunk_begin(w, domain, s, true);
}

/* The stream with this number, with room for an event; NULL when memory ran out. */
static struct stream *stream_ready(struct trail_writer *w, unsigned number)
{
	struct stream *s = stream_of(w, number);

	if (s == NULL)
		return NULL;
	if (s->used > CHUNK_FULL)
		chunk_end(w, number, s);
	/* A domain that is heard of for the first time has had nothing open before the event. */
	if (s->used == 0)
		chunk_begin(w, number, s, !w->calls.open_now);
	return s;
}

/* End an event. */
static inline void event_end(struct trail_writer *w, unsigned number, struct stream *s, const uint8_t *p)
{
	s->used = (size_t)(p - s->bytes);
	s->events++;
	if (s->used > CHUNK_FULL && w->calls.open_now && number != TRAIL_TARGET)
		chunk_turn(w, number, s);
}

/* Add an event. */
void trail_write(struct trail_writer *w, const struct trail_event *event)
{
	const struct trail_kind_row *row = &trail_kinds[event->kind];
	uint32_t label = 0;

	if (row->label != TRAIL_LABEL_NONE && !label_of(w, row->label, event->id, &label))
		return;
	struct stream *s = stream_ready(w, event->stream);
	if (s == NULL) {
		w->failed = true;
		return;
	}
	uint8_t *p = put_tag(s->bytes + s->used, event->kind, label);
	if (event->kind == TRAIL_REATTACH)
		p = put_stamp(s, p, sum_saturating(latest_key(w), 1));
	else if (row->stamped)
		p = put_stamp(s, p, event->ts);
	event_end(w, event->stream, s, put_content(p, event));
	if (event->stream != TRAIL_TARGET || !w->calls.open_now)
		return;
	/* What concerns the whole target may have changed what is open on any domain. */
	open_refresh(w);
	if (s->used > CHUNK_FULL)
		trail_writer_flush(w);
}

/* The stream of an event of a kind with a label and a stamp, where nothing is to be done but to write it: the label is known,
 * and the chunk goes on and has room.  NULL where it isn't so. */
static inline struct stream *stream_short(
    const struct trail_writer *w, enum trail_kind kind, unsigned number, uint32_t id, uint32_t *label)
{
	const unsigned label_kind = trail_kinds[kind].label;

	if (number >= TRAIL_STREAMS || id >= w->known[label_kind])
		return NULL;
	struct stream *s = w->streams[number];
	*label = w->numbers[label_kind][id] - 1;
	return s != NULL && *label != UINT32_MAX && s->based && s->used - 1 < CHUNK_FULL ? s : NULL;
}

/* Write the tag and the stamp of such an event. */
static inline uint8_t *put_short(struct stream *s, enum trail_kind kind, uint64_t ts, uint32_t label)
{
	uint64_t last = s->last;

	s->last = ts;
	if (ts > s->key)
		s->key = ts;
	return varint_put(put_tag(s->bytes + s->used, kind, label), fold((int64_t)(ts - last)));
}

/* Add an event where more is to be done. */
static void write_long(
    struct trail_writer *w, enum trail_kind kind, unsigned stream, uint64_t ts, uint32_t id, int64_t value)
{
	trail_write(
	    w, &(struct trail_event){.kind = kind, .stream = stream, .ts = ts, .id = id, .value = value});
}

/* Add an event that has a label. */
void trail_write_labelled(
    struct trail_writer *w, enum trail_kind kind, unsigned stream, uint64_t ts, uint32_t id)
{
	uint32_t label;
	struct stream *s = stream_short(w, kind, stream, id, &label);

	if (s != NULL)
		event_end(w, stream, s, put_short(s, kind, ts, label));
	else
		write_long(w, kind, stream, ts, id, 0);
}

/* Add an event that has a label and a value. */
void trail_write_value(
    struct trail_writer *w, enum trail_kind kind, unsigned stream, uint64_t ts, uint32_t id, int64_t value)
{
	uint32_t label;
	struct stream *s = stream_short(w, kind, stream, id, &label);

	if (s != NULL)
		event_end(w, stream, s, varint_put(put_short(s, kind, ts, label), fold(value)));
	else
		write_long(w, kind, stream, ts, id, value);
}

/* Hand on what is kept back; of streams without a stamp only at the end, since they have no place in time yet. */
static void flush(struct trail_writer *w, bool at_end)
{
	if (w->calls.open_now)
		open_refresh(w);
	for (unsigned i = 0; i < TRAIL_STREAMS; i++) {
		struct stream *s = w->streams[i];
		if (s == NULL || s->used == 0)
			continue;
		if (w->calls.open_now)
			chunk_turn(w, i, s);
		else if (s->seen || at_end)
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
