/*
 * set.h - a hash table of small numbers that are indices into an array.
 *
 * The table holds only the numbers; the keys are in the array.  The user compares the keys, and supplies a
 * function that computes the hash of a member when the table grows.
 */
#ifndef SITES_SET_H
#define SITES_SET_H

#include "sites/index.h"

/* An empty table is all zeros. */
struct sites_set {
	uint32_t *slots; /* a power of two of them, at most half in use; SITES_NONE: free */
	size_t size;
	size_t count;
	uint64_t multiplier;
	unsigned shift; /* the slot is the product of hash and multiplier, shifted right by this */
};

void sites_set_fini(struct sites_set *set);

/* Add a number that is not in the table, with its hash.  Returns false when out of memory. */
bool sites_set_add(struct sites_set *set, uint64_t hash, uint32_t id,
    uint64_t (*hash_of)(const void *array, uint32_t id), const void *array);

/* The slot where a search for a hash begins. */
static inline size_t sites_set_first(const struct sites_set *set, uint64_t hash)
{
	return (size_t)(hash * set->multiplier >> set->shift);
}

/* The slot that a search visits after `at`. */
static inline size_t sites_set_next(const struct sites_set *set, size_t at)
{
	return (at + 1) & (set->size - 1);
}

#endif
