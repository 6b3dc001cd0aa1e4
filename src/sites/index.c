/*
 * index.c - see index.h.
 */
#include "sites/index.h"

#include <stdlib.h>

enum { FIRST = 64 };

/* The table is empty afterwards. */
void sites_index_fini(struct sites_index *index)
{
	free(index->slots);
	free(index->keys);
	*index = (struct sites_index){0};
}

/* Remove all pairs but keep the memory. */
static void clear(struct sites_index *index)
{
	for (size_t i = 0; i < index->size; i++)
		index->slots[i].id = SITES_NONE;
	index->count = 0;
}

static uint32_t hash_of(const struct sites_index *index, uint64_t a, uint64_t b)
{
	return (uint32_t)sites_hash(a, b ^ index->seed);
}

static struct sites_slot *find_free(const struct sites_index *index, uint32_t hash)
{
	size_t at = hash & (index->size - 1);

	while (index->slots[at].id != SITES_NONE)
		at = (at + 1) & (index->size - 1);
	return &index->slots[at];
}

uint32_t sites_index_find(const struct sites_index *index, uint64_t a, uint64_t b)
{
	if (index->size == 0)
		return SITES_NONE;
	uint32_t hash = hash_of(index, a, b);
	for (size_t at = hash & (index->size - 1);; at = (at + 1) & (index->size - 1)) {
		struct sites_slot slot = index->slots[at];
		if (slot.id == SITES_NONE)
			return SITES_NONE;
		if (slot.hash == hash && index->keys[slot.id].a == a && index->keys[slot.id].b == b)
			return slot.id;
	}
}

/* Double the table.  Returns false when out of memory. */
static bool grow(struct sites_index *index)
{
	struct sites_index grown = *index;

	grown.size = index->size == 0 ? FIRST : index->size * 2;
	grown.slots = reallocarray(NULL, grown.size, sizeof(*grown.slots));
	if (grown.slots == NULL)
		return false;
	/* The address of the first table is the seed, so that collisions are hard to provoke on purpose. */
	if (grown.seed == 0)
		grown.seed = (uint64_t)(uintptr_t)grown.slots;
	clear(&grown);
	grown.count = index->count;
	for (size_t i = 0; i < index->size; i++) {
		if (index->slots[i].id != SITES_NONE)
			*find_free(&grown, index->slots[i].hash) = index->slots[i];
	}
	free(index->slots);
	*index = grown;
	return true;
}

/* Make room for the key of a number. */
static bool reserve_key(struct sites_index *index, uint32_t id)
{
	if (id < index->key_capacity)
		return true;
	size_t more = id < FIRST ? FIRST : (size_t)id * 2;
	void *keys = reallocarray(index->keys, more, sizeof(*index->keys));
	if (keys == NULL)
		return false;
	index->keys = keys;
	index->key_capacity = more;
	return true;
}

bool sites_index_add(struct sites_index *index, uint64_t a, uint64_t b, uint32_t id)
{
	if (!reserve_key(index, id) || (index->count >= index->size / 4 * 3 && !grow(index)))
		return false;
	uint32_t hash = hash_of(index, a, b);
	index->keys[id] = (struct sites_pair_key){a, b};
	*find_free(index, hash) = (struct sites_slot){hash, id};
	index->count++;
	return true;
}

void *sites_reserve(void *array, size_t count, size_t *capacity, size_t member)
{
	if (count < *capacity)
		return array;
	size_t more = *capacity == 0 ? FIRST : *capacity * 2;
	void *grown = reallocarray(array, more, member);
	if (grown != NULL)
		*capacity = more;
	return grown;
}
