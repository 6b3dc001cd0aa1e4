/*
 * pairs.c - see sites_pairs.h.
 */
#include "sites/pairs.h"

#include <stdlib.h>

/* Free the summary. */
void sites_pairs_fini(struct sites_pairs *pairs)
{
	free(pairs->list);
	sites_index_fini(&pairs->index);
	*pairs = (struct sites_pairs){0};
}

/* How many misses use a pair up. */
static uint64_t spent_at(const struct sites_pair *pair)
{
	return pair->misses_before + pair->hits;
}

/* Drop the pairs that are used up.  The others keep their order, and find room in the index where they were. */
static bool sweep(struct sites_pairs *pairs)
{
	uint64_t spent = UINT64_MAX;
	size_t kept = 0;

	sites_index_clear(&pairs->index);
	for (size_t i = 0; i < pairs->count; i++) {
		struct sites_pair pair = pairs->list[i];
		if (spent_at(&pair) <= pairs->misses)
			continue;
		if (spent_at(&pair) < spent)
			spent = spent_at(&pair);
		if (!sites_index_add(&pairs->index, pair.a, pair.b, (uint32_t)kept))
			return false;
		pairs->list[kept++] = pair;
	}
	pairs->count = kept;
	pairs->spent = spent;
	return true;
}

/* Count a pair. */
bool sites_pairs_add(struct sites_pairs *pairs, uint32_t a, uint32_t b)
{
	uint32_t at = sites_index_find(&pairs->index, a, b);

	if (at != SITES_NONE) {
		pairs->list[at].hits++;
		return true;
	}
	if (pairs->count == SITES_PAIRS_MAX) {
		pairs->misses++;
		return pairs->misses < pairs->spent || sweep(pairs);
	}
	void *grown = sites_reserve(pairs->list, pairs->count, &pairs->capacity, sizeof(*pairs->list));
	if (grown == NULL)
		return false;
	pairs->list = grown;
	if (!sites_index_add(&pairs->index, a, b, (uint32_t)pairs->count))
		return false;
	pairs->list[pairs->count++] = (struct sites_pair){a, b, 1, pairs->misses, pairs->added++};
	if (pairs->misses + 1 < pairs->spent)
		pairs->spent = pairs->misses + 1;
	return true;
}
