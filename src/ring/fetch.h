/*
 * fetch.h - take unread words out of one ring into private memory, in batches, and judge records there.
 *
 * A batch is a run of consecutive words that had been published when its tail was loaded and had not been
 * reused when its head was loaded again, all of one lap (it never crosses the ring's end).  Only such words
 * are ever interpreted: a record that was overwritten while it was copied is lost, never mistaken for a
 * corrupt one.
 *
 * A file may claim words that it holds no data for: they read as zeros, but reading them costs memory, in a file
 * that lives in memory for good.  Zeros are no records.  So who seeks firm ground and has found none in a batch
 * asks the file where data goes on, and passes over the hole.
 */
#ifndef RING_FETCH_H
#define RING_FETCH_H

#include <stdbool.h>
#include <stdint.h>

#include "ring/layout.h"

/* Words copied at a time: a batch and what the callbacks touch stay in the first-level cache.  At least one
 * record. */
#define BATCH_WORDS 2048u
static_assert(BATCH_WORDS > RTEV_RECORD_WORDS_MAX, "a batch holds any record whole");

/* One ring, as a reader needs it. */
struct ring_source {
	const struct ring_header *header;
	const uint64_t *words;
	uint64_t size;	 /* words, a power of two */
	uint64_t guard;	 /* RING_GUARD_WORDS, or 0 when it is */
	bool still;	 /* nobody writes to it any more */
	uint64_t blank;	 /* bits that are zero in every header word */
	int fd;		 /* of the file, -1: none */
	uint64_t offset; /* where its words begin in the file */
};

/* What of a ring can be read now. */
struct ring_window {
	uint64_t head;	 /* as the ring says */
	uint64_t tail;	 /* the end of what is published */
	uint64_t oldest; /* the first index that is safe; at most tail */
	bool aligned;	 /* a record begins at oldest */
};

struct ring_batch {
	uint64_t start;	 /* index of words[0] */
	uint32_t count;	 /* words that hold */
	bool at_edge;	 /* ends where a record is known to end: at the limit or at the ring's end */
	bool aligned;	 /* nothing was lost, or a record begins at start */
	uint64_t lost;	 /* words between the position asked for and start */
	uint64_t *words; /* into the storage given */
};

/* How many of a ring's words can be read: all but the guard, and at least half of them. */
static inline uint64_t ring_keep(const struct ring_source *ring)
{
	return ring->size - (ring->guard < ring->size / 2 ? ring->guard : ring->size / 2);
}

/* Load a window.  False when head and tail contradict each other: then only those two are filled in. */
bool ring_window(const struct ring_source *ring, struct ring_window *out);

/*
 * Copy up to `want` words (at least a record, at most BATCH_WORDS) from `position`, not beyond `limit`, a
 * published tail. *out is always filled; count is 0 when nothing can be read there.
 */
void ring_fetch(const struct ring_source *ring, uint64_t position, uint64_t limit, uint32_t want,
    uint64_t storage[BATCH_WORDS], struct ring_batch *out);

/* The fewest words a record of a type can have; types that nobody writes have the fewest of all. */
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
 * How many words to skip from offset `at` of a batch until records can be trusted again.  That is where a run
 * of sound records begins, or an edge.  *found is false when the batch ends before that can be told: the next
 * batch is to begin after the skipped words, and to be as long as can be.  `from` is the first offset to try,
 * beyond `at`; `least` the least stamp that can be trusted.
 */
uint32_t ring_resync(const struct ring_source *ring, const struct ring_batch *batch, uint32_t at,
    uint32_t from, uint64_t least, bool *found);

/*
 * The same at the start of a batch after a loss, when the last stamp is too old to tell what was written since
 * from the records of the lap before that still stand in padding.  `limit` is a published tail, not below the
 * batch's end; the words to skip may lead beyond that end.
 */
uint32_t ring_resync_lost(const struct ring_source *ring, const struct ring_batch *batch, uint64_t limit,
    uint64_t last_ts, bool *found);

/* Pass over the zeros from *position on that the file may hold no data for, up to `limit`, which is beyond it, or the
 * end of the lap.  True when it went all the way: a record begins there.  At most one system call. */
bool ring_pass_hole(const struct ring_source *ring, uint64_t *position, uint64_t limit);

#endif
