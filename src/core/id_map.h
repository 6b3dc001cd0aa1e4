/*
 * id_map.h - small numbers found by ids: a hash table.
 */
#pragma once

#include "core/std.h"

/* All zero: empty. */
struct id_map {
	struct id_slot {
		uint64_t id;
		uint32_t at; /* 0: free */
	} * slots;
	size_t size, count;
};

void id_map_fini(struct id_map *map);

/* Make a copied struct a map of its own.  When memory ran out, it is empty, and *ok cleared. */
void id_map_own(struct id_map *map, bool *ok);

/* The number of an id; 0: it is not there. */
uint32_t id_map_find(const struct id_map *map, uint64_t id);

/* Add an id that is not there, with a number above 0.  False when memory ran out. */
bool id_map_add(struct id_map *map, uint64_t id, uint32_t number);

/* Remove an id, if it is there. */
void id_map_remove(struct id_map *map, uint64_t id);

/* The FNV-1a hash of a text, for use as its id.  Where that of another text is the same, `salt` makes another one. */
uint64_t id_map_hash(const void *text, size_t len, uint64_t salt);
