/*
 * batch.c - encode and decode the two forms of an item: a begin or an end in one word, and a long item of a
 * head, a stamp and its contents.
 */
#include "core/batch.h"

/* Kinds of long items besides those of EVENT_KINDS. */
enum { ITEM_NAME = EVENT_KIND_COUNT, ITEM_MARK };

enum form { FORM_LONG, FORM_BEGIN, FORM_END };

/* Positions of the fields in a short event; the form is in the lowest two bits. */
enum { SHORT_PHASE = 2, SHORT_DOMAIN = 10, SHORT_DISTANCE = 24, DISTANCE_BITS = 40 };

/* Positions of the fields in a long item's head; `words` counts those after the stamp. */
enum { LONG_KIND = 2, LONG_WORDS = 10, LONG_DOMAIN = 22, LONG_ID = 38 };

#define LONG_HEAD 2u

/* ---- the writer ---- */

/* Write the head and the stamp of a long item, and skip `words` words after them.  Returns where these words
 * go. */
static inline uint64_t *put_long(
    struct batch_writer *w, unsigned kind, unsigned domain, unsigned id, unsigned words, uint64_t ts)
{
	uint64_t *at = w->at;

	at[0] = FORM_LONG | (uint64_t)kind << LONG_KIND | (uint64_t)words << LONG_WORDS |
		(uint64_t)(uint16_t)domain << LONG_DOMAIN | (uint64_t)(uint16_t)id << LONG_ID;
	at[1] = ts;
	w->at = at + LONG_HEAD + words;
	if (kind <= EVENT_CUSTOM)
		w->last_ts = ts;
	return at + LONG_HEAD;
}

/* Make room for the next event if the block is full.  Returns whether to go on. */
static inline enum rtev_next goes_on(struct batch_writer *w)
{
	return w->at <= w->full ? RTEV_CONTINUE : w->filled(w);
}

static inline enum rtev_next put_phase(struct batch_writer *w, enum form form, enum event_kind kind,
    unsigned domain, uint64_t ts, rtev_phase phase)
{
	uint64_t distance = ts - w->last_ts, half = UINT64_C(1) << (DISTANCE_BITS - 1);

	if (distance + half >= 2 * half || phase >> (SHORT_DOMAIN - SHORT_PHASE) != 0 ||
	    domain >> (SHORT_DISTANCE - SHORT_DOMAIN) != 0) {
		put_long(w, kind, domain, phase, 0, ts);
	} else {
		*w->at++ = form | (uint64_t)phase << SHORT_PHASE | (uint64_t)domain << SHORT_DOMAIN |
			   distance << SHORT_DISTANCE;
		w->last_ts = ts;
	}
	return goes_on(w);
}

static enum rtev_next put_begin(void *ctx, unsigned domain, uint64_t ts, rtev_phase phase)
{
	return put_phase(ctx, FORM_BEGIN, EVENT_BEGIN, domain, ts, phase);
}

static enum rtev_next put_end(void *ctx, unsigned domain, uint64_t ts, rtev_phase phase)
{
	return put_phase(ctx, FORM_END, EVENT_END, domain, ts, phase);
}

static enum rtev_next put_counter(
    void *ctx, unsigned domain, uint64_t ts, rtev_counter counter, int64_t value)
{
	*put_long(ctx, EVENT_COUNTER, domain, counter, 1, ts) = (uint64_t)value;
	return goes_on(ctx);
}

/* Write a length and that many bytes. */
static void put_bytes(uint64_t *to, const void *data, size_t len)
{
	to[0] = len;
	memcpy(to + 1, data, len);
}

/* Write the name of a user event if the reader does not have it. */
static inline void put_name(struct batch_writer *w, const struct rtev_user_event *user)
{
	if (w->named == NULL || w->named[user->id] == (uint64_t)user->generation + 1)
		return;
	w->named[user->id] = (uint64_t)user->generation + 1;
	put_bytes(put_long(w, ITEM_NAME, 0, user->id, 1 + (user->name_len + 7u) / 8, user->generation),
	    user->name, user->name_len);
}

static enum rtev_next put_unit(void *ctx, unsigned domain, uint64_t ts, const struct rtev_user_event *user)
{
	put_name(ctx, user);
	put_long(ctx, EVENT_UNIT, domain, user->id, 0, ts);
	return goes_on(ctx);
}

static enum rtev_next put_int(
    void *ctx, unsigned domain, uint64_t ts, const struct rtev_user_event *user, int64_t value)
{
	put_name(ctx, user);
	*put_long(ctx, EVENT_INT, domain, user->id, 1, ts) = (uint64_t)value;
	return goes_on(ctx);
}

static enum rtev_next put_span(
    void *ctx, unsigned domain, uint64_t ts, const struct rtev_user_event *user, bool begin)
{
	put_name(ctx, user);
	put_long(ctx, begin ? EVENT_SPAN_BEGIN : EVENT_SPAN_END, domain, user->id, 0, ts);
	return goes_on(ctx);
}

enum rtev_next batch_put(void *ctx, const struct rtev_event *e)
{
	struct batch_writer *w = ctx;
	unsigned values = e->kind == EVENT_LOST ? 2 : 1;

