/*
 * feed.c - decode the chunks of each stream, merge the streams, and deliver their events in the order of their keys.
 *
 * When a chunk turns out to be invalid, decoding of it stops, and one TRAIL_CORRUPT event takes the place of
 * the rest.  Keys are checked against the range in the chunk's header, so that merging streams stays in order
 * whatever a chunk contains.
 *
 * A binary heap holds the streams that have a current event.  Among equal keys the target's stream goes
 * first, because a resume is announced before the events that follow it; then the lower domain.
 */
#include <unistd.h>

#include "core/array.h"
#include "core/order.h"
#include "core/sum.h"
#include "trail/reader_private.h"

/* Read a chunk into `to`.  Returns false if the file has no such bytes. */
static bool fetch(const struct trail *t, const struct chunk *c, uint8_t *to)
{
	size_t got = 0;

	if (t->store != NULL) {
		memcpy(to, c->piece->data, c->size);
		return true;
	}
	while (got < c->size) {
		ssize_t n = pread(t->fd, to + got, c->size - got, (off_t)(c->offset + got));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		got += (size_t)n;
	}
	return true;
}

/* Replace the rest of the chunk by one TRAIL_CORRUPT event. */
static void damage(struct trail *t, struct stream *s)
{
	s->event = (struct trail_event){.kind = TRAIL_CORRUPT,
	    .stream = s->number,
	    .words = (uint64_t)(s->rest.end - s->rest.at) / 8 + 1};
	s->left = 0;
	s->damaged = true;
	/* Count a damaged chunk once, however often it is delivered. */
	if (s->next > s->told)
		t->info.damaged++;
	s->told = s->next > s->told ? s->next : s->told;
}

/* Check the list of open spans and skip it; tell_open reads it later. */
static void pass_open(const struct trail *t, struct stream *s)
{
	s->open_count = cut_varint(&s->rest, UINT64_MAX);
	s->open = s->rest;
	if (s->open_count > TRAIL_OPEN_MAX)
		s->rest.fault = true;
	for (uint64_t i = 0; i < s->open_count && !s->rest.fault; i++) {
		if (cut_varint(&s->rest, UINT64_MAX) >= t->label_count)
			s->rest.fault = true;
		cut_varint(&s->rest, UINT64_MAX);
	}
	if (s->rest.fault)
		s->open_count = 0;
}

/* Load the next chunk; a chunk that can't be read counts as damaged.  Returns false if there is no chunk. */
static bool load(struct trail *t, struct stream *s)
{
	if (s->next >= s->count)
		return false;
	const struct chunk *c = &s->chunks[s->next++];
	s->key = c->from;
	s->to = c->to;
	s->left = c->events;
	s->open_count = 0;
	s->rest = (struct cut){.at = s->payload, .end = s->payload};
	if (array_room(&s->bytes, &s->bytes_room, c->size, 1) && fetch(t, c, s->bytes)) {
		/* The index has read the rest of the header.  It is not read again: the file may have changed. */
		s->rest = (struct cut){.at = s->bytes + TRAIL_HEADER - 8, .end = s->bytes + c->size};
		s->last = cut_fixed(&s->rest, 8);
		pass_open(t, s);
	} else {
		s->rest.fault = true;
	}
	return true;
}

/* Read a note.  Its bytes stay in the chunk. */
static void get_note(struct cut *b, struct trail_event *e)
{
	uint64_t kind = cut_varint(b, UINT64_MAX);

	e->len = (size_t)cut_varint(b, UINT64_MAX);
	e->data = b->fault || kind > UINT32_MAX ? NULL : cut_bytes(b, e->len);
	e->id = (uint32_t)kind;
	if (e->data == NULL)
		b->fault = true;
}

/* Read what follows the stamp of an event. */
static void get_content(struct stream *s, struct trail_event *e)
{
	struct cut *b = &s->rest;
	const uint8_t *kept;

	switch (e->kind) {
	case TRAIL_COUNTER:
	case TRAIL_INT:
	case TRAIL_LIFECYCLE:
		e->value = unfold(cut_varint(b, UINT64_MAX));
		break;
	case TRAIL_ALLOC:
		for (unsigned i = 0; i < RTEV_ALLOC_BUCKETS; i++)
			s->buckets[i] = cut_varint(b, UINT64_MAX);
		e->buckets = s->buckets;
		break;
	case TRAIL_CUSTOM:
		e->len = (size_t)cut_varint(b, UINT64_MAX);
		e->kept = (size_t)cut_varint(b, UINT64_MAX);
		if (e->len > TRAIL_PAYLOAD_MAX || e->kept > e->len)
			b->fault = true;
		kept = b->fault ? NULL : cut_bytes(b, e->kept);
		if (kept == NULL)
			break;
		memcpy(s->payload, kept, e->kept);
		memset(s->payload + e->kept, 0, e->len - e->kept);
		e->data = s->payload;
		break;
	case TRAIL_NOTE:
		get_note(b, e);
		break;
	case TRAIL_LOST:
		e->words = words_sum(cut_varint(b, UINT64_MAX), 0);
		e->history = words_sum(cut_varint(b, UINT64_MAX), 0);
		break;
	case TRAIL_CORRUPT:
		e->words = words_sum(cut_varint(b, UINT64_MAX), 0);
		break;
	default:
		break;
	}
}

