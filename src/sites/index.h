/*
 * index.h - a hash table from pairs of numbers to small numbers given out in order.
 */
#ifndef SITES_INDEX_H
#define SITES_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SITES_NONE UINT32_MAX

/* A pair's hash stands beside its number, so that the pair is looked at only where it is likely the right one, and
 * not at all when the table grows. */
struct sites_slot {
	uint32_t hash;
	uint32_t id; /* SITES_NONE: free */
};

struct sites_pair_key {
	uint64_t a, b;
};

/* Empty is all zeros. */
struct sites_index {
	struct sites_slot *slots; /* a power of two of them, at most three quarters in use */
	size_t size;
	size_t count;
	struct sites_pair_key *keys; /* by number: most have one */
	size_t key_capacity;
	uint64_t seed;
};

void sites_index_fini(struct sites_index *index);

/* Forget all pairs.  As many as there were can be added without more memory, under numbers no larger than theirs. */
void sites_index_clear(struct sites_index *index);

/* The number of a pair, SITES_NONE when it has none. */
uint32_t sites_index_find(const struct sites_index *index, uint64_t a, uint64_t b);

/* Give a pair that is not there a number.  False when memory ran out. */
bool sites_index_add(struct sites_index *index, uint64_t a, uint64_t b, uint32_t id);

/* Mix the bits of two numbers. */
static inline uint64_t sites_hash(uint64_t a, uint64_t b)
{
	uint64_t x = a * 0x9FB21C651E98DF25u ^ (b + 0x9E3779B97F4A7C15u) * 0xC2B2AE3D27D4EB4Fu;

	x ^= x >> 32;
	x *= 0xD6E8FEB86659FD93u;
	return x ^ x >> 29;
}

/*
 * A multiplier for tables whose key times it has the slot in its top bits.  Its own top bits are those of the golden
 * ratio, by which numbers in a row come to lie far apart; the rest follows from the address of the table, so that
 * others that come to lie together are hard to prepare.
 */
static inline uint64_t sites_multiplier(const void *table)
{
	uint64_t mixed = sites_hash((uint64_t)(uintptr_t)table, 0);

	return (UINT64_C(0x9E3779) << 40) | mixed >> 24 | 1;
}

/* Make room for one more member of an array.  Returns it where it is now, or NULL (and the old one stays). */
void *sites_reserve(void *array, size_t count, size_t *capacity, size_t member);

#endif
