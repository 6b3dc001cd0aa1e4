/*
 * ids.c - see ids.h.  Open addressing with linear probing, at most three quarters full.
 */
#include "model/ids.h"

#include <stdlib.h>

#include "model/copy.h"

/* The place where a number's search begins. */
static uint32_t ids_start(uint16_t number, uint32_t size)
{
	return (uint32_t)number * 2654435761u >> 7 & (size - 1);
}

/* Put an entry at its place in a table that has room. */
static void ids_put(uint32_t *places, uint32_t size, uint32_t entry)
{
	uint32_t i = ids_start((uint16_t)(entry >> 16), size);

	while (places[i] != 0)
		i = (i + 1) & (size - 1);
	places[i] = entry;
}

void ids_fini(struct ids *map)
{
	free(map->places);
	*map = (struct ids){0};
}

bool ids_copy(struct ids *to, const struct ids *from)
{
	bool ok = true;

	*to = *from;
	to->places = copy_bytes(from->places, from->size * sizeof(*from->places), &ok);
	if (!ok)
		*to = (struct ids){0};
	return ok;
}

uint32_t ids_find(const struct ids *map, uint16_t number)
{
	if (map->size == 0)
		return IDS_NONE;
	for (uint32_t i = ids_start(number, map->size);; i = (i + 1) & (map->size - 1)) {
		uint32_t entry = map->places[i];

		if (entry == 0)
			return IDS_NONE;
		if (entry >> 16 == number)
			return (entry & 0xffff) - 1;
	}
}

uint32_t ids_add(struct ids *map, uint16_t number)
{
	if (map->count == IDS_MAX)
		return IDS_NONE;
	if (map->count >= map->size / 4 * 3) {
		uint32_t size = map->size == 0 ? 16 : map->size * 2;
		uint32_t *places = calloc(size, sizeof(*places));

		if (places == NULL)
			return IDS_NONE;
		for (uint32_t i = 0; i < map->size; i++)
			if (map->places[i] != 0)
				ids_put(places, size, map->places[i]);
		free(map->places);
		map->places = places;
		map->size = size;
	}
	ids_put(map->places, map->size, (uint32_t)number << 16 | (map->count + 1));
	return map->count++;
}
