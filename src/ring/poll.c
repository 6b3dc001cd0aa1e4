/*
 * poll.c - deliver events: visit the rings in turn, read each in batches, and call back for every record.
 *
 * A visit ends at the tail seen when it began.  Positions are exact: after a poll ends (by the budget, by a
 * callback that returns RTEV_STOP, or by an error), the next poll continues with the next record.
 */
#include "core/sized.h"
#include "ring/atomics.h"
#include "ring/cursor_state.h"

#include <string.h>

/* State of one poll. */
struct delivery {
	struct rtev_cursor *cursor;
	struct rtev_callbacks calls;
	void *ctx;
	uint64_t budget; /* events that may still be delivered */
	uint64_t delivered;
	uint32_t ahead; /* the user event last looked ahead for */
	uint64_t words; /* words that the poll may still read */
	bool stop;	/* a callback returned RTEV_STOP, or a budget is used up */
	bool cut;	/* the word budget is used up and more can be read */
};

/* Report lost words, `history` of them from before the cursor was opened. */
static void call_lost(struct delivery *d, unsigned domain, uint64_t words, uint64_t history)
{
	if (d->calls.lost != NULL && d->calls.lost(d->ctx, domain, words, history) != RTEV_CONTINUE)
		d->stop = true;
}

/* Report the words skipped before the position, where a record begins again. */
static void report_skipped(struct delivery *d, struct cursor_ring *ring, unsigned domain)
{
	enum footing footing = ring->footing;
	uint64_t words = ring->skipped, from = ring->position - words;

	ring->footing = FOOTING_FIRM;
	ring->skipped = 0;
	ring->after_gap = true;
	if (footing == FOOTING_LOST) {
		uint64_t history = ring->head_at_open > from ? ring->head_at_open - from : 0;
		call_lost(d, domain, words, history < words ? history : words);
	} else if (words != 0 && d->calls.corrupt != NULL &&
		   d->calls.corrupt(d->ctx, domain, words) != RTEV_CONTINUE) {
		d->stop = true;
	}
}

/* Skip words that were overwritten before they were read.  `aligned`: a record begins after them. */
static void pass_lost(
    struct delivery *d, struct cursor_ring *ring, unsigned domain, uint64_t words, bool aligned)
{
	if (ring->footing == FOOTING_CORRUPT) {
		report_skipped(d, ring, domain);
		if (d->stop)
			return;
	}
	ring->position += words;
	ring->skipped += words;
	ring->footing = FOOTING_LOST;
	if (aligned)
		report_skipped(d, ring, domain);
}

/* Drop the falls before a position, and recompute the ceiling. */
static void falls_pass(struct cursor_ring *ring, uint64_t position)
{
	unsigned kept = 0;

	ring->ceiling = UINT64_MAX;
	for (unsigned i = 0; i < ring->fall_count; i++) {
		struct fall fall = ring->falls[i];
		if (fall.position < position)
			continue;
		if (fall.ts < ring->ceiling)
			ring->ceiling = fall.ts;
		ring->falls[kept++] = fall;
	}
	ring->fall_count = kept;
}

/* Return how far the next stamp may be above the last one.  A stamp outside that range is treated as a
 * fall: unsigned arithmetic makes one that goes back exceed it, and so does the first one above the
 * ceiling, the lowest stamp after the falls ahead. */
static inline uint64_t stamp_room(const struct cursor_ring *ring, uint64_t last)
{
	return (last <= ring->ceiling ? ring->ceiling : UINT64_MAX) - last;
}

/* Report that the record at a position, whose stamp seems to fall, is not adjacent to the one before. */
static void report_fall(struct delivery *d, struct cursor_ring *ring, unsigned domain, uint64_t position,
    uint64_t ts, uint64_t last)
{
	falls_pass(ring, position + 1);
	/* The ceiling may have come from a fall that is now behind the position. */
	bool falls = ts - last > stamp_room(ring, last);
	if (falls && last != 0 && d->calls.corrupt != NULL &&
	    d->calls.corrupt(d->ctx, domain, 0) != RTEV_CONTINUE)
		d->stop = true;
}

