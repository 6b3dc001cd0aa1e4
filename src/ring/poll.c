/*
 * poll.c - deliver events: visit the rings in turn, read each in batches, and call back for every record.
 *
 * A visit ends at the tail seen when it began.  Positions are exact: after a poll ends (by the budget, by a
 * callback that returns RTEV_STOP, or by an error), the next poll continues with the next record.
 *
 * The most frequent records have branches of their own: their length is then a constant, so the processor can
 * start on the next record before it has loaded this header.
 */
#include "core/sized.h"
#include "ring/atomics.h"
#include "ring/cursor_state.h"

/* State of one poll. */
struct delivery {
	struct rtev_cursor *cursor;
	struct rtev_callbacks calls;
	void *ctx;
	uint64_t budget; /* events that may still be delivered */
	uint64_t delivered;
	uint64_t words; /* words that the poll may still read */
	bool stop;	/* a callback returned RTEV_STOP, or a budget is used up */
	bool cut;	/* the word budget is used up and more can be read */
};

/* In place of callbacks that the caller left out, of the most frequent records. */
static enum rtev_next no_phase(void *ctx, unsigned domain, uint64_t ts, rtev_phase phase)
{
	return RTEV_CONTINUE;
}

static enum rtev_next no_counter(void *ctx, unsigned domain, uint64_t ts, rtev_counter counter, int64_t value)
{
	return RTEV_CONTINUE;
}

static enum rtev_next no_span(
    void *ctx, unsigned domain, uint64_t ts, const struct rtev_user_event *event, bool begin)
{
	return RTEV_CONTINUE;
}

static enum rtev_next no_int(
    void *ctx, unsigned domain, uint64_t ts, const struct rtev_user_event *event, int64_t value)
{
	return RTEV_CONTINUE;
}

/* Take the caller's callbacks.  Returns false if their size is wrong. */
static bool deliver_take_calls(struct rtev_callbacks *out, const struct rtev_callbacks *given)
{
	if (!sized_take(out, sizeof(*out), given))
		return false;
	if (out->begin == NULL)
		out->begin = no_phase;
	if (out->end == NULL)
		out->end = no_phase;
	if (out->counter == NULL)
		out->counter = no_counter;
	if (out->user_int == NULL)
		out->user_int = no_int;
	if (out->user_span == NULL)
		out->user_span = no_span;
	return true;
}

/* Drop the falls before a position, and recompute the ceiling. */
static void deliver_pass_falls(struct cursor_ring *ring, uint64_t position)
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

/* Return the highest stamp that may come after the last one: the ceiling, the lowest stamp after the falls
 * ahead, unless the last one is above it. */
static inline uint64_t stamp_limit(const struct cursor_ring *ring, uint64_t last)
{
	return last <= ring->ceiling ? ring->ceiling : UINT64_MAX;
}

/* Whether a stamp goes back, or is above the limit: it is treated as a fall.  By unsigned arithmetic, one that
 * goes back is far above. */
static inline bool stamp_falls(uint64_t ts, uint64_t last, uint64_t limit)
{
	return ts - last > limit - last;
}

