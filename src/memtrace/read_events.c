/*
 * read_events.c - read the events of a packet.
 *
 * There are two ways to read an event.  On the fast path, at least EVENT_ROOM bytes are left in the packet,
 * so the head of the event is read without bounds checks, and a single check covers all its code words at
 * their greatest size.  The checked path tests the bounds before each field.  It reads the last events of a
 * packet, allocations of the long form, rare events and malformed ones.
 *
 * The decoding of backtraces is the inner loop.  A mispredicted branch costs as much as a dozen instructions, so
 * the decoder always loads the first predicted code and counts it only if the word says so.  The usual words have
 * a function of their own, which needs few variables and keeps them in registers.
 */
#include "memtrace/read.h"

/* Force the inlining of inner loops that compilers consider too large to inline. */
#define MT_INLINE static inline __attribute__((always_inline))

/* Branch hints: the condition is rarely, or usually, true. */
#define MT_RARE(condition) __builtin_expect((condition), 0)
#define MT_USUAL(condition) __builtin_expect((condition), 1)

/* The number of codes to reserve for `words` code words if none predicts more than two codes. */
static inline size_t mt_backtrace_room(size_t words)
{
	return (words + 1) * 3;
}

/* The size in bytes of a code word, given its first byte. */
static inline unsigned mt_backtrace_word_size(unsigned byte)
{
	return (byte & 3) == 3 ? (unsigned)MT_CODE_MAX : 2 + (byte >> 1 & 1);
}

/*
 * Decode *words code words at `p`, and stop at a word that predicts more codes than there is room for.  Store
 * their codes from trace->frames[*depth] on.  The caller guarantees room for mt_backtrace_room(*words) codes,
 * and MT_CODE_MAX bytes of data for each word.  *last is the bucket of the preceding code, 0 at the start.
 * Returns the byte after the last word decoded, sets *words to the number of words left, and updates *depth
 * and *last.
 */
MT_INLINE const uint8_t *mt_backtrace_usual(
    struct mt_backtrace *trace, const uint8_t *p, size_t *words, size_t *depth, size_t *last)
{
	int64_t *out = trace->frames + *depth;
	const int64_t *limit = trace->frames + trace->capacity;
	size_t left = *words, at = *last;

	for (; left > 0; left--) {
		uint32_t word = mt_load_16(p), predicted = word & 3;
		size_t bucket = word >> 2;
		trace->next[at] = (uint16_t)bucket;
		if (MT_RARE(predicted == 3)) {
			at = bucket;
			*out++ = trace->code[at] = mt_load_word(p + 2);
			p += MT_CODE_MAX;
			continue;
		}
		size_t one = trace->next[bucket];
		out[0] = trace->code[bucket];
		out[1] = trace->code[one];
		p += 2;
		if (predicted == 2)
			predicted = *p++;
		if (predicted < 2) {
			at = predicted != 0 ? one : bucket;
			out += 1 + predicted;
			continue;
		}
		if (MT_RARE(predicted > 2) && (size_t)(limit - out) < predicted + mt_backtrace_room(left)) {
			/* Back up: mt_backtrace_decode makes room and reads this word again. */
			p -= 3;
			break;
		}
		at = one;
		out += 2;
		do {
			at = trace->next[at];
			*out++ = trace->code[at];
		} while (--predicted > 1);
	}
	*words = left;
	*depth = (size_t)(out - trace->frames);
	*last = at;
	return p;
}

enum { FRAMES_FIRST = 256 };

/* Make room for `want` codes.  Returns false and sets frames->status on failure. */
static bool reserve(struct mt_backtrace *trace, size_t want, struct mt_frames *frames)
{
	size_t capacity = trace->capacity;

	if (want <= capacity)
		return true;
	capacity = want > capacity * 2 ? want : capacity * 2;
	if (capacity < FRAMES_FIRST)
		capacity = FRAMES_FIRST;
	/* Near the limit, take all that is left at once; small steps would copy the codes each time. */
	if (capacity - trace->capacity > frames->left)
		capacity = trace->capacity + frames->left;
	frames->status = RTEV_E_NOMEM;
	if (want > capacity)
		return false;
	int64_t *grown = realloc(trace->frames, capacity * sizeof(*grown));
	if (grown == NULL)
		return false;
	frames->left -= capacity - trace->capacity;
	trace->frames = grown;
	trace->capacity = capacity;
	return true;
}

