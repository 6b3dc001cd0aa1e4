/*
 * producer_writer.h - write to one ring: find room for a record, store it, publish it.
 *
 * head, tail: the writer's own copies of the indexes.  It loads the shared ones only in ring_writer_init.
 *
 * Records never cross the ring's end, so up to length - 1 words of padding precede a record.  A ring keeps
 * at most size - 1 words.  The writer gives up the oldest whole records as it needs room, one or two for
 * each new one.  (More at a time would cost more: it must read each length to find the next record.)  A
 * record of at most half the ring always fits, because with its padding it is shorter than the ring.
 */
#ifndef RING_PRODUCER_WRITER_H
#define RING_PRODUCER_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "ring/atomics.h"
#include "ring/layout.h"

struct ring_writer {
	struct ring_header *header;
	uint64_t *words;
	uint64_t mask; /* size - 1 */
	uint64_t head, tail;
};

/* Start writing at the indexes that the ring header holds. */
void ring_writer_init(struct ring_writer *w, struct ring_header *header, uint64_t *words, uint64_t size);

/* Pad the ring to its end, so that a record of `length` words can start at offset 0. */
void ring_writer_wrap(struct ring_writer *w, uint32_t length);

/* Whether a record of that many words can be written. */
static inline bool ring_writer_fits(const struct ring_writer *w, uint32_t length)
{
	return length <= (w->mask + 1) / 2;
}

/* Give up the oldest records until the words below index `end` fit the ring. */
static inline void ring_writer_make_room(struct ring_writer *w, uint64_t end)
{
	uint64_t head = w->head;

	while (end - head > w->mask) {
		uint64_t length = header_length(ring_load_own(&w->words[head & w->mask]));
		/* This writer stores valid lengths, but other processes can write to the file.  Never
		 * loop on an invalid length, and never pass tail; from there the record fits. */
		if (length == 0 || length > w->tail - head)
			length = w->tail - head;
		head += length;
	}
	w->head = head;
	ring_store_head(w->header, head);
}

/* Find room for a record that fits.  Returns where to store its words. */
static inline uint64_t *ring_writer_reserve(struct ring_writer *w, uint32_t length)
{
	if ((w->tail & w->mask) + length > w->mask + 1)
		ring_writer_wrap(w, length);
	if (w->tail + length - w->head > w->mask)
		ring_writer_make_room(w, w->tail + length);
	return w->words + (w->tail & w->mask);
}

/* Publish the record stored after ring_writer_reserve. */
static inline void ring_writer_publish(struct ring_writer *w, uint32_t length)
{
	w->tail += length;
	ring_store_tail(w->header, w->tail);
}

#endif
