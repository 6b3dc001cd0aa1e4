/*
 * read_events.c - read the events of a packet.
 *
 * Each event is read in one of two ways.  Where EVENT_ROOM bytes are left in the packet, the head of any event lies in
 * them and is read without looking for the end; then one look tells whether its code words are there, however long they
 * may be.  The last events of a packet, and what is rare or wrong, are read with a check before each field.
 */
#include "memtrace/read.h"

/* The room for the head of an event, with four vints of nine bytes, and for the bytes that skip_words looks at. */
enum { EVENT_ROOM = 64 };

/* Ids nearer to zero can't wrap around within a packet. */
#define IDS_ROOM ((int64_t)1 << 61)

/* Vints: numbers below VINT_16 are that number. */
enum { VINT_16 = 253, VINT_32 = 254 };

const uint8_t *mt_reader_fast_end(const struct rtev_memtrace_reader *reader)
{
	bool usual = reader->next_id > -IDS_ROOM && reader->next_id < IDS_ROOM;

	return usual && reader->end - reader->at >= EVENT_ROOM ? reader->end - EVENT_ROOM + 1 : reader->at;
}

/* Fail because the bytes at p make no sense. */
static int fail_event(struct rtev_memtrace_reader *reader, int status, const uint8_t *p)
{
	return mt_reader_fail_at(reader, status, p, "%s", rtev_strerror(status));
}

/* Read a vint.  Returns the byte behind it, or NULL when the data end before. */
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

/* Set the time of the event at hand, which is in order. */
static inline void set_time(struct rtev_memtrace_reader *reader, uint32_t offset)
{
	reader->time_floor = offset;
	reader->event.time = (int64_t)((uint64_t)reader->time_begin + offset);
}

/* Tell why the head of an event is wrong, in the order in which its parts are checked. */
static int fail_head(struct rtev_memtrace_reader *reader, uint32_t offset, unsigned code)
{
	const uint8_t *p = reader->at;

	if (offset > reader->time_span)
		return fail_event(reader, RTEV_E_MEMTRACE_EVENT_TIME, p);
	if (code > MT_EVENT_SHORT_LAST || (code > MT_EVENT_COLLECT && code <= MT_EVENT_SHORT))
		return mt_reader_fail_at(
		    reader, RTEV_E_MEMTRACE_EVENT_CODE, p, "unknown event code %u", code);
	if (offset < reader->time_floor)
		return fail_event(reader, RTEV_E_MEMTRACE_ORDER, p);
	return mt_reader_fail_at(reader, RTEV_E_MEMTRACE_EVENT_CODE, p, "a second trace info event");
}

/*
 * Read a backtrace that is written as the difference to one of which more was left out than is known here: the
 * tracer had cut that short.  What is written now is decoded behind the previous backtrace, for what it does to
 * the cache, and not used.
 */
static const uint8_t *read_beyond(struct rtev_memtrace_reader *reader, const uint8_t *p, size_t words)
{
	struct rtev_memtrace_event *event = &reader->event;

	event->unchanged = event->depth;
	return mt_backtrace_decode(
	    reader->trace, p, reader->end, words, event->depth, 0, &reader->past_depth, &reader->frames);
}

/* Read the backtrace of an alloc event: `words` code words at p.  NULL with a status in reader->frames. */
static const uint8_t *read_backtrace(
    struct rtev_memtrace_reader *reader, const uint8_t *p, size_t words, int64_t prefix)
{
	struct rtev_memtrace_event *event = &reader->event;
	struct mt_backtrace *trace = reader->trace;

