/*
 * set.h - a hash table of small numbers that stand for members of an array.
 *
 * It holds the numbers alone.  What they are found by is in the array; its user compares it, and says the hash of a
 * member again when the table grows.
 */
#ifndef SITES_SET_H
#define SITES_SET_H

#include "sites/index.h"

/* Empty is all zeros. */
struct sites_set {
	uint32_t *slots; /* a power of two of them, at most half in use; SITES_NONE: free */
	size_t size;
	size_t count;
	uint64_t multiplier;
	unsigned shift; /* how far a product is shifted to the slot */
};

void sites_set_fini(struct sites_set *set);

/* Add a number that is not there, where a search for its hash led.  False when memory ran out. */
bool sites_set_add(struct sites_set *set, uint64_t hash, uint32_t id,
    uint64_t (*hash_of)(const void *array, uint32_t id), const void *array);

/* Where a search for a hash begins. */
static inline size_t sites_set_first(const struct sites_set *set, uint64_t hash)
{
	return (size_t)(hash * set->multiplier >> set->shift);
}

/* Where it goes on. */
static inline size_t sites_set_next(const struct sites_set *set, size_t at)
{
	return (at + 1) & (set->size - 1);
}

#endif
