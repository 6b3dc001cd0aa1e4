/*
 * nesting.h - which phases a runtime begins inside of which, and so what the numbers of a stream can't mean.
 *
 * Families A (5.0 to 5.2) and B (5.3 and later, OxCaml) number most phases differently.  Many phases have their place in a
 * runtime's code: minor_remembered_set begins inside of minor and nowhere else.  A number that would be a phase in a place
 * where its family never begins it excludes that family.
 *
 * To know the place of a begin is to know what is open around it.  Where a ring comes from the middle of something, that is
 * unknown until a lifecycle event or one of the program's own tells that the program itself ran, until something begins, or until
 * it ends.
 *
 * A pause of the target hides ends without a trace on most rings, and so does a copy of a ring that was being written to.  Who
 * learns of either must not believe what the nesting said.
 *
 * Source: the calls of CAML_EV_BEGIN in the runtimes of 5.0, 5.1, 5.2, 5.3, 5.4 and OxCaml, all of them taken together.
 */
#ifndef RING_NESTING_H
#define RING_NESTING_H

#include <stdbool.h>
#include <stdint.h>

#define NESTING_DEPTH 24 /* runtimes nest about ten deep */

/* What is open on one ring.  All zero: nothing is known. */
struct nesting {
	uint8_t stack[NESTING_DEPTH]; /* numbers of the open phases, outermost first */
	uint8_t depth;
	uint64_t inside; /* as bits, what began right inside of something unknown */
	bool program;	 /* what is around them is the program itself, or a phase in which it runs */
	bool starting;	 /* likewise, or the stop of the world in which the ring was started */
	bool abandoned;	 /* it can't be followed any more */
	/* a minor collection of family B that its leader does for its own sake: */
	uint8_t leader;	   /* depth of the leader's phase, 0: none is followed */
	bool leader_minor; /* a minor phase began inside of it */
};

/* What a begin or an end excludes, as bits. */
enum {
	NESTING_NOT_A = 1 << 0,
	NESTING_NOT_B = 1 << 1,
	NESTING_BARE_MINOR = 1 << 2, /* in family B: a whole minor collection without 5.4's phase around it */
	NESTING_EMPTY_MINOR = 1 << 3, /* in family B: the phase 48 where OxCaml does not begin it */
	NESTING_EPHE_CLEAN = 1 << 4   /* in family B: the phase 48 where 5.4 does not begin it */
};

/* Take in the begin or the end of a phase. */
unsigned nesting_begin(struct nesting *n, uint32_t id);
unsigned nesting_end(struct nesting *n, uint32_t id);

/* Take in a lifecycle event: nothing but the program is open.  `starts`: it is a ring_start. */
void nesting_lifecycle(struct nesting *n, bool starts);

/* Take in a user event. */
void nesting_user(struct nesting *n);

#endif
