/*
 * deliver.h - within the room: call back for the records of a batch.
 */
#pragma once

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

/* How the records of a batch are read. */
enum reading {
	READ_UNORDERED, /* stamps may go back */
	READ_ORDERED,	/* a scan found no stamp that goes back */
	READ_IN_PLACE	/* no stamp goes back, and the ring has no writer any more */
};

/* Take the caller's callbacks.  Returns false if their size is wrong. */
bool deliver_take_calls(struct rtev_callbacks *out, const struct rtev_callbacks *given);

/* Drop the falls before a position, and recompute the ceiling. */
void deliver_pass_falls(struct cursor_ring *ring, uint64_t position);

/* Deliver the records of a batch, which begins at the ring's position.  Returns the number of words used;
 * *broken: the record after them is invalid. */
uint32_t deliver_batch(struct delivery *d, struct cursor_ring *ring, unsigned domain,
    const struct ring_batch *batch, enum reading how, bool *broken);
