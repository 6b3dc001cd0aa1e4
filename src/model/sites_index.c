/*
 * sites_index.c - see sites_index.h.
 */
#include "model/sites_index.h"

#include <stdlib.h>

enum { FIRST = 64 };

/* Free the table; it is empty then. */
void sites_index_fini(struct sites_index *index)
{
	free(index->slots);
	*index = (struct sites_index){0};
}

/* Find the slot of a pair, or the free one where it belongs. */
static struct sites_slot *find_slot(const struct sites_index *index, uint64_t a, uint64_t b)
{
	/* The table's address makes collisions hard to prepare. */
	size_t at = (size_t)sites_hash(a, b ^ (uint64_t)(uintptr_t)index->slots) & (index->size - 1);

	while (index->slots[at].id != SITES_NONE && (index->slots[at].a != a || index->slots[at].b != b))
		at = (at + 1) & (index->size - 1);
	return &index->slots[at];
}

/* Find a pair's number. */
uint32_t sites_index_find(const struct sites_index *index, uint64_t a, uint64_t b)
{
	return index->size == 0 ? SITES_NONE : find_slot(index, a, b)->id;
}

/* Double the table. */
static bool grow(struct sites_index *index)
{
	struct sites_index grown = {
	    .size = index->size == 0 ? FIRST : index->size * 2, .count = index->count};

	grown.slots = reallocarray(NULL, grown.size, sizeof(*grown.slots));
	if (grown.slots == NULL)
		return false;
	for (size_t i = 0; i < grown.size; i++)
		grown.slots[i].id = SITES_NONE;
	for (size_t i = 0; i < index->size; i++) {
		const struct sites_slot *old = &index->slots[i];
		if (old->id != SITES_NONE)
			*find_slot(&grown, old->a, old->b) = *old;
	}
	free(index->slots);
	*index = grown;
	return true;
}

/* Add a pair. */
bool sites_index_add(struct sites_index *index, uint64_t a, uint64_t b, uint32_t id)
{
	if (index->count >= index->size / 2 && !grow(index))
		return false;
	*find_slot(index, a, b) = (struct sites_slot){a, b, id};
	index->count++;
	return true;
}

/* Enlarge an array when it is full. */
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
