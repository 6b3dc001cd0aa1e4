/*
 * write_locations.h - write location events, with the tables that read_locations.h describes.
 */
#ifndef MEMTRACE_WRITE_LOCATIONS_H
#define MEMTRACE_WRITE_LOCATIONS_H

#include <stddef.h>
#include <stdint.h>

#include "memtrace/read_locations.h"

enum { MT_LOCATION_BYTES = 4096 }; /* limit on the body of a location event */

/* The tables of one domain.  They start as all zeros. */
struct mt_places {
	struct mt_texts texts;
	struct mt_recent_files recent;
};

void mt_places_fini(struct mt_places *places);

/* Write the body of a location event at p, where MT_LOCATION_BYTES must fit.  A list that may not fit is
 * replaced by one unknown location.  Returns the byte after the body, or NULL when memory runs out. */
uint8_t *mt_places_put(struct mt_places *places, uint8_t *p, int64_t code,
    const struct rtev_memtrace_location *list, size_t count);

#endif
