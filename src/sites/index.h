/*
 * index.h - a hash table from pairs of numbers to small numbers, which its user assigns in order.
 */
#ifndef SITES_INDEX_H
#define SITES_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SITES_NONE UINT32_MAX

/* The slot holds the hash of the pair, so that a search compares the pair itself only when the hashes are
 * equal, and growing the table needs no pair. */
struct sites_slot {
	uint32_t hash;
	uint32_t id; /* SITES_NONE: free */
};

struct sites_pair_key {
	uint64_t a, b;
};

/* An empty table is all zeros. */
struct sites_index {
	struct sites_slot *slots; /* a power of two of them, at most three quarters in use */
	size_t size;
	size_t count;
	struct sites_pair_key *keys; /* by number; most numbers have a key */
	size_t key_capacity;
	uint64_t seed;
};

void sites_index_fini(struct sites_index *index);

/* Find the number of a pair; SITES_NONE when the pair is not in the table. */
uint32_t sites_index_find(const struct sites_index *index, uint64_t a, uint64_t b);

/* Add a pair that is not in the table, with a number.  Returns false when out of memory. */
bool sites_index_add(struct sites_index *index, uint64_t a, uint64_t b, uint32_t id);

/* Hash two numbers. */
static inline uint64_t sites_hash(uint64_t a, uint64_t b)
{
	uint64_t x = a * 0x9FB21C651E98DF25u ^ (b + 0x9E3779B97F4A7C15u) * 0xC2B2AE3D27D4EB4Fu;

	x ^= x >> 32;
	x *= 0xD6E8FEB86659FD93u;
	return x ^ x >> 29;
}

/*
 * The multiplier for a table whose slot is the top bits of key times multiplier.  Its top bits are those of
 * the golden ratio, which spreads consecutive numbers far apart.  The other bits depend on the address of the
 * table, so that collisions are hard to provoke on purpose.
 */
static inline uint64_t sites_multiplier(const void *table)
{
	uint64_t mixed = sites_hash((uint64_t)(uintptr_t)table, 0);

	return (UINT64_C(0x9E3779) << 40) | mixed >> 24 | 1;
}

/* Make room for one more member of an array.  Returns the array, which may have moved.  When out of memory,
 * returns NULL and the old array stays valid. */
void *sites_reserve(void *array, size_t count, size_t *capacity, size_t member);

#endif
