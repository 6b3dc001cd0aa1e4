/*
 * pairs.c - the most frequent pairs of numbers, by the summary that hot_private.h describes.
 *
 * The hash table is large enough that few pairs collide, and its slots are small enough that it stays in the
 * processor's cache.  The bits of the hash in a slot rule out most other pairs without reading them.
 */
#include "sites/hot_private.h"

/* The low bits of a slot hold the place plus one, so that a free slot is 0.  The high bits are bits of the
 * hash. */
#define SLOTS 32768u
#define SLOT_SHIFT 49
#define PLACE_MASK 16383u

_Static_assert(SITES_PAIRS_MAX <= PLACE_MASK && SITES_PAIRS_MAX <= SLOTS / 2, "places fit into a slot");

bool sites_pairs_init(struct sites_pairs *pairs)
{
	*pairs = (struct sites_pairs){.free = SITES_NONE};
	pairs->list = calloc(SITES_PAIRS_MAX, sizeof(*pairs->list));
	pairs->slots = calloc(SLOTS, sizeof(*pairs->slots));
	pairs->multiplier = sites_multiplier(pairs->slots);
	return pairs->list != NULL && pairs->slots != NULL;
}

void sites_pairs_fini(struct sites_pairs *pairs)
{
	free(pairs->list);
	free(pairs->slots);
	*pairs = (struct sites_pairs){0};
}

static uint64_t hash_of(const struct sites_pairs *pairs, uint32_t a, uint32_t b)
{
	return (a * UINT64_C(0xC2B2AE3D27D4EB4F) + b) * pairs->multiplier;
}

/* The bits of a hash that are stored in a slot. */
static uint32_t tag_of(uint64_t hash)
{
	return (uint32_t)(hash >> 16) & ~PLACE_MASK;
}

uint32_t sites_pairs_find(const struct sites_pairs *pairs, uint32_t a, uint32_t b)
{
	uint64_t hash = hash_of(pairs, a, b);
	uint32_t tag = tag_of(hash), slot;

	for (size_t at = hash >> SLOT_SHIFT; (slot = pairs->slots[at]) != 0; at = (at + 1) % SLOTS) {
		uint32_t place = (slot & PLACE_MASK) - 1;
		if ((slot & ~PLACE_MASK) == tag && pairs->list[place].a == a && pairs->list[place].b == b)
			return place;
	}
	return SITES_NONE;
}

/* Enter a pair into the hash table. */
static void enter(struct sites_pairs *pairs, uint32_t place)
{
	uint64_t hash = hash_of(pairs, pairs->list[place].a, pairs->list[place].b);
	size_t at = hash >> SLOT_SHIFT;

	while (pairs->slots[at] != 0)
		at = (at + 1) % SLOTS;
	pairs->slots[at] = tag_of(hash) | (place + 1);
}

uint32_t sites_pairs_insert(struct sites_pairs *pairs, uint32_t a, uint32_t b)
{
	uint32_t place = pairs->free;

	if (place != SITES_NONE)
		pairs->free = pairs->list[place].next;
	else
		place = (uint32_t)pairs->used++;
	pairs->list[place] =
	    (struct sites_pair){.a = a, .b = b, .misses_before = pairs->misses, .order = ++pairs->added};
	pairs->count++;
	enter(pairs, place);
	/* With its first hit, one more miss uses it up. */
	if (pairs->misses + 1 < pairs->spent)
		pairs->spent = pairs->misses + 1;
	return place;
}

/* The number of misses at which a pair is used up. */
static uint64_t spent_at(const struct sites_pair *pair)
{
	return pair->misses_before + pair->hits;
}

void sites_pairs_sweep(struct sites_pairs *pairs)
{
	uint64_t spent = UINT64_MAX;

	memset(pairs->slots, 0, SLOTS * sizeof(*pairs->slots));
	for (uint32_t i = 0; i < pairs->used; i++) {
		struct sites_pair *pair = &pairs->list[i];
		if (pair->order == 0)
			continue;
		if (spent_at(pair) <= pairs->misses) {
			pair->order = 0;
			pair->next = pairs->free;
			pairs->free = i;
			pairs->count--;
			continue;
		}
		if (spent_at(pair) < spent)
			spent = spent_at(pair);
		enter(pairs, i);
	}
	pairs->spent = spent;
}

bool sites_pairs_add(struct sites_pairs *pairs, uint32_t a, uint32_t b)
{
	uint32_t place = sites_pairs_find(pairs, a, b);

	if (place == SITES_NONE && pairs->count == SITES_PAIRS_MAX)
		return ++pairs->misses < pairs->spent;
	if (place == SITES_NONE)
		place = sites_pairs_insert(pairs, a, b);
	pairs->list[place].hits++;
	return true;
}
