/*
 * codes.h - a hash table from location codes to numbers.
 *
 * Every frame that differs from the previous backtrace is looked up here.  The lookup usually wants the
 * function of a code, so the function is stored in the slot.
 */
#ifndef SITES_CODES_H
#define SITES_CODES_H

#include "sites/index.h"

struct sites_code_slot {
	int64_t code;
	uint32_t id;	   /* SITES_NONE: free */
	uint32_t function; /* set by the user of the table */
};

struct sites_codes {
	struct sites_code_slot *slots; /* a power of two of them, at most half in use */
	size_t size;
	size_t count;
	uint64_t multiplier;
	unsigned shift; /* the slot is the product of code and multiplier, shifted right by this */
};

/* Initialise an empty table.  Returns false when out of memory.  sites_codes_fini may be called in either
 * case, and on a table of zeros. */
bool sites_codes_init(struct sites_codes *codes);
void sites_codes_fini(struct sites_codes *codes);

/* Add a code that is not in the table.  Returns false when out of memory. */
bool sites_codes_add(struct sites_codes *codes, struct sites_code_slot entry);

/* Find the slot of a code, or the free slot where it belongs.  A free slot always exists. */
static inline struct sites_code_slot *sites_codes_slot(const struct sites_codes *codes, int64_t code)
{
	struct sites_code_slot *slot = &codes->slots[(uint64_t)code * codes->multiplier >> codes->shift];

	while (slot->code != code && slot->id != SITES_NONE)
		slot = slot + 1 < codes->slots + codes->size ? slot + 1 : codes->slots;
	return slot;
}

/* Find the slot of a code; NULL when it is not in the table. */
static inline const struct sites_code_slot *sites_codes_find(const struct sites_codes *codes, int64_t code)
{
	const struct sites_code_slot *slot = sites_codes_slot(codes, code);
	return slot->id != SITES_NONE ? slot : NULL;
}

#endif
