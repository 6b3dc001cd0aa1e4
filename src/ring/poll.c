/*
 * poll.c - deliver events: visit the rings in turn, and read each in batches.
 *
 * A visit ends at the tail seen when it began.  Positions are exact: after a poll ends (by the budget, by a
 * callback that returns RTEV_STOP, or by an error), the next poll continues with the next record.
 */
#include "ring/atomics.h"
#include "ring/deliver.h"

/* Report lost words, `history` of them from before the cursor was opened or rewound. */
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
		call_lost(d, domain, words, ring_history(ring, from, words));
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

/* Whether scans have walked the records at the position, and found no fall ahead. */
static bool is_ordered(const struct cursor_ring *ring)
{
	return ring->position < ring->walked && (ring->last_fall == 0 || ring->position > ring->last_fall);
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
	if (ring->footing == FOOTING_LOST && ring->position == ring->history_to)
		ring->history_to += words;
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

/* Skip the words of a finished ring with an impossible head and tail, which no writer will correct.  It holds
 * no more words than its size. */
static void pass_unreadable(
    struct delivery *d, struct cursor_ring *ring, unsigned domain, const struct ring_window *window)
{
	if (!d->cursor->finished || window->tail <= ring->position)
		return;
	ring->footing = FOOTING_CORRUPT;
	uint64_t words = window->tail - ring->position;
	ring->skipped += words < ring->source.size ? words : ring->source.size;
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

/*
 * Deliver records of a ring without a writer in place, as far as scans have walked them and found nothing
 * unusual.  Returns whether that was possible.
 */
static bool read_in_place(struct delivery *d, struct cursor_ring *ring, unsigned domain, uint64_t limit)
{
	const struct ring_source *source = &ring->source;
	const uint64_t begin = ring->position;
	struct ring_window window;

	if (!source->still || ring->footing != FOOTING_FIRM || !is_ordered(ring))
		return false;
	limit = torn_next(ring, limit < ring->walked ? limit : ring->walked);
	if (!ring_window(source, &window) || window.tail < limit || window.oldest > begin)
		return false;
	while (!d->stop && ring->position < limit && ring->position - begin < d->words) {
		uint64_t slot = ring->position & (source->size - 1), count = source->size - slot;
		if (count > limit - ring->position)
			count = limit - ring->position;
		if (count > d->words - (ring->position - begin))
			count = d->words - (ring->position - begin);
		struct ring_batch batch = {.start = ring->position,
		    .count = count < UINT32_MAX ? (uint32_t)count : UINT32_MAX,
		    .words = source->words + slot};
		bool broken;
		uint32_t used = deliver_batch(d, ring, domain, &batch, READ_IN_PLACE, &broken);
		ring->position += used;
		/* The rest needs a copy: it is invalid, or goes beyond the words of this poll. */
		if (used < count)
			break;
	}
	uint64_t used = ring->position - begin;
	d->words -= used < d->words ? used : d->words;
	return used != 0;
}

/* Deliver the records of a ring up to a limit. */
static void read_ring(struct delivery *d, struct cursor_ring *ring, unsigned domain, uint64_t limit)
{
	while (!d->stop && ring->position < limit) {
		if (d->words == 0) {
			d->stop = d->cut = true;
			break;
		}
		if (read_in_place(d, ring, domain, limit))
			continue;
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
		deliver_pass_falls(ring, ring->position);
		if (ring->footing != FOOTING_FIRM) {
			seek_footing(d, ring, domain, &batch, 0, 0, limit);
			continue;
		}
		bool broken = torn;
		uint32_t used = 0;
		if (!torn)
			used = deliver_batch(d, ring, domain, &batch,
			    is_ordered(ring) ? READ_ORDERED : READ_UNORDERED, &broken);
		ring->position += used;
		if (broken) {
			ring->footing = FOOTING_CORRUPT;
			deliver_pass_falls(ring, ring->position);
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

/* Visit all rings.  *whole: each was read up to its tail at the begin of the visits. */
static int visit_all(struct delivery *d, uint64_t max_events, bool *whole)
{
	struct rtev_cursor *cursor = d->cursor;
	bool began;

	if (!cursor_find_release(cursor, &d->words, &began)) {
		d->stop = d->cut = true;
		return RTEV_OK;
	}
	*whole = began || cursor->scanned || !cursor_seeks(cursor);
	/* A scan by the caller has found the rings to read. */
	if (!cursor->scanned)
		cursor_find_used(cursor);
	uint32_t at = used_from(cursor, cursor->next);
	for (uint32_t i = 0; i < cursor->used_count && !d->stop; i++) {
		uint32_t domain = cursor->used[at];
		int status = visit(d, &cursor->rings[domain], domain);
		if (status != RTEV_OK)
			return status;
		/* Without a bound on events, the next poll continues with the same ring until its end. */
		if (d->stop)
			cursor->next = d->cut && max_events == 0 ? domain : domain + 1;
		at = at + 1 < cursor->used_count ? at + 1 : 0;
	}
	return RTEV_OK;
}

int rtev_cursor_poll(struct rtev_cursor *cursor, const struct rtev_callbacks *callbacks, void *ctx,
    uint64_t max_events, uint64_t *consumed)
{
	struct delivery d = {.cursor = cursor,
	    .ctx = ctx,
	    .budget = max_events != 0 ? max_events : UINT64_MAX,
	    .words = cursor->max_words};
	bool whole = false;

	if (consumed != NULL)
		*consumed = 0;
	if (!deliver_take_calls(&d.calls, callbacks))
		return RTEV_E_INVALID;
	if (!busy_acquire(&cursor->busy))
		return RTEV_E_BUSY;
	cursor->polls++;
	int status = cursor_check_layout(cursor);
	/* Words that an earlier poll scanned come first, then those written since. */
	for (int i = 0; i < 2 && status == RTEV_OK && !d.stop && !whole; i++)
		status = visit_all(&d, max_events, &whole);
	cursor->more = d.cut;
	if (consumed != NULL)
		*consumed = d.delivered;
	busy_release(&cursor->busy);
	return status;
}
