/*
 * fetch.c - copy batches of words from a ring that is being overwritten, and resynchronise after invalid
 * words.
 */
#include "ring/cursor_state.h"

#include <unistd.h>

#include "core/sum.h"
#include "ring/atomics.h"

/* A run of this many sound records makes a place trusted. */
#define TRUSTED_RUN 8

/* Holes are sought at multiples of this: the size of a batch, which is a multiple or a fraction of any
 * page size. */
#define HOLE_ALIGNMENT (BATCH_WORDS * sizeof(uint64_t))

const int8_t record_words_more[RECORD_TYPE_COUNT] = {[RECORD_PADDING] = -1,
    [RECORD_COUNTER] = 1,
    [RECORD_ALLOC] = RTEV_ALLOC_BUCKETS,
    [RECORD_USER_INT] = 1,
    [RECORD_USER_CUSTOM] = 1};

/* Compute the window of a head and a tail that were loaded together.  Returns false if no ring can have both. */
static bool window_judge(const struct ring_source *ring, struct ring_window *out)
{
	if (out->head > out->tail || out->tail > RING_WORDS_CEILING)
		return false;
	/* A ring can't hold more than its size, whatever its head is. */
	uint64_t keep = ring_keep(ring);
	uint64_t floor = out->tail > keep ? out->tail - keep : 0;
	/* A record begins at head.  Any other index may be inside a record. */
	out->aligned = out->head >= floor;
	out->oldest = out->aligned ? out->head : floor;
	return true;
}

bool ring_window(const struct ring_source *ring, struct ring_window *out)
{
	/* The writer may lap the reader between the two loads, which makes head exceed tail.  Retry, a
	 * limited number of times. */
	for (int tries = 0; tries < 4; tries++) {
		*out = (struct ring_window){.tail = ring_load_tail(ring->header)};
		out->head = ring_load_head(ring->header);
		if (window_judge(ring, out))
			return true;
	}
	return false;
}

/* Copy words from shared memory.  Unrolled by four: the speed of the plain loop depends on its alignment
 * in the code. */
static void copy_words(uint64_t *to, const uint64_t *from, uint64_t count)
{
	uint64_t i = 0;

	for (; i + 4 <= count; i += 4) {
		to[i] = ring_load_word(&from[i]);
		to[i + 1] = ring_load_word(&from[i + 1]);
		to[i + 2] = ring_load_word(&from[i + 2]);
		to[i + 3] = ring_load_word(&from[i + 3]);
	}
	for (; i < count; i++)
		to[i] = ring_load_word(&from[i]);
}

void ring_fetch(const struct ring_source *ring, uint64_t position, uint64_t limit, uint32_t want,
    uint64_t storage[BATCH_WORDS], struct ring_batch *out)
{
	*out = (struct ring_batch){.start = position, .aligned = true, .words = storage};
	if (position >= limit)
		return;

	uint64_t slot = position & (ring->size - 1);
	uint64_t count = want < BATCH_WORDS ? want : BATCH_WORDS;
	if (count >= ring->size - slot) {
		count = ring->size - slot;
		out->at_edge = true;
	}
	if (count >= limit - position) {
		count = limit - position;
		out->at_edge = true;
	}
	if (ring->still)
		ring_copy_still(storage, ring->words + slot, count);
	else
		copy_words(storage, ring->words + slot, count);

	/* The writer's tail only grows.  If it fell, the ring was restarted and the copy can't be trusted. */
	struct ring_window window;
	if (!ring_window(ring, &window) || window.tail < limit)
		return;
	if (window.oldest > position) {
		out->lost = window.oldest - position;
		out->start = window.oldest;
		out->aligned = window.aligned;
		uint64_t gone = out->lost < count ? out->lost : count;
		out->words += gone;
		count -= gone;
	}
	out->count = (uint32_t)count;
}

/* Verdict on a place of a batch. */
enum ground {
	GROUND_FALSE,  /* no record starts here */
	GROUND_CUT,    /* sound records up to the end of the batch, but too few */
	GROUND_TRUSTED /* a run of sound records with rising stamps, or sound records up to an edge */
};

