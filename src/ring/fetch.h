/*
 * fetch.h - copy unread words of one ring into private memory, in batches, and validate records there.
 *
 * A batch is a run of consecutive words of one lap; it never crosses the ring's end.  The writer had
 * published all of them when the reader loaded tail, and had not reused any when the reader loaded head
 * again.  The reader interprets only such words, so it counts a record overwritten during the copy as lost,
 * never as corrupt.
 *
 * A file may declare words that it holds no data for (a hole).  They read as zeros, but reading them
 * allocates memory, permanently in a file system in memory.  Zeros are not records.  A reader that seeks the
 * next trusted place and finds none in a batch therefore asks the file where data continues, and skips the
 * hole.
 */
#ifndef RING_FETCH_H
#define RING_FETCH_H

#include <stdbool.h>
#include <stdint.h>

#include "ring/layout.h"

/* Words copied at a time.  A batch and what the callbacks touch should stay in the first-level cache.
 * Holds at least one record. */
#define BATCH_WORDS 2048u
static_assert(BATCH_WORDS > RTEV_RECORD_WORDS_MAX, "a batch holds any record whole");

/* What a reader needs to know of one ring. */
struct ring_source {
	const struct ring_header *header;
	const uint64_t *words;
	uint64_t size;	 /* words, a power of two */
	uint64_t guard;	 /* RING_GUARD_WORDS, or 0 if the ring is still */
	bool still;	 /* the ring has no writer any more */
	uint64_t blank;	 /* bits that are zero in every header word */
	int fd;		 /* descriptor of the file, -1: none */
	uint64_t offset; /* offset of its words in the file */
};

/* The readable part of a ring. */
struct ring_window {
	uint64_t head;	 /* as stored in the ring */
	uint64_t tail;	 /* the end of what is published */
	uint64_t oldest; /* the first index that can be read; at most tail */
	bool aligned;	 /* a record begins at oldest */
};

struct ring_batch {
	uint64_t start; /* index of words[0] */
	uint32_t count; /* valid words */
	bool at_edge;	/* ends where a record is known to end: at the limit or at the ring's end */
	bool aligned;	/* nothing was lost, or a record begins at start */
	uint64_t lost;	/* words between the position asked for and start */
	const uint64_t *words;
};

/* Return how many words of a ring can be read: all but the guard, and at least half of them. */
static inline uint64_t ring_keep(const struct ring_source *ring)
{
	return ring->size - (ring->guard < ring->size / 2 ? ring->guard : ring->size / 2);
}

/* Load a window.  Returns false if head and tail contradict each other; *out then holds only these two. */
bool ring_window(const struct ring_source *ring, struct ring_window *out);

/*
 * Copy up to `want` words (at least a record, at most BATCH_WORDS) from `position`, up to `limit`, a
 * published tail.  *out is always filled; its count is 0 if nothing can be read there.
 */
void ring_fetch(const struct ring_source *ring, uint64_t position, uint64_t limit, uint32_t want,
    uint64_t storage[BATCH_WORDS], struct ring_batch *out);

/* Minimum length of a record, by type, in words; 2 for types that no runtime writes. */
extern const uint8_t record_words_min[RECORD_TYPE_COUNT];

/* Whether a word can't begin a record of `ring`, whatever follows it. */
static inline bool header_broken(const struct ring_source *ring, uint64_t header)
{
	return (header & ring->blank) != 0 || header_length(header) < record_words_min[header_type(header)];
}

/* Whether a word can be the header of a record that a runtime writes. */
static inline bool header_sound(const struct ring_source *ring, uint64_t header)
{
	uint32_t type = header_type(header);

	return !header_broken(ring, header) &&
	       (type <= RECORD_ALLOC || (type >= RECORD_USER_UNIT && type <= RECORD_USER_CUSTOM));
}

/*
 * Return how many words to skip from offset `at` of a batch to the next trusted place: the start of a run of
 * sound records, or an edge.  *found is false if the batch ends before that can be decided; the next batch
 * must then start after the skipped words and be of full length.  `from` is the first offset to try,
 * relative to `at`; `least` is the lowest stamp to accept.
 */
uint32_t ring_resync(const struct ring_source *ring, const struct ring_batch *batch, uint32_t at,
    uint32_t from, uint64_t least, bool *found);

/*
 * The same at the start of a batch after a loss.  Padding may still contain records of the lap before, and
 * the last stamp may be too old to reject them.  `limit` is a published tail, not below the end of the
 * batch; the words to skip may extend past that end.
 */
uint32_t ring_resync_lost(const struct ring_source *ring, const struct ring_batch *batch, uint64_t limit,
    uint64_t last_ts, bool *found);

/* Advance *position over zeros that may belong to a hole of the file, and over the hole, up to `limit`
 * (above *position) or the end of the lap.  Returns true if it got all the way; a record begins there.
 * At most one system call. */
bool ring_pass_hole(const struct ring_source *ring, uint64_t *position, uint64_t limit);

#endif