/* Read kind, label and stamp.  Returns false if they are invalid. */
static bool get_head(const struct trail *t, struct stream *s, struct trail_event *e)
{
	struct cut *b = &s->rest;
	uint64_t head = cut_varint(b, UINT64_MAX);

	if (head == TRAIL_CODE_JUMP) {
		s->last += (uint64_t)unfold(cut_varint(b, UINT64_MAX));
		head = cut_varint(b, UINT64_MAX);
	}
	uint64_t code = head & ((1u << TRAIL_CODE_BITS) - 1);
	head >>= TRAIL_CODE_BITS;
	if (code == TRAIL_CODE_FAR)
		code += cut_varint(b, UINT64_MAX);
	if (b->fault || code >= t->code_count)
		return false;
	e->kind = (enum trail_kind)t->codes[code].kind;
	e->id = t->codes[code].label;
	if (e->kind == TRAIL_KIND_COUNT || (!trail_kinds[e->kind].stamped && head != 0))
		return false;
	s->last += head;
	return true;
}

/* Read an event.  Returns false if it is invalid. */
static bool get_event(const struct trail *t, struct stream *s)
{
	struct trail_event e = {.stream = s->number};

	if (!get_head(t, s, &e) ||
	    (s->number == TRAIL_TARGET) !=
		(e.kind == TRAIL_RESUME || e.kind == TRAIL_REATTACH || e.kind == TRAIL_NOTE))
		return false;
	if (trail_kinds[e.kind].stamped) {
		e.ts = s->last;
		if (e.ts > s->to)
			return false;
		if (e.ts > s->key)
			s->key = e.ts;
	}
	get_content(s, &e);
	s->event = e;
	return !s->rest.fault;
}

/* Read the next event of a stream.  Returns false at its end. */
static bool stream_advance(struct trail *t, struct stream *s)
{
	s->damaged = false;
	while (s->left == 0)
		if (!load(t, s))
			return false;
	if (s->rest.fault || !get_event(t, s))
		damage(t, s);
	else
		s->left--;
	return true;
}

/* Start reading a stream with the chunk of this index.  Returns false if there is nothing to read. */
static bool stream_enter(struct trail *t, struct stream *s, size_t chunk)
{
	s->next = chunk;
	s->damaged = false;
	if (!load(t, s))
		return false;
	s->entered = true;
	s->bare = s->left == 0;
	return s->bare || stream_advance(t, s);
}

/* ---- merging ---- */

/* Whether stream `a` is delivered before stream `b`. */
static bool before(const struct stream *a, const struct stream *b)
{
	unsigned x = (a->number + 1) % TRAIL_STREAMS, y = (b->number + 1) % TRAIL_STREAMS;

	return a->key != b->key ? a->key < b->key : x < y;
}

/* Restore the heap below a place. */
static void sink_down(struct trail *t, unsigned at)
{
	for (;;) {
		unsigned child = 2 * at + 1;
		if (child >= t->heap_count)
			return;
		if (child + 1 < t->heap_count && before(t->heap[child + 1], t->heap[child]))
			child++;
		if (!before(t->heap[child], t->heap[at]))
			return;
		struct stream *s = t->heap[at];
		t->heap[at] = t->heap[child];
		t->heap[child] = s;
		at = child;
	}
}

/* Index of the chunk at which reading from a key has to start. */
static size_t chunk_of(const struct stream *s, uint64_t key)
{
	struct order_search at = {.high = s->count};

	/* The last chunk that starts before the key, because all chunks that start at the key must still be
	 * delivered. */
	while (order_middle(&at))
		order_turn(&at, s->chunks[at.middle].from < key);
	return at.low > 0 ? at.low - 1 : 0;
}