/*
 * Decode `words` code words at `p`, and store their codes after the first `base` codes of the previous
 * backtrace.  No byte at or beyond `end` is read.  `last` is the bucket of the preceding code, 0 at the
 * start.  Returns the byte after the words, or NULL with frames->status set.  *depth is set to the resulting
 * number of codes; trace->depth is not changed.
 */
static const uint8_t *mt_backtrace_decode(struct mt_backtrace *trace, const uint8_t *p, const uint8_t *end,
    size_t words, size_t base, size_t last, size_t *depth, struct mt_frames *frames)
{
	if (!reserve(trace, base + mt_backtrace_room(words), frames))
		return NULL;
	for (; words > 0; words--) {
		if (end - p < 2 || (size_t)(end - p) < mt_backtrace_word_size(*p)) {
			frames->status = RTEV_E_MEMTRACE_UNDERFLOW;
			return NULL;
		}
		unsigned word = mt_load_16(p), tag = word & 3;
		size_t bucket = word >> 2, predicted = tag == 3 ? 0 : tag == 2 ? p[2] : tag;
		if (tag == 3)
			trace->code[bucket] = mt_load_word(p + 2);
		if (predicted > 2 && !reserve(trace, base + predicted + mt_backtrace_room(words), frames))
			return NULL;
		trace->next[last] = (uint16_t)bucket;
		last = bucket;
		trace->frames[base++] = trace->code[last];
		for (; predicted > 0; predicted--) {
			last = trace->next[last];
			trace->frames[base++] = trace->code[last];
		}
		p += mt_backtrace_word_size((uint8_t)word);
	}
	*depth = base;
	return p;
}

/* Skip `words` code words.  Returns the byte after them, or NULL when the data ends before. */
static const uint8_t *mt_backtrace_skip(const uint8_t *p, const uint8_t *end, size_t words)
{
	while (words-- > 0) {
		if (end - p < 2 || (size_t)(end - p) < mt_backtrace_word_size(*p))
			return NULL;
		p += mt_backtrace_word_size(*p);
	}
	return p;
}

/* Room for the head of an event, and more. */
enum { EVENT_ROOM = 64 };

/* Ids of a smaller magnitude cannot wrap around within a packet. */
#define IDS_ROOM ((int64_t)1 << 61)

/* First bytes of a vint: below VINT_16 the value itself, else the size of the value that follows. */
enum { VINT_16 = 253, VINT_32 = 254 };

const uint8_t *mt_reader_fast_end(const struct rtev_memtrace_reader *reader)
{
	bool usual = reader->next_id > -IDS_ROOM && reader->next_id < IDS_ROOM;

	return usual && reader->end - reader->at >= EVENT_ROOM ? reader->end - EVENT_ROOM + 1 : reader->at;
}

/* Fail with a status at p, described by the status's text. */
static int fail_event(struct rtev_memtrace_reader *reader, int status, const uint8_t *p)
{
	return mt_reader_fail_at(reader, status, p, "%s", rtev_strerror(status));
}

/* Read a vint.  Returns the byte after it, or NULL when the data ends before. */
static const uint8_t *read_vint(const uint8_t *p, const uint8_t *end, int64_t *out)
{
	static const uint8_t sizes[] = {2, 4, 8};

	if (p >= end)
		return NULL;
	unsigned first = *p++;
	if (first < VINT_16) {
		*out = first;
		return p;
	}
	if (end - p < sizes[first - VINT_16])
		return NULL;
	*out = first == VINT_16 ? mt_load_16(p) : first == VINT_32 ? (int32_t)mt_load_32(p) : mt_load_word(p);
	return p + sizes[first - VINT_16];
}

/* Set the time of the current event from its offset, which the caller has checked. */
static inline void set_time(struct rtev_memtrace_reader *reader, uint32_t offset)
{
	reader->time_floor = offset;
	reader->event.time = (int64_t)((uint64_t)reader->time_begin + offset);
}

