/*
 * id_map.c - open addressing with linear probing, at most half full; a removal moves later entries up, so
 * there are no tombstones.
 */
#include "core/id_map.h"

void id_map_fini(struct id_map *map)
{
	free(map->slots);
	*map = (struct id_map){0};
}

void id_map_own(struct id_map *map, bool *ok)
{
	const struct id_slot *from = map->slots;
	size_t bytes = map->size * sizeof(*from);

	map->slots = from != NULL ? malloc(bytes) : NULL;
	if (map->slots != NULL)
		memcpy(map->slots, from, bytes);
	else if (from != NULL) {
		*map = (struct id_map){0};
		*ok = false;
	}
}

static size_t slot_of(const struct id_map *map, uint64_t id)
{
	/* Knuth's multiplicative hash, of which the high bits are the good ones.  Eight consecutive ids stay
	 * together, because ids made one after another are used at the same time. */
	return (size_t)((((id >> 3) * UINT64_C(0x9e3779b97f4a7c15)) >> 32 << 3) | (id & 7)) & (map->size - 1);
}

uint32_t id_map_find(const struct id_map *map, uint64_t id)
{
	if (map->size == 0)
		return 0;
	for (size_t at = slot_of(map, id); map->slots[at].at != 0; at = (at + 1) & (map->size - 1))
		if (map->slots[at].id == id)
			return map->slots[at].at;
	return 0;
}

static void map_place(struct id_map *map, uint64_t id, uint32_t value)
{
	size_t at = slot_of(map, id);

	while (map->slots[at].at != 0)
		at = (at + 1) & (map->size - 1);
	map->slots[at] = (struct id_slot){.id = id, .at = value};
	map->count++;
}

bool id_map_add(struct id_map *map, uint64_t id, uint32_t value)
{
	if (map->count * 2 >= map->size) {
		struct id_map grown = {.size = map->size == 0 ? 64 : map->size * 2};
		grown.slots = calloc(grown.size, sizeof(*grown.slots));
		if (grown.slots == NULL)
			return false;
		for (size_t i = 0; i < map->size; i++)
			if (map->slots[i].at != 0)
				map_place(&grown, map->slots[i].id, map->slots[i].at);
		free(map->slots);
		*map = grown;
	}
	map_place(map, id, value);
	return true;
}

/* Remove an id, and move up the entries behind it that its slot had displaced. */
void id_map_remove(struct id_map *map, uint64_t id)
{
	size_t mask = map->size - 1, hole, at;

	if (id_map_find(map, id) == 0)
		return;
	for (hole = slot_of(map, id); map->slots[hole].id != id; hole = (hole + 1) & mask)
		;
	for (at = (hole + 1) & mask; map->slots[at].at != 0; at = (at + 1) & mask) {
		size_t home = slot_of(map, map->slots[at].id);
		if (((at - home) & mask) >= ((at - hole) & mask)) {
			map->slots[hole] = map->slots[at];
			hole = at;
		}
	}
	map->slots[hole].at = 0;
	map->count--;
}

uint64_t id_map_hash(const void *text, size_t len, uint64_t salt)
{
	const uint8_t *bytes = text;
	uint64_t hash = UINT64_C(0xcbf29ce484222325) + salt;

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
	return hash;
}