	switch (e->kind) {
	case EVENT_BEGIN:
		return put_begin(w, e->domain, e->ts, e->id);
	case EVENT_END:
		return put_end(w, e->domain, e->ts, e->id);
	case EVENT_COUNTER:
		return put_counter(w, e->domain, e->ts, e->id, e->value);
	case EVENT_UNIT:
		return put_unit(w, e->domain, e->ts, e->user);
	case EVENT_INT:
		return put_int(w, e->domain, e->ts, e->user, e->value);
	case EVENT_SPAN_BEGIN:
	case EVENT_SPAN_END:
		return put_span(w, e->domain, e->ts, e->user, e->kind == EVENT_SPAN_BEGIN);
	case EVENT_ALLOC:
	case EVENT_CUSTOM:
		if (e->user != NULL)
			put_name(w, e->user);
		put_bytes(put_long(w, e->kind, e->domain, e->id, 1 + (unsigned)(e->len + 7) / 8, e->ts),
		    e->data, e->len);
		return goes_on(w);
	default:
		memcpy(put_long(w, e->kind, e->domain, e->id, values, e->ts),
		    (const int64_t[]){e->value, (int64_t)e->history}, values * sizeof(uint64_t));
		return goes_on(w);
	}
}

void batch_callbacks(struct rtev_callbacks *out)
{
	*out = event_sink_calls;
	out->begin = put_begin;
	out->end = put_end;
	out->counter = put_counter;
	out->user_unit = put_unit;
	out->user_int = put_int;
	out->user_span = put_span;
}

void batch_mark(struct batch_writer *w, unsigned mark, uint64_t value)
{
	put_long(w, ITEM_MARK, 0, mark, 0, value);
}

void batch_forget(struct batch_writer *w)
{
	memset(w->named, 0, RTEV_USER_EVENTS_MAX * sizeof(w->named[0]));
}

/* ---- the reader ---- */

static void keep_name(struct rtev_user_event *user, uint16_t id, const uint64_t *words, uint64_t generation)
{
	user->id = id;
	user->generation = (uint32_t)generation;
	user->name_len = (uint16_t)words[0];
	memcpy(user->name, words + 1, user->name_len);
	user->name[user->name_len] = '\0';
}

/* Deliver a long item.  Returns the place after it. */
static const uint64_t *deliver_long(struct batch_reader *r, struct batch_delivery *d, const uint64_t *at)
{
	const unsigned kind = at[0] >> LONG_KIND & 0xff, count = at[0] >> LONG_WORDS & 0xfff;
	const uint16_t id = (uint16_t)(at[0] >> LONG_ID);
	const uint64_t ts = at[1], *words = at + LONG_HEAD;
	enum rtev_next next = RTEV_CONTINUE;

	if (kind <= EVENT_CUSTOM) {
		r->last_ts = ts;
		d->left--;
	}
	if (kind == ITEM_NAME)
		keep_name(&r->users[id], id, words, ts);
	else if (kind == ITEM_MARK)
		next = d->mark(d->mark_ctx, id, ts);
	else {
		struct rtev_event e = {.kind = kind,
		    .domain = (uint16_t)(at[0] >> LONG_DOMAIN),
		    .ts = ts,
		    .id = id,
		    .user = &r->users[id]};

		if (kind == EVENT_ALLOC || kind == EVENT_CUSTOM) {
			e.data = words + 1;
			e.len = words[0];
		} else if (count > 0) {
			e.value = (int64_t)words[0];
			e.history = kind == EVENT_LOST ? words[1] : 0;
		}
		next = event_deliver(&e, d->calls, d->ctx);
	}
	d->stop = next != RTEV_CONTINUE;
	return words + count;
}

/* Return whether the next event ends the span that this one begins, and both may be delivered as one. */
static inline bool joins(const struct batch_delivery *d, const uint64_t *at, const uint64_t *end)
{
	const uint64_t same = (UINT64_C(1) << SHORT_DISTANCE) - 1;

	return d->calls->begin_end != NULL && end - at > 1 && d->left > 1 &&
	       (at[1] & same) == ((at[0] & same) ^ FORM_BEGIN ^ FORM_END) && (int64_t)at[1] >= 0;
}

const uint64_t *batch_deliver(
    struct batch_reader *r, struct batch_delivery *d, const uint64_t *at, const uint64_t *end)
{
	const struct rtev_callbacks *calls = d->calls;

	while (at < end && d->left != 0 && !d->stop) {
		uint64_t word = *at;
		enum form form = word & 3;
		if (form == FORM_LONG) {
			at = deliver_long(r, d, at);
			continue;
		}
		/* The shift keeps the sign: an event may be earlier than the one before. */
		r->last_ts += (uint64_t)((int64_t)word >> SHORT_DISTANCE);
		rtev_phase phase = word >> SHORT_PHASE & 0xff;
		unsigned domain = word >> SHORT_DOMAIN & 0x3fff;
		enum rtev_next next = RTEV_CONTINUE;
		if (form == FORM_BEGIN && joins(d, at, end)) {
			uint64_t begin = r->last_ts;
			r->last_ts += *++at >> SHORT_DISTANCE;
			d->left--;
			next = calls->begin_end(d->ctx, domain, begin, r->last_ts, phase);
		} else if (form == FORM_BEGIN && calls->begin != NULL)
			next = calls->begin(d->ctx, domain, r->last_ts, phase);
		else if (form == FORM_END && calls->end != NULL)
			next = calls->end(d->ctx, domain, r->last_ts, phase);
		d->stop = next != RTEV_CONTINUE;
		d->left--;
		at++;
	}
	return at;
}