/* Fail with the reason why the code of an event is invalid. */
static int fail_head(struct rtev_memtrace_reader *reader, unsigned code)
{
	const uint8_t *p = reader->at;

	if (code > MT_EVENT_SHORT_LAST || (code > MT_EVENT_COLLECT && code <= MT_EVENT_SHORT))
		return mt_reader_fail_at(
		    reader, RTEV_E_MEMTRACE_EVENT_CODE, p, "unknown event code %u", code);
	return mt_reader_fail_at(reader, RTEV_E_MEMTRACE_EVENT_CODE, p, "a second trace info event");
}

/*
 * Read a backtrace whose common prefix is longer than the previous backtrace, because the tracer truncated
 * that one.  The codes are decoded after the previous backtrace to update the cache.  The event does not use
 * them.
 */
static const uint8_t *read_beyond(struct rtev_memtrace_reader *reader, const uint8_t *p, size_t words)
{
	struct rtev_memtrace_event *event = &reader->event;

	event->unchanged = event->depth;
	return mt_backtrace_decode(
	    reader->trace, p, reader->end, words, event->depth, 0, &reader->past_depth, &reader->frames);
}

/* Read the backtrace of an alloc event: `words` code words at p.  Returns NULL and sets frames.status on
 * failure. */
static const uint8_t *read_backtrace(
    struct rtev_memtrace_reader *reader, const uint8_t *p, size_t words, int64_t prefix)
{
	struct rtev_memtrace_event *event = &reader->event;
	struct mt_backtrace *trace = reader->trace;

	event->common_prefix = prefix;
	/* Each word takes at least two bytes.  This check bounds the memory that is reserved for their codes. */
	if (words > (size_t)(reader->end - p) / 2) {
		reader->frames.status = RTEV_E_MEMTRACE_UNDERFLOW;
		return NULL;
	}
	if (trace == NULL) {
		reader->frames.status = prefix < 0 ? RTEV_E_MEMTRACE_TABLE : RTEV_E_MEMTRACE_UNDERFLOW;
		return prefix < 0 ? NULL : mt_backtrace_skip(p, reader->end, words);
	}
	if (prefix < 0) {
		reader->frames.status = RTEV_E_MEMTRACE_TABLE;
		return NULL;
	}
	if ((uint64_t)prefix > event->depth) {
		p = read_beyond(reader, p, words);
	} else {
		event->unchanged = (size_t)prefix;
		p = mt_backtrace_decode(
		    trace, p, reader->end, words, (size_t)prefix, 0, &event->depth, &reader->frames);
	}
	event->backtrace = trace->frames;
	return p;
}

/* Complete an alloc event whose backtrace ends at p. */
static inline void finish_alloc(struct rtev_memtrace_reader *reader, const uint8_t *p, unsigned code)
{
	struct rtev_memtrace_event *event = &reader->event;

	event->kind = RTEV_MEMTRACE_ALLOC;
	event->object = reader->next_id++;
	reader->code = code;
	reader->at = p;
}

/* Read the body of an alloc event.  It has the short form when code is not MT_EVENT_ALLOC. */
static int read_alloc(struct rtev_memtrace_reader *reader, const uint8_t *p, unsigned code)
{
	struct rtev_memtrace_event *event = &reader->event;
	const uint8_t *end = reader->end;
	int64_t prefix;
	size_t words;

	if (code > MT_EVENT_SHORT) {
		event->length = code - MT_EVENT_SHORT;
		event->samples = 1;
		event->source = RTEV_MEMTRACE_MINOR;
		p = read_vint(p, end, &prefix);
		if (p == NULL || p == end)
			return fail_event(reader, RTEV_E_MEMTRACE_UNDERFLOW, reader->at);
		words = *p++;
	} else {
		p = read_vint(p, end, &event->length);
		if (p != NULL)
			p = read_vint(p, end, &event->samples);
		if (p == NULL || p == end)
			return fail_event(reader, RTEV_E_MEMTRACE_UNDERFLOW, reader->at);
		unsigned source = *p++;
		if (source > RTEV_MEMTRACE_EXTERNAL)
			return fail_event(reader, RTEV_E_MEMTRACE_SOURCE, p - 1);
		event->source = (enum rtev_memtrace_source)source;
		p = read_vint(p, end, &prefix);
		if (p == NULL || end - p < 2)
			return fail_event(reader, RTEV_E_MEMTRACE_UNDERFLOW, reader->at);
		words = mt_load_16(p);
		p += 2;
	}
	p = read_backtrace(reader, p, words, prefix);
	if (p == NULL)
		return fail_event(reader, reader->frames.status, reader->at);
	finish_alloc(reader, p, code);
	reader->next_id = mt_word((uint64_t)reader->next_id);
	return RTEV_OK;
}

