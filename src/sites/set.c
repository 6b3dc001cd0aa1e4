/*
 * set.c - see set.h.
 */
#include "sites/set.h"

#include <stdlib.h>

enum { FIRST_BITS = 6 };

/* The table is empty afterwards. */
void sites_set_fini(struct sites_set *set)
{
	free(set->slots);
	*set = (struct sites_set){0};
}

/* Put a number into the first free slot of the search for a hash. */
static void put(struct sites_set *set, uint64_t hash, uint32_t id)
{
	size_t at = sites_set_first(set, hash);

	while (set->slots[at] != SITES_NONE)
		at = sites_set_next(set, at);
	set->slots[at] = id;
}

/* Double the table.  Returns false when out of memory. */
static bool grow(
    struct sites_set *set, uint64_t (*hash_of)(const void *array, uint32_t id), const void *array)
{
	unsigned bits = set->size == 0 ? FIRST_BITS : 64 - set->shift + 1;
	struct sites_set grown = {.size = (size_t)1 << bits, .count = set->count, .shift = 64 - bits};

	grown.slots = reallocarray(NULL, grown.size, sizeof(*grown.slots));
	if (grown.slots == NULL)
		return false;
	grown.multiplier = sites_multiplier(grown.slots);
	for (size_t i = 0; i < grown.size; i++)
		grown.slots[i] = SITES_NONE;
	for (size_t i = 0; i < set->size; i++) {
		if (set->slots[i] != SITES_NONE)
			put(&grown, hash_of(array, set->slots[i]), set->slots[i]);
	}
	free(set->slots);
	*set = grown;
	return true;
}

bool sites_set_add(struct sites_set *set, uint64_t hash, uint32_t id,
    uint64_t (*hash_of)(const void *array, uint32_t id), const void *array)
{
	if (set->count >= set->size / 2 && !grow(set, hash_of, array))
		return false;
	put(set, hash, id);
	set->count++;
	return true;
}
