/* id_map.h - a hash table from ids to small numbers. */
#pragma once

#include "core/std.h"

/* A map; all zeros: empty. */
struct id_map {
	struct id_slot {
		uint64_t id;
		uint32_t at; /* 0: free */
	} * slots;
	size_t size, count;
};

void id_map_fini(struct id_map *map);

/* After a struct copy, give the copy slots of its own.  When memory runs out, the copy is empty and *ok is
 * cleared. */
void id_map_own(struct id_map *map, bool *ok);

/* Return the number of an id; 0: the id is not in the map. */
uint32_t id_map_find(const struct id_map *map, uint64_t id);

/* Add an id that is not in the map yet, with a number above 0.  False when memory ran out. */
bool id_map_add(struct id_map *map, uint64_t id, uint32_t number);

void id_map_remove(struct id_map *map, uint64_t id);

/* The FNV-1a hash of a text, for use as its id.  When two texts collide, another `salt` gives another hash. */
uint64_t id_map_hash(const void *text, size_t len, uint64_t salt);
