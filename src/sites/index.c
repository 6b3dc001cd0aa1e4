/* index.c - open addressing with linear probing; tables are at most half full and double. */
#include "sites/index.h"

/* ---- set ---- */

enum { SET_FIRST_BITS = 6 };

/* The table is empty afterwards. */
void sites_set_fini(struct sites_set *set)
{
	free(set->slots);
	*set = (struct sites_set){0};
}

/* Put a number into the first free slot of the search for a hash. */
static void set_put(struct sites_set *set, uint64_t hash, uint32_t id)
{
	size_t at = (size_t)(hash * set->multiplier >> set->shift);

	while (set->slots[at] != SITES_NONE)
		at = (at + 1) & (set->size - 1);
	set->slots[at] = id;
}

/* Double the table.  Returns false when out of memory. */
static bool set_grow(
    struct sites_set *set, uint64_t (*hash_of)(const void *array, uint32_t id), const void *array)
{
	unsigned bits = set->size == 0 ? SET_FIRST_BITS : 64 - set->shift + 1;
	struct sites_set grown = {.size = (size_t)1 << bits, .count = set->count, .shift = 64 - bits};

	grown.slots = reallocarray(NULL, grown.size, sizeof(*grown.slots));
	if (grown.slots == NULL)
		return false;
	grown.multiplier = sites_multiplier(grown.slots);
	for (size_t i = 0; i < grown.size; i++)
		grown.slots[i] = SITES_NONE;
	for (size_t i = 0; i < set->size; i++) {
		if (set->slots[i] != SITES_NONE)
			set_put(&grown, hash_of(array, set->slots[i]), set->slots[i]);
	}
	free(set->slots);
	*set = grown;
	return true;
}

bool sites_set_add(struct sites_set *set, uint64_t hash, uint32_t id,
    uint64_t (*hash_of)(const void *array, uint32_t id), const void *array)
{
	if (set->count >= set->size / 2 && !set_grow(set, hash_of, array))
		return false;
	set_put(set, hash, id);
	set->count++;
	return true;
}

/* ---- codes ---- */

/* Large enough that the codes of a small program rarely collide.  A search of more than one step is expensive
 * because the processor mispredicts the branch. */
enum { CODES_FIRST_BITS = 10 };

/* Initialise an empty table of 1 << bits slots. */
static bool codes_make(struct sites_codes *codes, unsigned bits)
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
	return codes_make(codes, CODES_FIRST_BITS);
}

void sites_codes_fini(struct sites_codes *codes)
{
	free(codes->slots);
	*codes = (struct sites_codes){0};
}

/* Double the table. */
static bool codes_grow(struct sites_codes *codes)
{
	struct sites_codes grown;

	if (!codes_make(&grown, 64 - codes->shift + 1))
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
	if (codes->count >= codes->size / 2 && !codes_grow(codes))
		return false;
	*sites_codes_slot(codes, entry.code) = entry;
	codes->count++;
	return true;
}
