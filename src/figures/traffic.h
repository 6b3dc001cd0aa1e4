/*
 * traffic.h - what fills the rings, and how large they would have to be.
 *
 * Counts the words of the records that were read, by source.  A loss means that a ring was overwritten
 * between two reads: a ring of its present size plus the largest loss would have been large enough.
 */
#pragma once

#include "model/model.h"

/* The largest exponent that OCaml accepts with 128 domains. */
#define TRAFFIC_EXPONENT_MAX 20

struct traffic {
	char name[RTEV_USER_NAME_SIZE +
		  2];	/* the source that wrote most, quoted by shown_quote; untrusted; "" when nothing was
		       * read */
	uint64_t words; /* written by that source */
	uint64_t all;	/* written by all sources */
	uint64_t lost_most; /* largest loss on one ring, in words */
	unsigned exponent;  /* of a ring large enough for that loss; 0 without a loss or a known size */
};

/* Count what was read since the attach or the last reset.  `ring_words` is the size of a ring; 0: not known. */
struct traffic traffic_read(const struct model *m, uint64_t ring_words);

/* Write the remedy of a loss, without a full stop: the ring that would have held it, or that there is none.  "" without a loss or
 * a known size. */
void traffic_remedy(const struct traffic *t, char *buf, size_t size);