/* Return the exact length in bytes of a custom record's payload, SIZE_MAX if its last byte is invalid. */
static size_t custom_length(const uint64_t *record, uint32_t length)
{
	size_t bytes = (size_t)(length - 2) * sizeof(uint64_t);
	unsigned char pad = ((const unsigned char *)(record + 2))[bytes - 1];

	return pad < sizeof(uint64_t) ? bytes - 1 - pad : SIZE_MAX;
}

/* Call back for one user record.  Returns false if the record is invalid. */
static bool deliver_user(
    struct delivery *d, unsigned domain, const uint64_t *record, uint32_t length, enum rtev_next *next)
{
	const struct rtev_callbacks *calls = &d->calls;
	uint64_t ts = record[1];
	uint32_t type = header_type(record[0]);
	const struct rtev_user_event *event = cursor_user_event(d->cursor, header_id(record[0]));

	switch (type) {
	case RECORD_USER_UNIT:
		if (calls->user_unit != NULL)
			*next = calls->user_unit(d->ctx, domain, ts, event);
		break;
	case RECORD_USER_INT:
		if (calls->user_int != NULL)
			*next = calls->user_int(d->ctx, domain, ts, event, (int64_t)record[2]);
		break;
	case RECORD_USER_SPAN_BEGIN:
	case RECORD_USER_SPAN_END:
		if (calls->user_span != NULL)
			*next = calls->user_span(d->ctx, domain, ts, event, type == RECORD_USER_SPAN_BEGIN);
		break;
	case RECORD_USER_CUSTOM: {
		size_t bytes = custom_length(record, length);
		if (bytes == SIZE_MAX)
			return false;
		if (calls->user_custom != NULL)
			*next = calls->user_custom(d->ctx, domain, ts, event, record + 2, bytes);
		break;
	}
	default: /* a type of a later runtime */
		break;
	}
	return true;
}

/* Call back for one record of any kind.  Returns false if the record is invalid. */
static bool deliver_record(
    struct delivery *d, unsigned domain, const uint64_t *record, uint32_t length, enum rtev_next *next)
{
	const struct rtev_callbacks *calls = &d->calls;
	uint32_t id = header_id(record[0]), type = header_type(record[0]);
	uint64_t ts = record[1];

	if (type >= RECORD_USER_UNIT)
		return deliver_user(d, domain, record, length, next);
	switch (type) {
	case RECORD_BEGIN:
		if (calls->begin != NULL)
			*next = calls->begin(d->ctx, domain, ts, d->cursor->phases[id]);
		break;
	case RECORD_END:
		if (calls->end != NULL)
			*next = calls->end(d->ctx, domain, ts, d->cursor->phases[id]);
		break;
	case RECORD_COUNTER:
		if (calls->counter != NULL)
			*next =
			    calls->counter(d->ctx, domain, ts, d->cursor->counters[id], (int64_t)record[2]);
		break;
	case RECORD_ALLOC:
		if (calls->alloc != NULL)
			*next = calls->alloc(d->ctx, domain, ts, record + 2);
		break;
	case RECORD_LIFECYCLE:
		if (calls->lifecycle != NULL)
			*next = calls->lifecycle(d->ctx, domain, ts,
			    (rtev_lifecycle)(id < RTEV_LIFECYCLE_COUNT ? id : RTEV_OPAQUE + id),
			    length > 2 ? (int64_t)record[2] : 0);
		break;
	default: /* a type of a later runtime */
		break;
	}
	return true;
}

/* Look some words ahead for a user event, so that memory is there when its turn comes.  The word need not be a
 * header: then nothing is gained. */
static inline void look_ahead(struct delivery *d, const struct cursor_ring *ring, unsigned domain,
    const uint64_t *record, const uint64_t *end)
{
	if (end - record <= AHEAD_WORDS)
		return;
	uint64_t header = record[AHEAD_WORDS];
	if (header_type(header) < RECORD_USER_UNIT || !header_sound(&ring->source, header))
		return;
	uint32_t id = header_id(header);
	if (id == d->ahead)
		return;
	d->ahead = id;
	__builtin_prefetch(&d->cursor->users[id]);
	if (d->calls.user_ahead != NULL)
		d->calls.user_ahead(d->ctx, domain, (uint16_t)id);
}