void trail_rewind(struct trail *t, uint64_t since)
{
	t->heap_count = 0;
	t->delivered = false;
	for (unsigned i = 0; i < TRAIL_STREAMS; i++) {
		struct stream *s = t->streams[i];
		if (s != NULL && stream_enter(t, s, chunk_of(s, since)))
			t->heap[t->heap_count++] = s;
	}
	for (unsigned i = t->heap_count / 2; i-- > 0;)
		sink_down(t, i);
}

uint64_t trail_events_until(const struct trail *t, uint64_t key)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < TRAIL_STREAMS; i++) {
		const struct stream *s = t->streams[i];
		if (s == NULL || s->count == 0 || s->chunks[0].from > key)
			continue;
		const struct chunk *c = &s->chunks[chunk_of(s, key)];
		sum += c->before + (c->to <= key ? c->events : c->events / 2);
	}
	return sum;
}

uint64_t trail_since(const struct trail *t, uint64_t key, uint64_t events)
{
	uint64_t all = trail_events_until(t, key);
	struct order_search at = {.low = t->info.start, .high = key};

	if (all <= events || at.low >= at.high)
		return 0;
	while (order_middle(&at))
		order_turn(&at, all - trail_events_until(t, at.middle) > events);
	return at.low;
}

/* Deliver the list of open spans of the chunk that reading starts with. */
static void tell_open(struct trail *t, struct stream *s, const struct trail_sink *sink)
{
	for (uint64_t i = 0; i < s->open_count; i++) {
		const struct label *label = &t->labels[cut_varint(&s->open, UINT64_MAX)];
		uint64_t ts = cut_varint(&s->open, UINT64_MAX);
		if (ts > s->key || s->number == TRAIL_TARGET)
			continue;
		if (label->kind == TRAIL_LABEL_PHASE)
			sink->calls.begin(sink->ctx, s->number, ts, (rtev_phase)label->id);
		else if (label->kind == TRAIL_LABEL_SPAN)
			sink->calls.user_span(sink->ctx, s->number, ts, &label->user, true);
	}
	s->open_count = 0;
}

static enum rtev_next deliver(
    const struct trail *t, const struct trail_event *e, const struct trail_sink *sink)
{
	const enum trail_label_kind kind = trail_kinds[e->kind].label;
	const struct label *label = kind != TRAIL_LABEL_NONE ? &t->labels[e->id] : NULL;
	struct rtev_event event = {.kind = (enum event_kind)e->kind, .domain = e->stream, .ts = e->ts};

	switch (e->kind) {
	case TRAIL_RESUME:
		sink->resume(sink->ctx, e->ts);
		return RTEV_CONTINUE;
	case TRAIL_NOTE:
		if (sink->note != NULL)
			sink->note(sink->note_ctx, e->id, e->ts, e->data, e->len);
		return RTEV_CONTINUE;
	case TRAIL_REATTACH:
		sink->reopened(sink->ctx);
		return RTEV_CONTINUE;
	case TRAIL_ALLOC:
		event.data = e->buckets;
		break;
	case TRAIL_CUSTOM:
		event.data = e->data;
		event.len = e->len;
		break;
	case TRAIL_LOST:
	case TRAIL_CORRUPT:
		event.value = (int64_t)e->words;
		event.history = e->history;
		break;
	default:
		event.value = e->value;
		break;
	}
	if (kind >= TRAIL_LABEL_UNIT && label != NULL)
		event.user = &label->user;
	else if (label != NULL)
		event.id = (uint16_t)label->id;
	return event_deliver(&event, &sink->calls, sink->ctx);
}

uint64_t trail_feed(struct trail *t, const struct trail_sink *sink, uint64_t until, uint64_t max)
{
	uint64_t done = 0;
	bool stop = false;

	while (!stop && done < max && t->heap_count > 0 && t->heap[0]->key <= until) {
		struct stream *s = t->heap[0];
		bool bare = s->entered && s->bare;
		if (s->entered)
			tell_open(t, s, sink);
		s->entered = false;
		if (!bare) {
			/* The target's stream has no domain whose words could be corrupt. */
			if (!s->damaged || s->number != TRAIL_TARGET)
				stop = deliver(t, &s->event, sink) == RTEV_STOP;
			t->delivered = true;
			t->last_key = s->key;
			done++;
		}
		if (!stream_advance(t, s))
			t->heap[0] = t->heap[--t->heap_count];
		sink_down(t, 0);
	}
	return done;
}

bool trail_next(const struct trail *t, uint64_t *key)
{
	if (t->heap_count == 0)
		return false;
	*key = t->heap[0]->key;
	return true;
}

bool trail_last(const struct trail *t, uint64_t *key)
{
	*key = t->last_key;
	return t->delivered;
}
