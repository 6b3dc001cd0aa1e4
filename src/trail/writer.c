/*
 * writer.c - the kinds of a trail, and how one is written: labels, chunks, events.
 */
#include "trail/writer.h"

#include <assert.h>

#include "core/array.h"
#include "core/sum.h"
#include "core/cut.h"

#define NUMBERS (RTEV_OPAQUE + RTEV_ID_LIMIT) /* possible phases, counters and lifecycle events */
#define JUMP_LEAST (UINT64_C(1) << 40)	      /* larger differences are written as TRAIL_CODE_JUMP */

static_assert(
    TRAIL_HEADER + (1 + 2 * TRAIL_OPEN_MAX) * VARINT_MAX + VARINT_SLACK + TRAIL_EVENT_MAX <= TRAIL_CHUNK,
    "a chunk has room for what is open, and an event");
static_assert(TRAIL_HEADER + VARINT_MAX + TRAIL_NOTE_MAX + 5 * VARINT_MAX + VARINT_SLACK <= TRAIL_CHUNK,
    "and for a note");

static const char *const blob_names[TRAIL_BLOB_COUNT] = {TRAIL_BLOBS(LIST_TEXT)};

const struct trail_kind_row trail_kinds[TRAIL_KIND_COUNT] = {
#define TRAIL_KIND_ROW(name, word, label, stamped) {TRAIL_LABEL_##label, stamped},
    TRAIL_KINDS(TRAIL_KIND_ROW)
#undef TRAIL_KIND_ROW
};

const char *trail_blob_name(enum trail_blob blob)
{
	return blob_names[blob];
}

struct trail_writer *trail_writer_create(const struct trail_writer_calls *calls)
{
	struct trail_writer *w = calloc(1, sizeof(*w));

	if (w == NULL)
		return NULL;
	w->calls = *calls;
	w->next_code = TRAIL_CODES_OWN;
	return w;
}

void trail_writer_destroy(struct trail_writer *w)
{
	if (w == NULL)
		return;
	for (int i = 0; i < TRAIL_LABEL_KINDS; i++)
		free(w->codes[i]);
	free(w->label_of);
	for (unsigned i = 0; i < TRAIL_STREAMS; i++)
		free(w->streams[i]);
	free(w);
}

bool trail_writer_sound(const struct trail_writer *w)
{
	return !w->failed;
}

/* Write the length of a text and at most TRAIL_NAME_MAX bytes of it. */
static uint8_t *put_text(uint8_t *p, const char *text)
{
	size_t len = strnlen(text, TRAIL_NAME_MAX);

	*p++ = (uint8_t)len;
	memcpy(p, text, len);
	return p + len;
}

void trail_write_about(struct trail_writer *w, const struct trail_about *about)
{
	uint8_t bytes[6 * 8 + 3 * (TRAIL_NAME_MAX + 1)];
	uint8_t *p = cut_put_fixed(bytes, TRAIL_VERSION, 8);

	p = cut_put_fixed(p, about->live, 8);
	p = cut_put_fixed(p, about->attach_ts, 8);
	p = cut_put_fixed(p, about->base_ts, 8);
	p = cut_put_fixed(p, (uint64_t)about->base_wall, 8);
	p = cut_put_fixed(p, (uint64_t)about->pid, 8);
	p = put_text(p, about->name);
	p = put_text(p, about->ocaml);
	p = put_text(p, about->ocaml_from);
	w->calls.blob(w->calls.ctx, TRAIL_BLOB_ABOUT, bytes, (size_t)(p - bytes));
}

/* ---- labels ---- */

/* Find the name of a label.  Returns false if there is none. */
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

/* Make room for the code of a number.  Returns false if there is none. */
static bool codes_grow(struct trail_writer *w, enum trail_label_kind kind, uint32_t number)
{
	size_t known = w->known[kind];

	if (number >= TRAIL_LABELS_MAX || (kind <= TRAIL_LABEL_LIFECYCLE && number >= NUMBERS) ||
	    !array_room(&w->codes[kind], &w->known[kind], (size_t)number + 1, sizeof(w->codes[kind][0])))
		return false;
	memset(w->codes[kind] + known, TRAIL_CODE_NONE & 0xff,
	    (w->known[kind] - known) * sizeof(w->codes[kind][0]));
	return true;
}

/* Assign a label and its codes to a number, and write the label. */
static bool label_define(struct trail_writer *w, enum trail_label_kind kind, uint32_t number)
{
	uint8_t bytes[5 + TRAIL_NAME_MAX];
	char buf[RTEV_NAME_SIZE];
	const char *text;
	size_t len;

	if (w->labels == TRAIL_LABELS_MAX ||
	    !array_room(&w->label_of, &w->label_room, w->next_code + 1, sizeof(w->label_of[0])) ||
	    !label_text(w, kind, number, buf, &text, &len))
		return false;
	if (len > TRAIL_NAME_MAX)
		len = TRAIL_NAME_MAX;
	uint8_t *p = cut_put_fixed(bytes, w->labels, 4);
	*p++ = (uint8_t)kind;
	memcpy(p, text, len);
	w->codes[kind][number] = w->next_code;
	w->label_of[w->next_code] = w->labels++;
	w->next_code += trail_label_codes(kind);
	w->calls.blob(w->calls.ctx, TRAIL_BLOB_LABEL, bytes, 5 + len);
	return true;
}