/* Complete a promote or collect event that ends at p. */
static inline void finish_fate(
    struct rtev_memtrace_reader *reader, const uint8_t *p, unsigned code, int64_t object)
{
	/* Event codes and kinds have the same order. */
	reader->event.kind = (enum rtev_memtrace_kind)(code - MT_EVENT_PROMOTE + RTEV_MEMTRACE_PROMOTE);
	reader->event.object = object;
	reader->at = p;
}

/* Read the body of a promote or collect event. */
static int read_fate(struct rtev_memtrace_reader *reader, const uint8_t *p, unsigned code)
{
	int64_t delta;

	p = read_vint(p, reader->end, &delta);
	if (p == NULL)
		return fail_event(reader, RTEV_E_MEMTRACE_UNDERFLOW, reader->at);
	if (code == MT_EVENT_PROMOTE && delta < 0)
		return fail_event(reader, RTEV_E_MEMTRACE_PROMOTE_ID, reader->at);
	finish_fate(reader, p, code, mt_word((uint64_t)reader->next_id - 1 - (uint64_t)delta));
	return RTEV_OK;
}

/* Read a location event into the table; the user does not see it. */
static int read_location(struct rtev_memtrace_reader *reader, const uint8_t *p)
{
	int status = mt_locations_read(&reader->locations, &reader->domain->recent, &p, reader->end);

	if (status != RTEV_OK)
		return fail_event(reader, status, reader->at);
	reader->packet.locations++;
	reader->events_size -= (size_t)(p - reader->at);
	reader->at = p;
	return RTEV_OK;
}

/* Read the next event of the packet with bounds checks.  *found is false for a location event. */
static int read_event(struct rtev_memtrace_reader *reader, bool *found)
{
	const uint8_t *p = reader->at;

	*found = false;
	if (reader->end - p < 4)
		return fail_event(reader, RTEV_E_MEMTRACE_UNDERFLOW, p);
	uint32_t head = mt_load_32(p), offset = (head - reader->time_low) & MT_TIME_MASK;
	unsigned code = head >> MT_TIME_BITS;
	p += 4;
	/* Offsets of the upper half are before the packet's begin. */
	if (offset > reader->time_span && offset < MT_TIME_BACK)
		return fail_event(reader, RTEV_E_MEMTRACE_EVENT_TIME, p - 4);
	if (offset > reader->time_span || offset < reader->time_floor) {
		mt_reader_clock_back(reader);
		offset = reader->time_floor;
	}
	set_time(reader, offset);
	if (code == MT_EVENT_LOCATION)
		return read_location(reader, p);
	bool fate = code == MT_EVENT_COLLECT || code == MT_EVENT_PROMOTE;
	if (!fate && code != MT_EVENT_ALLOC && (code <= MT_EVENT_SHORT || code > MT_EVENT_SHORT_LAST))
		return fail_head(reader, code);
	*found = true;
	return fate ? read_fate(reader, p, code) : read_alloc(reader, p, code);
}

/* rtev_memtrace_next on the checked path. */
static __attribute__((noinline)) int next_checked(
    struct rtev_memtrace_reader *reader, const struct rtev_memtrace_event **out)
{
	bool found = false;

	*out = NULL;
	while (!found) {
		int status =
		    reader->at != reader->end ? read_event(reader, &found) : mt_reader_advance(reader);
		if (status != RTEV_OK)
			return status;
	}
	*out = &reader->event;
	return RTEV_OK;
}