/* Deliver the records of a batch.  Returns the number of words used; *broken: the record after them is
 * invalid.  The most frequent records have branches of their own: their length is then a constant, so the
 * processor can start on the next record before it has loaded this header.  `ordered` is a compile-time
 * constant: no stamp goes back. */
static inline __attribute__((always_inline)) uint32_t deliver_records(struct delivery *d,
    struct cursor_ring *ring, unsigned domain, const struct ring_batch *batch, bool ordered, bool *broken)
{
	const uint64_t *record = batch->words, *end = record + batch->count;
	uint64_t budget = d->budget;
	const bool ahead = d->cursor->users_known > AHEAD_NAMES;
	/* The stamp of the record before, 0 after a gap, and how far the next stamp may be above it. */
	uint64_t last = ring->after_gap ? 0 : ring->last_ts, room = stamp_room(ring, last);

	*broken = false;
	while (record < end) {
		uint64_t header = record[0], ts;
		uint32_t length = header_length(header), id = header_id(header);
		enum rtev_next next = RTEV_CONTINUE;
		if ((header & ring->source.blank) != 0 || length > (size_t)(end - record)) {
			/* Invalid, or cut off by the end of the batch. */
			*broken = batch->at_edge || header_broken(&ring->source, header);
			break;
		}
		switch (header >> HEADER_TYPE_SHIFT) {
		case USUAL_BEGIN:
			ts = record[1];
			if (!ordered && ts - last > room)
				goto fall;
			record += 2;
			if (d->calls.begin != NULL)
				next = d->calls.begin(d->ctx, domain, ts, d->cursor->phases[id]);
			break;
		case USUAL_END:
			ts = record[1];
			if (!ordered && ts - last > room)
				goto fall;
			record += 2;
			if (d->calls.end != NULL)
				next = d->calls.end(d->ctx, domain, ts, d->cursor->phases[id]);
			break;
		case USUAL_SPAN_BEGIN:
		case USUAL_SPAN_END:
			ts = record[1];
			if (!ordered && ts - last > room)
				goto fall;
			if (ahead)
				look_ahead(d, ring, domain, record, end);
			record += 2;
			if (d->calls.user_span != NULL)
				next =
				    d->calls.user_span(d->ctx, domain, ts, cursor_user_event(d->cursor, id),
					header_type(header) == RECORD_USER_SPAN_BEGIN);
			break;
		default:
			if (header_type(header) == RECORD_PADDING && length != 0) {
				record += length;
				continue;
			}
			*broken = header_broken(&ring->source, header);
			if (*broken)
				goto done;
			ts = record[1];
			if (!ordered && ts - last > room)
				goto fall;
			*broken = !deliver_record(d, domain, record, length, &next);
			if (*broken)
				goto done;
			record += length;
			break;
		}
		if (ordered) {
			ring->last_ts = ts;
		} else {
			room -= ts - last;
			last = ts;
		}
		if (--budget == 0 || next != RTEV_CONTINUE) {
			d->stop = true;
			break;
		}
		continue;
	fall:
		report_fall(d, ring, domain, batch->start + (uint64_t)(record - batch->words), ts, last);
		last = ts;
		room = stamp_room(ring, last);
		if (d->stop)
			break;
	}
done:
	if (!ordered && last != 0)
		ring->last_ts = last;
	if (last != 0 || (ordered && record > batch->words))
		ring->after_gap = false;
	d->delivered += d->budget - budget;
	d->budget = budget;
	return (uint32_t)(record - batch->words);
}

/* deliver_records for words in which a scan found no stamp that goes back. */
static __attribute__((noinline)) uint32_t deliver_ordered(struct delivery *d, struct cursor_ring *ring,
    unsigned domain, const struct ring_batch *batch, bool *broken)
{
	return deliver_records(d, ring, domain, batch, true, broken);
}

/* deliver_records for words in which stamps may go back. */
static __attribute__((noinline)) uint32_t deliver_unordered(struct delivery *d, struct cursor_ring *ring,
    unsigned domain, const struct ring_batch *batch, bool *broken)
{
	return deliver_records(d, ring, domain, batch, false, broken);
}