/* Check whether a run of sound records starts at offset `start` of a batch, with stamps from last_ts up. */
static enum ground ground_judge(
    const struct ring_source *ring, const struct ring_batch *batch, uint32_t start, uint64_t last_ts)
{
	uint32_t at = start;

	for (int i = 0; i < TRUSTED_RUN; i++) {
		if (at == batch->count && batch->at_edge)
			return GROUND_TRUSTED;
		const uint64_t *record = batch->words + at;
		uint32_t room = batch->count - at, length = room != 0 ? header_length(record[0]) : 0;
		if (room != 0 && !header_sound(ring, record[0]))
			return GROUND_FALSE;
		if (room == 0 || length > room) {
			if (batch->at_edge)
				return GROUND_FALSE;
			return at - start >= BATCH_WORDS / 2 ? GROUND_TRUSTED : GROUND_CUT;
		}
		if (header_type(record[0]) == RECORD_PADDING) {
			/* Padding extends to the end of the ring, so its length is known exactly. */
			uint64_t left = ring->size - ((batch->start + at) & (ring->size - 1));
			return length == left ? GROUND_TRUSTED : GROUND_FALSE;
		}
		if (record[1] < last_ts)
			return GROUND_FALSE;
		last_ts = record[1];
		at += length;
	}
	return GROUND_TRUSTED;
}

uint32_t ring_resync(const struct ring_source *ring, const struct ring_batch *batch, uint32_t at,
    uint32_t from, uint64_t least, bool *found)
{
	for (uint32_t next = at + from; next < batch->count; next++) {
		enum ground ground = ground_judge(ring, batch, next, least);
		if (ground != GROUND_FALSE) {
			*found = ground == GROUND_TRUSTED;
			return next - at;
		}
	}
	*found = batch->at_edge;
	return batch->count - at;
}

/*
 * Whether an index may be in the padding before the ring's end.  Padding is shorter than the record that did
 * not fit there, and that record is at the ring's start.
 */
static bool may_be_padding(const struct ring_source *ring, uint64_t index, uint64_t limit)
{
	uint64_t left = ring->size - (index & (ring->size - 1));
	struct ring_window window;

	/* The writer publishes padding as a whole. */
	if (left >= RTEV_RECORD_WORDS_MAX || limit - index < left)
		return false;
	/* Without the record after it, the padding can be neither confirmed nor excluded. */
	if (!ring_window(ring, &window) || window.tail - index <= left)
		return true;
	uint64_t first = ring_load_word(&ring->words[0]);
	if (!ring_window(ring, &window) || (window.oldest > index && window.oldest - index > left))
		return true;
	return header_length(first) > left;
}

uint32_t ring_resync_lost(const struct ring_source *ring, const struct ring_batch *batch, uint64_t limit,
    uint64_t last_ts, bool *found)
{
	uint32_t words = ring_resync(ring, batch, 0, 0, last_ts, found);

	while (*found && words < batch->count) {
		uint64_t index = batch->start + words;
		if (may_be_padding(ring, index, limit))
			return words + (uint32_t)(ring->size - (index & (ring->size - 1)));
		/* The last word of another record may look like a padding header. */
		if (header_type(batch->words[words]) != RECORD_PADDING)
			break;
		words = ring_resync(ring, batch, 0, words + 1, last_ts, found);
	}
	return words;
}

/* Return the first offset of a file, from `at` on, at which it holds data; at most `end`. */
static uint64_t data_from(int fd, uint64_t at, uint64_t end)
{
#ifdef SEEK_DATA
	off_t data = lseek(fd, (off_t)at, SEEK_DATA);

	if (data >= 0)
		return (uint64_t)data < end ? (uint64_t)data : end;
	/* No data up to the end of the file, wherever that is now. */
	if (errno == ENXIO)
		return end;
#else
#endif
	return at;
}

bool ring_pass_hole(const struct ring_source *ring, uint64_t *position, uint64_t limit)
{
	uint64_t slot = *position & (ring->size - 1), left = ring->size - slot, passed = 0;
	uint64_t at = ring->offset + slot * sizeof(ring->words[0]);

	if (ring->fd < 0)
		return false;
	if (left > limit - *position)
		left = limit - *position;
	/* In a file system in memory, the page that the last batch ended in is allocated by now: read its
	 * zeros. */
	while (passed < left && (at + passed * sizeof(ring->words[0])) % HOLE_ALIGNMENT != 0 &&
	       ring_load_word(&ring->words[slot + passed]) == 0)
		passed++;
	at += passed * sizeof(ring->words[0]);
	if (passed < left && at % HOLE_ALIGNMENT == 0)
		passed += (data_from(ring->fd, at, at + (left - passed) * sizeof(ring->words[0])) - at) /
			  sizeof(ring->words[0]);
	*position += passed;
	return passed == left;
}