/* First code of the label of a number, assigned if need be; TRAIL_CODE_NONE if it can't have one. */
static uint32_t label_code(struct trail_writer *w, enum trail_label_kind kind, uint32_t number)
{
	if ((number >= w->known[kind] && !codes_grow(w, kind, number)) ||
	    (w->codes[kind][number] == TRAIL_CODE_NONE && !label_define(w, kind, number))) {
		w->failed = true;
		return TRAIL_CODE_NONE;
	}
	return w->codes[kind][number];
}

/* ---- chunks ---- */

static uint64_t latest_key(const struct trail_writer *w)
{
	uint64_t key = 0;

	for (unsigned i = 0; i < TRAIL_STREAMS; i++)
		if (w->streams[i] != NULL && w->streams[i]->seen && w->streams[i]->key > key)
			key = w->streams[i]->key;
	return key;
}

/* Pass on the chunk of a stream. */
static void chunk_end(struct trail_writer *w, unsigned number, struct trail_out *s)
{
	/* A chunk without a stamp is placed at the latest key of the whole trail. */
	uint64_t from = s->based ? s->from : s->seen ? s->key : latest_key(w);
	uint64_t to = s->seen ? s->key : from;

	if (s->events > 0 || (w->calls.open_now && s->open > 0)) {
		uint8_t *p = cut_put_fixed(s->bytes, number, 4);
		p = cut_put_fixed(p, s->events, 4);
		p = cut_put_fixed(p, from, 8);
		p = cut_put_fixed(p, to, 8);
		cut_put_fixed(p, s->base, 8);
		w->calls.blob(w->calls.ctx, TRAIL_BLOB_EVENTS, s->bytes, (size_t)(s->at - s->bytes));
		/* Keys must not decrease across chunks without a stamp. */
		s->key = to;
		s->seen = true;
	}
	s->at = NULL;
	s->ready = false;
}

/* Start a chunk with the list of open spans, which is empty unless `ask`. */
static void chunk_begin(struct trail_writer *w, unsigned number, struct trail_out *s, bool ask)
{
	struct trail_open open[TRAIL_OPEN_MAX];
	unsigned count = 0, kept = 0;
	uint32_t labels[TRAIL_OPEN_MAX];

	if (ask && number < TRAIL_DOMAINS)
		count = w->calls.open(w->calls.ctx, number, open, TRAIL_OPEN_MAX);
	for (unsigned i = 0; i < count; i++) {
		open[kept] = open[i];
		uint32_t code =
		    label_code(w, open[i].user ? TRAIL_LABEL_SPAN : TRAIL_LABEL_PHASE, open[i].id);
		if (code != TRAIL_CODE_NONE)
			labels[kept++] = w->label_of[code];
	}
	uint8_t *p = varint_put(s->bytes + TRAIL_HEADER, kept);
	for (unsigned i = 0; i < kept; i++) {
		p = varint_put(p, labels[i]);
		p = varint_put(p, open[i].begin);
	}
	s->at = p;
	s->events = 0;
	s->open = kept;
	s->based = s->ready = false;
	s->base = s->last;
	for (unsigned i = 0; i < kept && w->calls.open_now; i++) {
		s->key = open[i].begin > s->key ? open[i].begin : s->key;
		s->seen = true;
	}
}

/* The stream of this number, created if need be; NULL if out of memory. */
static struct trail_out *stream_of(struct trail_writer *w, unsigned number)
{
	if (number >= TRAIL_STREAMS)
		return NULL;
	if (w->streams[number] == NULL)
		w->streams[number] = calloc(1, sizeof(*w->streams[number]));
	return w->streams[number];
}

/* Write the difference of the stamp and the code. */
static uint8_t *put_head(uint8_t *p, uint64_t difference, uint32_t code)
{
	if (difference >= JUMP_LEAST) {
		p = varint_put(trail_put_head(p, 0, TRAIL_CODE_JUMP), fold((int64_t)difference));
		difference = 0;
	}
	if (code < TRAIL_CODE_FAR)
		return trail_put_head(p, difference, code);
	return varint_put(trail_put_head(p, difference, TRAIL_CODE_FAR), code - TRAIL_CODE_FAR);
}

/* Record the stamp of an event.  Returns its difference to the one before. */
static uint64_t stamp(struct trail_out *s, uint64_t ts)
{
	if (ts > s->key)
		s->key = ts;
	if (!s->based) {
		s->based = s->seen = s->ready = true;
		s->base = s->last = ts;
		s->from = s->key;
	}
	uint64_t difference = ts - s->last;
	s->last = ts;
	return difference;
}