/* Deliver the records of a batch with the variant that fits what scans found. */
static uint32_t deliver_batch(struct delivery *d, struct cursor_ring *ring, unsigned domain,
    const struct ring_batch *batch, bool *broken)
{
	bool ordered =
	    ring->position < ring->walked && (ring->last_fall == 0 || ring->position > ring->last_fall);

	return (ordered ? deliver_ordered : deliver_unordered)(d, ring, domain, batch, broken);
}

/* Skip words of a batch, from offset `at`, up to the next trusted place, and report them if that was
 * found.  `from` is the first offset to try, relative to `at`: 0 where a record may begin, 1 where the
 * record is known to be invalid. */
static void seek_footing(struct delivery *d, struct cursor_ring *ring, unsigned domain,
    const struct ring_batch *batch, uint32_t at, uint32_t from, uint64_t limit)
{
	bool found;
	uint64_t to = ring->position;
	/* Records with lower stamps are left from an overwritten lap, unless a scan found a fall ahead. */
	uint64_t least = ring->fall_count == 0 ? ring->last_ts : 0;

	to += ring->footing == FOOTING_LOST ? ring_resync_lost(&ring->source, batch, limit, least, &found)
					    : ring_resync(&ring->source, batch, at, from, least, &found);

	if (!found && to == batch->start + batch->count)
		found = ring_pass_hole(&ring->source, &to, limit);
	uint64_t words = to - ring->position;
	/* Words that a cursor can't align to at its opening count as history too. */
	if (ring->footing == FOOTING_LOST && ring->position == ring->head_at_open)
		ring->head_at_open += words;
	ring->skipped += words;
	ring->position += words;
	if (found)
		report_skipped(d, ring, domain);
}

/* Report a restart, after the words of the old ring that were unread. */
static int report_restart(struct delivery *d, struct cursor_ring *ring, unsigned domain)
{
	int status = cursor_check_layout(d->cursor);

	if (status != RTEV_OK)
		return status;
	if (ring->gone != 0) {
		uint64_t gone = ring->gone, history = ring->gone_history;
		ring->gone = ring->gone_history = 0;
		call_lost(d, domain, gone, history);
		if (d->stop)
			return RTEV_OK;
	}
	ring->restarted = false;
	if (d->calls.restart != NULL && d->calls.restart(d->ctx, domain) != RTEV_CONTINUE)
		d->stop = true;
	return RTEV_OK;
}

/* Skip the words of a finished ring whose head and tail contradict each other: no writer will correct
 * them. */
static void pass_unreadable(
    struct delivery *d, struct cursor_ring *ring, unsigned domain, const struct ring_window *window)
{
	if (!d->cursor->finished || window->tail <= ring->position)
		return;
	ring->footing = FOOTING_CORRUPT;
	ring->skipped += window->tail - ring->position;
	ring->position = window->tail;
	report_skipped(d, ring, domain);
}

/* Return the position of the next torn record, at most `limit`, and drop those before the read position. */
static uint64_t torn_next(struct cursor_ring *ring, uint64_t limit)
{
	unsigned passed = 0;

	while (passed < ring->torn_count && ring->torn[passed] < ring->position)
		passed++;
	ring->torn_count -= passed;
	memmove(ring->torn, ring->torn + passed, ring->torn_count * sizeof(ring->torn[0]));
	return ring->torn_count > 0 && ring->torn[0] < limit ? ring->torn[0] : limit;
}

