/*
 * write_locations.h - write location events: the tables of read_locations.h, from the other side.
 */
#ifndef MEMTRACE_WRITE_LOCATIONS_H
#define MEMTRACE_WRITE_LOCATIONS_H

#include <stddef.h>
#include <stdint.h>

#include "memtrace/read_locations.h"

enum { MT_LOCATION_BYTES = 4096 }; /* the most that the body of a location event takes */

/* The tables of one domain.  All zeros at first. */
struct mt_places {
	struct mt_texts texts;
	struct mt_recent_files recent;
};

void mt_places_fini(struct mt_places *places);

/* Write the body of a location event at p, where MT_LOCATION_BYTES must fit.  A list that is too long for it is
 * written as one unknown location.  Returns the byte behind it, or NULL without memory. */
uint8_t *mt_places_put(struct mt_places *places, uint8_t *p, int64_t code,
    const struct rtev_memtrace_location *list, size_t count);

#endif
