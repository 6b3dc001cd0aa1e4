/*
 * feed.c - merge the streams and deliver their events in the order of their keys.
 *
 * A binary heap holds the streams that have a current event.  Among equal keys the target's stream goes
 * first, because a resume is announced before the events that follow it; then the lower domain.
 */
#include "core/order.h"
#include "trail/reader_private.h"

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