/* Deliver the records of a ring up to a limit. */
static void read_ring(struct delivery *d, struct cursor_ring *ring, unsigned domain, uint64_t limit)
{
	while (!d->stop && ring->position < limit) {
		if (d->words == 0) {
			d->stop = d->cut = true;
			break;
		}
		/* With a small event budget, copy less than a whole batch.  A record may still be of any
		 * length, and resynchronising needs a run of records. */
		uint64_t want = BATCH_WORDS;
		if (d->budget < BATCH_WORDS / 4 && ring->footing == FOOTING_FIRM)
			want = RTEV_RECORD_WORDS_MAX + d->budget * 3;
		uint64_t sound = ring->footing == FOOTING_FIRM ? torn_next(ring, limit) : limit;
		bool torn = sound == ring->position;
		struct ring_batch batch;
		ring_fetch(&ring->source, ring->position, torn ? limit : sound, (uint32_t)want,
		    d->cursor->storage, &batch);
		d->words -= batch.count < d->words ? batch.count + 1 : d->words;
		if (batch.lost != 0) {
			pass_lost(d, ring, domain, batch.lost, batch.aligned);
			if (d->stop)
				break;
		}
		if (batch.count == 0) {
			/* If no words were lost, the ring was restarted and this visit is over.
			 * Otherwise the writer lapped the whole batch. */
			if (batch.lost == 0)
				break;
			continue;
		}
		falls_pass(ring, ring->position);
		if (ring->footing != FOOTING_FIRM) {
			seek_footing(d, ring, domain, &batch, 0, 0, limit);
			continue;
		}
		bool broken = torn;
		uint32_t used = 0;
		if (!torn)
			used = deliver_batch(d, ring, domain, &batch, &broken);
		ring->position += used;
		if (broken) {
			ring->footing = FOOTING_CORRUPT;
			falls_pass(ring, ring->position);
			seek_footing(d, ring, domain, &batch, used, 1, limit);
		}
	}
}

/* Visit one ring: report its restart or losses, then deliver up to the tail seen now. */
static int visit(struct delivery *d, struct cursor_ring *ring, unsigned domain)
{
	struct ring_window window;

	if (!cursor_look(d->cursor, ring, &window)) {
		pass_unreadable(d, ring, domain, &window);
		return RTEV_OK;
	}
	if (ring->restarted) {
		int status = report_restart(d, ring, domain);
		if (status != RTEV_OK || d->stop)
			return status;
	}
	if (window.oldest > ring->position)
		pass_lost(d, ring, domain, window.oldest - ring->position, window.aligned);
	/* Deliver what scans have looked at; then, if neither the caller nor polls scan, the rest. */
	read_ring(d, ring, domain, window.tail < ring->frontier ? window.tail : ring->frontier);
	if (!d->cursor->scanned && !cursor_seeks(d->cursor))
		read_ring(d, ring, domain, window.tail);
	return RTEV_OK;
}

/* Return the index in `used` of the first used ring from `domain` on, or else the first of all. */
static uint32_t used_from(const struct rtev_cursor *cursor, uint32_t domain)
{
	for (uint32_t i = 0; i < cursor->used_count; i++)
		if (cursor->used[i] >= domain)
			return i;
	return 0;
}

int rtev_cursor_poll(struct rtev_cursor *cursor, const struct rtev_callbacks *callbacks, void *ctx,
    uint64_t max_events, uint64_t *consumed)
{
	struct delivery d = {.cursor = cursor,
	    .ctx = ctx,
	    .budget = max_events != 0 ? max_events : UINT64_MAX,
	    .words = cursor->max_words};
	int status;

	if (consumed != NULL)
		*consumed = 0;
	if (!sized_take(&d.calls, sizeof(d.calls), callbacks))
		return RTEV_E_INVALID;
	if (!busy_acquire(&cursor->busy))
		return RTEV_E_BUSY;
	cursor->polls++;
	status = cursor_check_layout(cursor);
	if (status == RTEV_OK && !cursor_find_release(cursor, &d.words))
		d.stop = d.cut = true;

	/* A scan by the caller has found the rings to read. */
	if (status == RTEV_OK && !cursor->scanned)
		cursor_find_used(cursor);
	uint32_t at = used_from(cursor, cursor->next);
	for (uint32_t i = 0; i < cursor->used_count && !d.stop && status == RTEV_OK; i++) {
		uint32_t domain = cursor->used[at];
		status = visit(&d, &cursor->rings[domain], domain);
		/* Without a bound on events, the next poll continues with the same ring until its end. */
		if (d.stop)
			cursor->next = d.cut && max_events == 0 ? domain : domain + 1;
		at = at + 1 < cursor->used_count ? at + 1 : 0;
	}
	cursor->more = d.cut;
	if (consumed != NULL)
		*consumed = d.delivered;
	busy_release(&cursor->busy);
	return status;
}