/* Decode the last `words` code words of an alloc event, which mt_backtrace_usual left at p.  Their codes go
 * after the first `base` codes.  `last` is the bucket of the preceding code. */
static __attribute__((noinline)) int finish_rest(struct rtev_memtrace_reader *reader,
    const struct rtev_memtrace_event **out, const uint8_t *p, size_t words, size_t base, size_t last)
{
	struct rtev_memtrace_event *event = &reader->event;

	p = mt_backtrace_decode(
	    reader->trace, p, reader->end, words, base, last, &event->depth, &reader->frames);
	if (p == NULL) {
		*out = NULL;
		return fail_event(reader, reader->frames.status, reader->at);
	}
	event->backtrace = reader->trace->frames;
	reader->at = p;
	return RTEV_OK;
}

/* Complete an alloc event on the fast path and decode its backtrace.  Bounds checks are not needed. */
static __attribute__((noinline)) int finish_traced(struct rtev_memtrace_reader *reader,
    const struct rtev_memtrace_event **out, const uint8_t *p, size_t words, size_t prefix, unsigned code)
{
	struct mt_backtrace *trace = reader->trace;
	struct rtev_memtrace_event *event = &reader->event;

	if (MT_RARE(prefix > event->depth || prefix + mt_backtrace_room(words) > trace->capacity))
		return next_checked(reader, out);
	size_t depth = prefix, last = 0;
	event->common_prefix = (int64_t)prefix;
	event->unchanged = prefix;
	finish_alloc(reader, reader->at, code);
	*out = event;
	p = mt_backtrace_usual(trace, p, &words, &depth, &last);
	if (MT_RARE(words > 0))
		return finish_rest(reader, out, p, words, depth, last);
	event->depth = depth;
	reader->at = p;
	return RTEV_OK;
}

int rtev_memtrace_next(struct rtev_memtrace_reader *reader, const struct rtev_memtrace_event **out)
{
	const uint8_t *p = reader->at;

	if (MT_RARE(p >= reader->fast_end))
		return next_checked(reader, out);
	uint32_t head = mt_load_32(p), offset = (head - reader->time_low) & MT_TIME_MASK;
	unsigned code = head >> MT_TIME_BITS;
	size_t first = p[4]; /* first byte of the first vint */
	if (MT_RARE(offset > reader->time_span || offset < reader->time_floor))
		return next_checked(reader, out);
	p += 5;
	if (MT_USUAL(code - MT_EVENT_PROMOTE <= MT_EVENT_COLLECT - MT_EVENT_PROMOTE)) {
		int64_t delta = (int64_t)first;
		if (MT_USUAL(first >= VINT_16)) {
			delta = mt_load_16(p);
			p += 2;
			if (MT_RARE(first > VINT_16)) {
				delta = (int32_t)mt_load_32(p - 2);
				p += 2;
			}
		}
		if (MT_RARE(first > VINT_32 || delta < 0))
			return next_checked(reader, out);
		set_time(reader, offset);
		finish_fate(reader, p, code, reader->next_id - 1 - delta);
		*out = &reader->event;
		return RTEV_OK;
	}
	if (MT_RARE(code - MT_EVENT_SHORT - 1 >= MT_EVENT_SHORT_LAST - MT_EVENT_SHORT))
		return next_checked(reader, out);
	if (first >= VINT_16) {
		if (MT_RARE(first > VINT_16))
			return next_checked(reader, out);
		first = mt_load_16(p);
		p += 2;
	}
	set_time(reader, offset);
	reader->event.length = code - MT_EVENT_SHORT;
	reader->event.samples = 1;
	reader->event.source = RTEV_MEMTRACE_MINOR;
	size_t words = *p++;
	if (MT_RARE((size_t)(reader->end - p) < words * MT_CODE_MAX))
		return next_checked(reader, out);
	if (reader->trace != NULL)
		return finish_traced(reader, out, p, words, first, code);
	reader->event.common_prefix = (int64_t)first;
	for (; words > 0; words--)
		p += mt_backtrace_word_size(*p);
	finish_alloc(reader, p, code);
	*out = &reader->event;
	return RTEV_OK;
}
