/*
 * nesting.h - exclude releases by the nesting of phases in a stream.
 *
 * Families A (5.0 to 5.2) and B (5.3 and later, OxCaml) number most phases differently.  A runtime begins
 * many phases in fixed places only: minor_remembered_set begins inside minor and nowhere else.  If a number
 * stands for a phase that a family never begins in the given place, the stream is not of that family.
 *
 * The place of a begin is the innermost phase open at that time.  If the ring's first records come from
 * inside open phases, the place is unknown until a lifecycle or user event shows that the program itself was
 * running, until a phase begins, or until the unknown phase ends.
 *
 * A pause of the target hides ends, and most rings do not record the pause.  A copy of a ring that was being
 * written to may lack ends too.  A caller that detects either must discard the conclusions from nesting.
 *
 * Source: the calls of CAML_EV_BEGIN in the runtimes of 5.0, 5.1, 5.2, 5.3, 5.4 and OxCaml; the tables are
 * the union of these.
 */
#ifndef RING_NESTING_H
#define RING_NESTING_H

#include <stdbool.h>
#include <stdint.h>

#define NESTING_DEPTH 24 /* runtimes nest about ten deep */

/* The open phases of one ring.  All zero: nothing is known. */
struct nesting {
	uint8_t stack[NESTING_DEPTH]; /* numbers of the open phases, outermost first */
	uint8_t depth;
	uint64_t inside; /* phases that began directly inside an unknown one, as bits */
	bool program;	 /* around the open phases is the program itself, or a phase in which it runs */
	bool starting;	 /* likewise, or the stop-the-world section in which the ring was started */
	bool abandoned;	 /* the nesting could not be followed any further */
	/* in family B, a leader's phase that may serve a minor collection alone: */
	uint8_t leader;	   /* depth of that phase, 0: none is tracked */
	bool leader_minor; /* a minor phase began inside it */
};

/* What a begin or an end shows, as bits. */
enum {
	NESTING_NOT_A = 1 << 0,
	NESTING_NOT_B = 1 << 1,
	NESTING_BARE_MINOR = 1 << 2,  /* in family B: a minor collection without phase 48 around it */
	NESTING_EMPTY_MINOR = 1 << 3, /* in family B: phase 48 where OxCaml does not begin it */
	NESTING_EPHE_CLEAN = 1 << 4   /* in family B: phase 48 where 5.4 does not begin it */
};

/* Process the begin or the end of a phase.  Returns what it shows. */
unsigned nesting_begin(struct nesting *n, uint32_t id);
unsigned nesting_end(struct nesting *n, uint32_t id);

/* Process a lifecycle event: no phase is open, only the program runs.  `starts`: the event is a
 * ring_start. */
void nesting_lifecycle(struct nesting *n, bool starts);

/* Process a user event. */
void nesting_user(struct nesting *n);

#endif
