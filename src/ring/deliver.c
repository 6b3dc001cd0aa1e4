/*
 * deliver.c - call back for the records of a batch.
 *
 * The most frequent records have branches of their own: their length is then a constant, so the processor can
 * start on the next record before it has loaded this header.
 */
#include "ring/deliver.h"

#include "core/sized.h"
#include "ring/atomics.h"

/* These take the place of callbacks for frequent records that the caller left out. */
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

bool deliver_take_calls(struct rtev_callbacks *out, const struct rtev_callbacks *given)
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

void deliver_pass_falls(struct cursor_ring *ring, uint64_t position)
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

/* Whether a stamp goes back or is above the limit, which counts as a fall.  In unsigned arithmetic a stamp
 * that goes back is far above the limit. */
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

/* Copy a record, whose header was loaded, out of a ring. */
static const uint64_t *copy_record(struct delivery *d, const uint64_t *record, uint64_t header)
{
	uint64_t *storage = d->cursor->storage;

	storage[0] = header;
	for (uint32_t i = 1; i < header_length(header); i++)
		storage[i] = ring_load_still(record + i);
	return storage;
}

/* The state of a delivery at a record that is not frequent, or whose stamp falls. */
struct other {
	const uint64_t *record;
	uint64_t last, limit; /* as in deliver_records */
	uint64_t ts;	      /* of the record, if it was delivered */
	enum rtev_next next;
	bool ends, broken; /* the batch ends before the record */
};

/* Deliver one record of any kind, skip padding, or report a fall before a record.  Returns whether a record
 * was delivered. */
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

/* Two of the shortest records. */
#define FREQUENT_WORDS 4

/* Deliver the records of a batch.  `how` and `joins`, whether there is a callback for a begin with its end,
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
	/* The stamp of the record before (0 after a gap), and the highest stamp that may come next.  Neither
	 * is updated for ordered records. */
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

/* Each variant is a function of its own, so that the compiler optimises it separately. */
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

uint32_t deliver_batch(struct delivery *d, struct cursor_ring *ring, unsigned domain,
    const struct ring_batch *batch, enum reading how, bool *broken)
{
	static deliver_fn *const variants[][2] = {[READ_UNORDERED] = {unordered_apart, unordered_joined},
	    [READ_ORDERED] = {ordered_apart, ordered_joined},
	    [READ_IN_PLACE] = {in_place_apart, in_place_joined}};

	return variants[how][d->calls.begin_end != NULL](d, ring, domain, batch, broken);
}
