/*
 * traffic.h - what fills the rings, and how large they would have to be.
 *
 * Words of a ring by what wrote them, as far as it was read: every record counts with its size.  A loss means
 * that a ring was written around between two readings, so a ring that holds its own size and the largest loss
 * would have sufficed.
 */
#ifndef WATCH_TRAFFIC_H
#define WATCH_TRAFFIC_H

#include "model/model.h"

/* The largest exponent that OCaml takes with its 128 domains. */
#define TRAFFIC_EXPONENT_MAX 20

struct traffic {
	char name[RTEV_USER_NAME_SIZE]; /* what wrote most, untrusted bytes; "" when nothing was read */
	uint64_t words;			/* by it */
	uint64_t all;			/* by all */
	uint64_t lost_most;		/* words lost at once on one ring */
	unsigned exponent; /* of a ring that would have held that; 0 without a loss or a known size */
};

/* Since the attach or the reset.  `ring_words`: of a ring; 0: not known. */
void traffic_read(const struct model *m, uint64_t ring_words, struct traffic *out);

#endif
