/*
 * deliver.h - call back for the records of a batch.
 */
#ifndef RING_DELIVER_H
#define RING_DELIVER_H

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

/* Take the caller's callbacks.  Returns false if their size is wrong. */
bool deliver_take_calls(struct rtev_callbacks *out, const struct rtev_callbacks *given);

/* Drop the falls before a position, and recompute the ceiling. */
void deliver_pass_falls(struct cursor_ring *ring, uint64_t position);

/*
 * Deliver the records of a batch, whose first is at the position of the ring.  Return the number of words
 * used; *broken: the record after them is invalid.  Ordered: a scan found no stamp that goes back.  In place:
 * the same, and the words are those of a ring without a writer.
 */
uint32_t deliver_unordered(struct delivery *d, struct cursor_ring *ring, unsigned domain,
    const struct ring_batch *batch, bool *broken);
uint32_t deliver_ordered(struct delivery *d, struct cursor_ring *ring, unsigned domain,
    const struct ring_batch *batch, bool *broken);
uint32_t deliver_in_place(struct delivery *d, struct cursor_ring *ring, unsigned domain,
    const struct ring_batch *batch, bool *broken);

#endif
