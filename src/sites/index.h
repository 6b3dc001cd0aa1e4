/*
 * index.h - hash tables that find small numbers: for members of an array, and location codes.
 */
#pragma once

#include "core/id_map.h"

#define SITES_NONE UINT32_MAX

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

/* The id of a number in one of core's maps: no other number has it, and it depends on the address of the map. */
static inline uint64_t sites_id(const struct id_map *map, uint64_t number)
{
	return sites_hash(number, (uint64_t)(uintptr_t)map);
}

/* ---- set ---- */

/*
 * A hash table of small numbers that are indices into an array.
 *
 * The table holds only the numbers; the keys are in the array.  The user compares the keys, and supplies a
 * function that computes the hash of a member when the table grows.
 */

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

/* Find the member of an array that equals `wanted`, whose hash is given; SITES_NONE when there is none. */
static inline uint32_t sites_set_find(const struct sites_set *set, uint64_t hash,
    bool (*equals)(const void *array, uint32_t id, const void *wanted), const void *array, const void *wanted)
{
	if (set->size == 0)
		return SITES_NONE;
	size_t at = (size_t)(hash * set->multiplier >> set->shift);
	while (set->slots[at] != SITES_NONE && !equals(array, set->slots[at], wanted))
		at = (at + 1) & (set->size - 1);
	return set->slots[at];
}

/* ---- codes ---- */

/*
 * A hash table from location codes to numbers.
 *
 * Every frame that differs from the previous backtrace is looked up here.  The lookup usually wants the
 * function of a code, so the function is stored in the slot.
 */

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
