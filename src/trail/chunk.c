/*
 * chunk.c - decode the chunks of one stream.
 *
 * When a chunk turns out to be invalid, decoding of it stops, and one TRAIL_CORRUPT event takes the place of
 * the rest.  Keys are checked against the range in the chunk's header, so that merging streams stays in order
 * whatever a chunk contains.
 */
#include <unistd.h>

#include "core/array.h"
#include "core/sum.h"
#include "trail/reader_private.h"

bool trail_fetch(const struct trail *t, uint64_t offset, size_t size, uint8_t *to)
{
	size_t got = 0;

	while (got < size) {
		ssize_t n = pread(t->fd, to + got, size - got, (off_t)(offset + got));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		got += (size_t)n;
	}
	return true;
}

/* Read a chunk into `to`.  Returns false if the file has no such bytes. */
static bool fetch(const struct trail *t, const struct chunk *c, uint8_t *to)
{
	if (t->store == NULL)
		return trail_fetch(t, c->offset, c->size, to);
	memcpy(to, c->piece->data, c->size);
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

bool stream_advance(struct trail *t, struct stream *s)
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

bool stream_enter(struct trail *t, struct stream *s, size_t chunk)
{
	s->next = chunk;
	s->damaged = false;
	if (!load(t, s))
		return false;
	s->entered = true;
	s->bare = s->left == 0;
	return s->bare || stream_advance(t, s);
}