/* Report that the record at a position, whose stamp seems to fall, is not adjacent to the one before. */
static void report_fall(struct delivery *d, struct cursor_ring *ring, unsigned domain, uint64_t position,
    uint64_t ts, uint64_t last)
{
	deliver_pass_falls(ring, position + 1);
	/* The ceiling may have come from a fall that is now behind the position. */
	bool falls = stamp_falls(ts, last, stamp_limit(ring, last));
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
		*next = calls->user_int(d->ctx, domain, ts, event, (int64_t)record[2]);
		break;
	case RECORD_USER_SPAN_BEGIN:
	case RECORD_USER_SPAN_END:
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
		*next = calls->begin(d->ctx, domain, ts, d->cursor->phases[id]);
		break;
	case RECORD_END:
		*next = calls->end(d->ctx, domain, ts, d->cursor->phases[id]);
		break;
	case RECORD_COUNTER:
		*next = calls->counter(d->ctx, domain, ts, d->cursor->counters[id], (int64_t)record[2]);
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

/* How the records of a batch are read. */
enum reading {
	READ_UNORDERED, /* stamps may go back */
	READ_ORDERED,	/* a scan found no stamp that goes back */
	READ_IN_PLACE	/* the same, and the words are those of a ring without a writer */
};

/* Copy a record out of a ring, whose header was loaded. */
static const uint64_t *copy_record(struct delivery *d, const uint64_t *record, uint64_t header)
{
	uint64_t *storage = d->cursor->storage;

	storage[0] = header;
	for (uint32_t i = 1; i < header_length(header); i++)
		storage[i] = ring_load_still(record + i);
	return storage;
}

/* The state of a delivery at a record that is not a frequent one, or whose stamp falls. */
struct other {
	const uint64_t *record;
	uint64_t last, limit; /* as in deliver_records */
	uint64_t ts;	      /* of the record if it was delivered */
	enum rtev_next next;
	bool ends, broken; /* the batch ends before the record */
};

/* Deliver one record of any kind, pass padding, or report a fall before a record.  Returns whether one was
 * delivered. */
static __attribute__((noinline)) bool deliver_other(struct delivery *d, struct cursor_ring *ring,
    unsigned domain, const struct ring_batch *batch, enum reading how, struct other *o)
{
	const uint64_t *record = o->record;
	const uint64_t header = ring_load_still(record), at = (uint64_t)(record - batch->words);
	const uint32_t length = header_length(header);
	bool cut = length > batch->count - at;

	o->broken = header_broken(&ring->source, header) || (cut && batch->at_edge);
	o->ends = o->broken || cut;
	if (o->ends)
		return false;
	if (header_type(header) == RECORD_PADDING) {
		o->record += length;
		return false;
	}
	if (how == READ_IN_PLACE)
		record = copy_record(d, record, header);
	o->ts = record[1];
	if (how == READ_UNORDERED && stamp_falls(o->ts, o->last, o->limit)) {
		report_fall(d, ring, domain, batch->start + at, o->ts, o->last);
		o->last = o->ts;
		o->limit = stamp_limit(ring, o->last);
		o->ends = d->stop;
		return false;
	}
	o->broken = o->ends = !deliver_record(d, domain, record, length, &o->next);
	if (o->broken)
		return false;
	o->record += length;
	return true;
}

/* Words of two frequent records in a row, or more. */
#define FREQUENT_WORDS 4

/* Deliver the records of a batch.  `how` and `joins`, whether there is a callback for a begin and its end,
 * are compile-time constants. */
static inline __attribute__((always_inline)) uint32_t deliver_records(struct delivery *d,
    struct cursor_ring *ring, unsigned domain, const struct ring_batch *batch, enum reading how, bool joins,
    bool *broken)
{
	const bool ordered = how != READ_UNORDERED;
	const struct rtev_callbacks *const calls = &d->calls;
	enum rtev_next (*const phase[])(void *, unsigned, uint64_t, rtev_phase) = {calls->begin, calls->end};
	const uint16_t *const phases = d->cursor->phases;
	void *const ctx = d->ctx;
	const uint64_t *record = batch->words, *const end = record + batch->count;
	/* A frequent record that begins before this may have a whole one after it. */
	const uint64_t *const frequent = batch->count < FREQUENT_WORDS ? record : end - (FREQUENT_WORDS - 1);
	uint64_t budget = d->budget;
	/* The stamp of the record before, 0 after a gap, and the highest one that may come next.  Of ordered
	 * records neither is kept up. */
	uint64_t last = ring->after_gap ? 0 : ring->last_ts, limit = stamp_limit(ring, last);

	*broken = false;
	while (record < end) {
		const uint64_t header = ring_load_still(record);
		const bool near = record < frequent;
		const uint32_t id = header_id(header);
		uint64_t ts = near ? ring_load_still(record + 1) : 0;
		enum rtev_next next;
		const bool sound = near && (ordered || !stamp_falls(ts, last, limit));
		if (sound && (header & SHAPE_MASK) == SHAPE_PHASE) {
			uint64_t to;
			if (joins && ring_load_still(record + 2) == (header | HEADER_END_BIT) &&
			    (header & HEADER_END_BIT) == 0 && budget > 1 &&
			    ((to = ring_load_still(record + 3)), ordered || !stamp_falls(to, ts, limit))) {
				record += 4;
				next = calls->begin_end(ctx, domain, ts, to, phases[id]);
				budget--;
				ts = to;
			} else {
				record += 2;
				next = phase[(header & HEADER_END_BIT) != 0](ctx, domain, ts, phases[id]);
			}
		} else if (sound && (header & SHAPE_MASK) == SHAPE_SPAN) {
			record += 2;
			next = calls->user_span(ctx, domain, ts, cursor_user_event(d->cursor, id),
			    (header & HEADER_END_BIT) == 0);
		} else if (sound && (header & ~HEADER_ID_MASK) == SHAPE_COUNTER) {
			int64_t value = (int64_t)ring_load_still(record + 2);
			record += 3;
			next = calls->counter(ctx, domain, ts, d->cursor->counters[id], value);
		} else if (sound && (header & ~HEADER_ID_MASK) == SHAPE_INT) {
			int64_t value = (int64_t)ring_load_still(record + 2);
			record += 3;
			next = calls->user_int(ctx, domain, ts, cursor_user_event(d->cursor, id), value);
		} else {
			struct other o = {.record = record, .last = last, .limit = limit};
			bool delivered = deliver_other(d, ring, domain, batch, how, &o);
			record = o.record;
			if (!ordered) {
				last = o.last;
				limit = o.limit;
			}
			*broken = o.broken;
			if (o.ends)
				break;
			if (!delivered)
				continue;
			ts = o.ts;
			next = o.next;
		}
		if (ordered)
			ring->last_ts = ts;
		else
			last = ts;
		if (--budget == 0 || next != RTEV_CONTINUE) {
			d->stop = true;
			break;
		}
	}
	if (!ordered && last != 0)
		ring->last_ts = last;
	if (last != 0 || (ordered && record > batch->words))
		ring->after_gap = false;
	d->delivered += d->budget - budget;
	d->budget = budget;
	return (uint32_t)(record - batch->words);
}

/* The variants are functions of their own, which the compiler optimises one by one. */
typedef uint32_t deliver_fn(struct delivery *d, struct cursor_ring *ring, unsigned domain,
    const struct ring_batch *batch, bool *broken);
#define VARIANT(name, how, joins)                                                                            \
	static __attribute__((noinline)) uint32_t name(struct delivery *d, struct cursor_ring *ring,         \
	    unsigned domain, const struct ring_batch *batch, bool *broken)                                   \
	{                                                                                                    \
		return deliver_records(d, ring, domain, batch, how, joins, broken);                          \
	}
VARIANT(unordered_apart, READ_UNORDERED, false)
VARIANT(unordered_joined, READ_UNORDERED, true)
VARIANT(ordered_apart, READ_ORDERED, false)
VARIANT(ordered_joined, READ_ORDERED, true)
VARIANT(in_place_apart, READ_IN_PLACE, false)
VARIANT(in_place_joined, READ_IN_PLACE, true)
#undef VARIANT

/*
 * Deliver the records of a batch, whose first is at the position of the ring.  Returns the number of words used;
 * *broken: the record after them is invalid.
 */
static uint32_t deliver_batch(struct delivery *d, struct cursor_ring *ring, unsigned domain,
    const struct ring_batch *batch, enum reading how, bool *broken)
{
	static deliver_fn *const variants[][2] = {[READ_UNORDERED] = {unordered_apart, unordered_joined},
	    [READ_ORDERED] = {ordered_apart, ordered_joined},
	    [READ_IN_PLACE] = {in_place_apart, in_place_joined}};

	return variants[how][d->calls.begin_end != NULL](d, ring, domain, batch, broken);
}

/* ---- visits ---- */

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

/* Whether a scan has walked the records at the position, and found no fall from there on. */
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

/* Skip the words of a finished ring whose head and tail can't be: no writer will correct them.  It holds no more
 * than its size. */
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
 * Deliver records of a ring without a writer where they are, as far as a scan has walked them and found
 * nothing unusual.  Returns whether that was possible.
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
		/* The rest is left to a copy: it is invalid, or goes beyond the words of this poll. */
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

/* Visit all rings.  *whole: each was read up to the tail that it had since this began. */
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
	/* What an earlier poll had looked at comes first, then what was written since. */
	for (int i = 0; i < 2 && status == RTEV_OK && !d.stop && !whole; i++)
		status = visit_all(&d, max_events, &whole);
	cursor->more = d.cut;
	if (consumed != NULL)
		*consumed = d.delivered;
	busy_release(&cursor->busy);
	return status;
}
