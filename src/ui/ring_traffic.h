/*
 * ring_traffic.h - what fills the rings, and how large they would have to be.
 *
 * Words of a ring by what wrote them, as far as it was read: every record counts with its size.  A loss means
 * that a ring was written around between two readings, so a ring that holds its own size and the largest loss
 * would have sufficed.
 */
#ifndef UI_RING_TRAFFIC_H
#define UI_RING_TRAFFIC_H

#include "ui/view.h"

/* The largest exponent that OCaml takes with its 128 domains. */
#define TRAFFIC_EXPONENT_MAX 20

struct traffic {
	char name[RTEV_USER_NAME_SIZE]; /* what wrote most, "" when nothing was read */
	uint64_t words;			/* by it */
	uint64_t all;			/* by all */
	uint64_t lost_most;		/* words lost at once on one ring */
	unsigned exponent; /* of a ring that would have held that; 0 without a loss or a known size */
};

void traffic_read(const struct subject *subject, struct traffic *out);

/* After a loss, say in one line how much was lost, which ring would have held it, and what fills it; false
 * without one. */
bool traffic_draw(const struct subject *subject, struct canvas *canvas, struct rect line);

#endif
