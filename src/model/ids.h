/*
 * ids.h - a map from 16-bit numbers to the indexes of an array, in order of appearance.
 *
 * For numbers that the tables of the library lack: few in practice, thousands in a hostile ring.  Each page holds
 * the indexes of 256 numbers, plus one, so that 0 marks a number that has none.
 */
#pragma once

#include "core/std.h"

#define IDS_NONE UINT32_MAX
#define IDS_MAX 65535 /* numbers that a map can hold */
#define IDS_PAGES 256
#define IDS_PAGE 256 /* numbers of a page */

/* A zeroed struct is an empty map. */
struct ids {
	uint16_t **pages; /* IDS_PAGES of them, NULL where no number has an index; or NULL */
	uint32_t count;
};

/* Free what the map holds; it is then empty. */
void ids_fini(struct ids *map);

/* Make `to` a copy, whatever it held.  False when memory ran out; ids_fini frees what there is. */
bool ids_copy(struct ids *to, const struct ids *from);

/* The index of a number, IDS_NONE when it has none. */
uint32_t ids_find(const struct ids *map, uint16_t number);

/* Give a number that has none the next index, `count` before the call.  IDS_NONE when memory ran out or the
 * map is full. */
uint32_t ids_add(struct ids *map, uint16_t number);
