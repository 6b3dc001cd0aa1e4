/*
 * codes.h - a hash table from location codes to numbers.
 *
 * Each frame of a trace that is not that of the backtrace before is looked up here, so what is mostly wanted of a
 * code, its function, stands beside it.
 */
#ifndef SITES_CODES_H
#define SITES_CODES_H

#include "sites/index.h"

struct sites_code_slot {
	int64_t code;
	uint32_t id;	   /* SITES_NONE: free */
	uint32_t function; /* as its user says */
};

struct sites_codes {
	struct sites_code_slot *slots; /* a power of two of them, at most half in use */
	size_t size;
	size_t count;
	uint64_t multiplier;
	unsigned shift; /* how far a product is shifted to the slot */
};

/* Make an empty table.  False when memory ran out; fini is right in any case, and for all zeros. */
bool sites_codes_init(struct sites_codes *codes);
void sites_codes_fini(struct sites_codes *codes);

/* Add a code that is not there.  False when memory ran out. */
bool sites_codes_add(struct sites_codes *codes, struct sites_code_slot entry);

/* The slot of a code, or a free one; there is one. */
static inline struct sites_code_slot *sites_codes_slot(const struct sites_codes *codes, int64_t code)
{
	struct sites_code_slot *slot = &codes->slots[(uint64_t)code * codes->multiplier >> codes->shift];

	while (slot->code != code && slot->id != SITES_NONE)
		slot = slot + 1 < codes->slots + codes->size ? slot + 1 : codes->slots;
	return slot;
}

/* The slot of a code; NULL when it is not there. */
static inline const struct sites_code_slot *sites_codes_find(const struct sites_codes *codes, int64_t code)
{
	const struct sites_code_slot *slot = sites_codes_slot(codes, code);
	return slot->id != SITES_NONE ? slot : NULL;
}

#endif