	event->common_prefix = prefix;
	/* Each word takes two bytes at least: that bounds the room made for them. */
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

/* Finish an alloc event whose backtrace has been read. */
static inline void finish_alloc(struct rtev_memtrace_reader *reader, const uint8_t *p, unsigned code)
{
	struct rtev_memtrace_event *event = &reader->event;

	event->kind = RTEV_MEMTRACE_ALLOC;
	event->object = reader->next_id++;
	reader->code = code;
	reader->at = p;
}

/* Read the body of an alloc event, the short form when code is not MT_EVENT_ALLOC. */
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

/* Finish a promote or collect event. */
static inline void finish_fate(
    struct rtev_memtrace_reader *reader, const uint8_t *p, unsigned code, int64_t object)
{
	/* The codes are in the order of the kinds. */
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

/* Read a location event, which is not handed out. */
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

/* Read the next event of the packet at hand.  *found is false when it was one that is not handed out. */
static int read_event(struct rtev_memtrace_reader *reader, bool *found)
{
	const uint8_t *p = reader->at;

	*found = false;
	if (reader->end - p < 4)
		return fail_event(reader, RTEV_E_MEMTRACE_UNDERFLOW, p);
	uint32_t head = mt_load_32(p), offset = (head - reader->time_low) & MT_TIME_MASK;
	unsigned code = head >> MT_TIME_BITS;
	p += 4;
	if (offset > reader->time_span || offset < reader->time_floor)
		return fail_head(reader, offset, code);
	set_time(reader, offset);
	if (code == MT_EVENT_LOCATION)
		return read_location(reader, p);
	bool fate = code == MT_EVENT_COLLECT || code == MT_EVENT_PROMOTE;
	if (!fate && code != MT_EVENT_ALLOC && (code <= MT_EVENT_SHORT || code > MT_EVENT_SHORT_LAST))
		return fail_head(reader, offset, code);
	*found = true;
	return fate ? read_fate(reader, p, code) : read_alloc(reader, p, code);
}

/* Get the next event in the careful way. */
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

/* Read a vint that is known to be there. */
static inline const uint8_t *take_vint(const uint8_t *p, int64_t *out)
{
	unsigned first = *p;

	if (first < VINT_16) {
		*out = first;
		return p + 1;
	}
	if (first == VINT_16) {
		*out = mt_load_16(p + 1);
		return p + 3;
	}
	*out = first == VINT_32 ? (int32_t)mt_load_32(p + 1) : mt_load_word(p + 1);
	return p + (first == VINT_32 ? 5 : 9);
}

/*
 * The bytes of no, one and two code words, by their tags: bits 0 and 1 of the index are the first word's, 2 and 3
 * a second one's that begins two bytes behind it, 4 and 5 one's that begins three bytes behind it.
 */
enum { ODD = 255 }; /* the first word has a new code, so the second is further away */
#define FIRST(second, third) 2 + (second), 2 + (second), 3 + (third), ODD
#define ONE 2, 2, 3, MT_CODE_MAX
#define ONE_16 ONE, ONE, ONE, ONE
#define TWO_16(third) FIRST(2, third), FIRST(2, third), FIRST(3, third), FIRST(MT_CODE_MAX, third)
static const uint8_t sizes[3][64] = {
    {0}, {ONE_16, ONE_16, ONE_16, ONE_16}, {TWO_16(2), TWO_16(2), TWO_16(3), TWO_16(MT_CODE_MAX)}};

/* Step over code words that are all there, each as long as it can be; the four bytes at p are there in any case. */
MT_INLINE const uint8_t *skip_words(const uint8_t *p, size_t words)
{
	/* Neither how many words there are nor how long they are can be foreseen, so two are looked up at once. */
	for (;;) {
		uint32_t tags = mt_load_32(p) & 0x03030003;
		/* The product has the six bits that are left side by side at its top. */
		unsigned size = sizes[words < 2 ? words : 2][tags * 0x01000410 >> 24];
		if (MT_RARE(size == ODD))
			size = MT_CODE_MAX + mt_backtrace_word_size(p[MT_CODE_MAX]);
		p += size;
		if (words <= 2)
			return p;
		words -= 2;
	}
}

/* Finish an alloc event whose head is read, with a check before each word: `words` code words follow at p. */
static __attribute__((noinline)) int finish_rare(struct rtev_memtrace_reader *reader,
    const struct rtev_memtrace_event **out, const uint8_t *p, size_t words, int64_t prefix, unsigned code)
{
	p = read_backtrace(reader, p, words, prefix);
	if (p == NULL) {
		*out = NULL;
		return fail_event(reader, reader->frames.status, reader->at);
	}
	finish_alloc(reader, p, code);
	*out = &reader->event;
	return RTEV_OK;
}

/* Finish an alloc event of which `words` code words are left at p, whose codes go behind the first `base`; `last` is
 * the bucket of the code before. */
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

/* Finish an alloc event whose head is read and whose code words are all there, with its backtrace. */
static __attribute__((noinline)) int finish_traced(struct rtev_memtrace_reader *reader,
    const struct rtev_memtrace_event **out, const uint8_t *p, size_t words, size_t prefix, unsigned code)
{
	struct mt_backtrace *trace = reader->trace;
	struct rtev_memtrace_event *event = &reader->event;

	if (MT_RARE(prefix > event->depth || prefix + mt_backtrace_room(words) > trace->capacity))
		return finish_rare(reader, out, p, words, (int64_t)prefix, code);
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

/* Finish an alloc event whose head is read. */
MT_INLINE int finish_head(struct rtev_memtrace_reader *reader, const struct rtev_memtrace_event **out,
    const uint8_t *p, size_t words, int64_t prefix, unsigned code)
{
	if (MT_RARE(prefix < 0 || (size_t)(reader->end - p) < words * MT_CODE_MAX))
		return finish_rare(reader, out, p, words, prefix, code);
	if (reader->trace != NULL)
		return finish_traced(reader, out, p, words, (size_t)prefix, code);
	reader->event.common_prefix = prefix;
	finish_alloc(reader, skip_words(p, words), code);
	*out = &reader->event;
	return RTEV_OK;
}

/* Read an alloc event of the long form, before fast_end and at the time `offset`. */
static __attribute__((noinline)) int next_long(
    struct rtev_memtrace_reader *reader, const struct rtev_memtrace_event **out, uint32_t offset)
{
	int64_t prefix;
	const uint8_t *p = take_vint(reader->at + 4, &reader->event.length);

	p = take_vint(p, &reader->event.samples);
	unsigned source = *p++;
	if (source > RTEV_MEMTRACE_EXTERNAL) {
		*out = NULL;
		return fail_event(reader, RTEV_E_MEMTRACE_SOURCE, p - 1);
	}
	p = take_vint(p, &prefix);
	reader->event.source = (enum rtev_memtrace_source)source;
	set_time(reader, offset);
	return finish_head(reader, out, p + 2, mt_load_16(p), prefix, MT_EVENT_ALLOC);
}

int rtev_memtrace_next(struct rtev_memtrace_reader *reader, const struct rtev_memtrace_event **out)
{
	const uint8_t *p = reader->at;

	if (MT_RARE(p >= reader->fast_end))
		return next_checked(reader, out);
	uint32_t head = mt_load_32(p), offset = (head - reader->time_low) & MT_TIME_MASK;
	unsigned code = head >> MT_TIME_BITS;
	size_t first = p[4]; /* of the only vint, or the first */
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
		return code == MT_EVENT_ALLOC ? next_long(reader, out, offset) : next_checked(reader, out);
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
	return finish_head(reader, out, p + 1, *p, (int64_t)first, code);
}
