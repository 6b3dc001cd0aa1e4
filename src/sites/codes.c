/*
 * codes.c - see codes.h.
 */
#include "sites/codes.h"

#include <stdlib.h>

/* Large enough that the codes of a small program rarely collide.  A search of more than one step is expensive
 * because the processor mispredicts the branch. */
enum { FIRST_BITS = 10 };

/* Initialise an empty table of 1 << bits slots. */
static bool make(struct sites_codes *codes, unsigned bits)
{
	*codes = (struct sites_codes){.size = (size_t)1 << bits, .shift = 64 - bits};
	codes->slots = reallocarray(NULL, codes->size, sizeof(*codes->slots));
	if (codes->slots == NULL)
		return false;
	codes->multiplier = sites_multiplier(codes->slots);
	for (size_t i = 0; i < codes->size; i++)
		codes->slots[i] = (struct sites_code_slot){.id = SITES_NONE};
	return true;
}

bool sites_codes_init(struct sites_codes *codes)
{
	return make(codes, FIRST_BITS);
}

void sites_codes_fini(struct sites_codes *codes)
{
	free(codes->slots);
	*codes = (struct sites_codes){0};
}

/* Double the table. */
static bool grow(struct sites_codes *codes)
{
	struct sites_codes grown;

	if (!make(&grown, 64 - codes->shift + 1))
		return false;
	for (size_t i = 0; i < codes->size; i++) {
		if (codes->slots[i].id != SITES_NONE)
			*sites_codes_slot(&grown, codes->slots[i].code) = codes->slots[i];
	}
	grown.count = codes->count;
	free(codes->slots);
	*codes = grown;
	return true;
}

bool sites_codes_add(struct sites_codes *codes, struct sites_code_slot entry)
{
	if (codes->count >= codes->size / 2 && !grow(codes))
		return false;
	*sites_codes_slot(codes, entry.code) = entry;
	codes->count++;
	return true;
}
