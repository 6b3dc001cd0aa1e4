/*
 * fills.h - what fills the rings: words by kind of event and name, and the ring size that would do.
 *
 * An event takes a header word, a stamp, and its payload.  Events are counted as the model passes them on, so
 * an end that has no begin is not among them.
 */
#ifndef MODEL_FILLS_H
#define MODEL_FILLS_H

#include <stddef.h>
#include <stdint.h>

#include "model/model.h"

enum fills_kind { FILLS_PHASE, FILLS_COUNTER, FILLS_ALLOC, FILLS_LIFECYCLE, FILLS_USER };

#define FILLS_OPAQUE UINT32_MAX /* all phases (counters, lifecycle events) that the tables lack */

struct fills_entry {
	enum fills_kind kind;
	uint32_t id; /* phase, counter, lifecycle event or user slot, by kind; or FILLS_OPAQUE */
	uint64_t events;
	uint64_t words;
};

struct fills;

/* `model` is asked for the kinds of user slots, so it must outlive the fills.  NULL when memory ran out. */
struct fills *fills_create(const struct model *model);
void fills_destroy(struct fills *f);

/* Fill in the observer that feeds it. */
void fills_observer(struct fills *f, struct model_observer *out);

/* The entries with most words, most first, without empty ones; returns how many were written.  *words (may be
 * NULL) gets the words of all entries. */
size_t fills_top(const struct fills *f, struct fills_entry *out, size_t size, uint64_t *words);

/*
 * The smallest e for OCAMLRUNPARAM=e=.. with which a ring, of 2^e words, holds twice `burst` words, the most
 * that came on one ring between two polls, lost ones included.  At least 9, which any event fits in.
 */
unsigned fills_ring_size(uint64_t burst);

#endif