/* Write what follows the stamp. */
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
	case TRAIL_NOTE:
		p = varint_put(varint_put(p, e->id), e->len);
		if (e->len > 0)
			memcpy(p, e->data, e->len);
		return p + e->len;
	case TRAIL_LOST:
		return varint_put(varint_put(p, e->words), e->history);
	case TRAIL_CORRUPT:
		return varint_put(p, e->words);
	default:
		return p;
	}
}

/* Restart the chunks that have no events yet, since the spans open there may have changed. */
static void open_refresh(struct trail_writer *w)
{
	for (unsigned i = 0; i < TRAIL_DOMAINS; i++) {
		struct trail_out *s = w->streams[i];
		if (s != NULL && s->at != NULL && s->events == 0)
			chunk_begin(w, i, s, true);
	}
}

/* Pass on the chunk of a stream and start the next with the spans open now. */
static void chunk_turn(struct trail_writer *w, unsigned number, struct trail_out *s)
{
	chunk_end(w, number, s);
	chunk_begin(w, number, s, true);
}

void trail_writer_begin(struct trail_writer *w, unsigned domain)
{
	struct trail_out *s = stream_of(w, domain);

	if (s == NULL)
		w->failed = true;
	else if (s->at == NULL)
		chunk_begin(w, domain, s, true);
}

/* Bytes in the chunk of a stream. */
static size_t used(const struct trail_out *s)
{
	return s->at != NULL ? (size_t)(s->at - s->bytes) : 0;
}

/* The stream of this number, with a chunk that has room; NULL if out of memory. */
static struct trail_out *stream_ready(struct trail_writer *w, unsigned number, size_t need)
{
	struct trail_out *s = stream_of(w, number);

	if (s == NULL)
		return NULL;
	if (used(s) + need > TRAIL_CHUNK)
		chunk_end(w, number, s);
	/* With `open_now` a domain without a chunk had no spans open before this event. */
	if (s->at == NULL)
		chunk_begin(w, number, s, !w->calls.open_now);
	return s;
}

/* With `open_now` the next chunk starts at once, because open spans can be asked for only between events. */
void trail_writer_full(struct trail_writer *w, unsigned number)
{
	struct trail_out *s = w->streams[number];

	if (w->calls.open_now)
		chunk_turn(w, number, s);
	else
		chunk_end(w, number, s);
}

/* Code of an event; TRAIL_CODE_NONE if it can't have one. */
static uint32_t code_of(struct trail_writer *w, const struct trail_event *event)
{
	enum trail_label_kind label = trail_kinds[event->kind].label;

	if (label == TRAIL_LABEL_NONE)
		return event->kind;
	uint32_t code = label_code(w, label, event->id);
	return code == TRAIL_CODE_NONE ? code : code + trail_kind_ends(event->kind);
}

/* After an event of the whole target, the open spans of any domain may have changed. */
static void target_changed(struct trail_writer *w, const struct trail_out *target)
{
	open_refresh(w);
	if (used(target) > TRAIL_CHUNK_FULL)
		trail_writer_flush(w);
}

void trail_write(struct trail_writer *w, const struct trail_event *event)
{
	size_t need = TRAIL_EVENT_MAX + (event->kind == TRAIL_NOTE ? event->len : 0);
	uint64_t difference = 0;
	uint32_t code = code_of(w, event);

	if (code == TRAIL_CODE_NONE)
		return;
	struct trail_out *s = stream_ready(w, event->stream, need);
	if (s == NULL) {
		w->failed = true;
		return;
	}
	if (event->kind == TRAIL_REATTACH)
		difference = stamp(s, sum_saturating(latest_key(w), 1));
	else if (trail_kinds[event->kind].stamped)
		difference = stamp(s, event->ts);
	s->at = put_content(put_head(s->at, difference, code), event);
	s->events++;
	if (w->calls.open_now && event->stream == TRAIL_TARGET)
		target_changed(w, s);
	else if (used(s) > TRAIL_CHUNK_FULL)
		trail_writer_full(w, event->stream);
}

/* Pass on all chunks.  A stream without any stamp has no place in time yet, so its chunk waits until the end. */
static void flush(struct trail_writer *w, bool at_end)
{
	if (w->calls.open_now)
		open_refresh(w);
	for (unsigned i = 0; i < TRAIL_STREAMS; i++) {
		struct trail_out *s = w->streams[i];
		if (s == NULL || s->at == NULL)
			continue;
		if (w->calls.open_now)
			chunk_turn(w, i, s);
		else if (s->seen || at_end)
			chunk_end(w, i, s);
	}
}

void trail_writer_flush(struct trail_writer *w)
{
	flush(w, false);
}

void trail_writer_finish(struct trail_writer *w, uint64_t end)
{
	uint8_t bytes[8];

	flush(w, true);
	cut_put_fixed(bytes, end, 8);
	w->calls.blob(w->calls.ctx, TRAIL_BLOB_END, bytes, sizeof(bytes));
}
