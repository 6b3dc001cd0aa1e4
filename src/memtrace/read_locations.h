/*
 * read_locations.h - the table of location codes, and reading the location events that fill it.
 *
 * A location event refers to files and functions by their index in tables that reader and writer keep in
 * step: the 31 most recently used files, and for each the 31 most recently used functions in it.  Index 31
 * stands for a new name, which follows in the event.  Each use moves the entry to the front.  Every domain
 * has its own tables; the location codes are shared by the whole trace.
 */
#ifndef MEMTRACE_READ_LOCATIONS_H
#define MEMTRACE_READ_LOCATIONS_H

#include <stddef.h>
#include <stdint.h>

#include "memtrace/texts.h"
#include "rtev/memtrace.h"

enum { MT_RECENT = 31 }; /* entries of a table; as an index: a name that is not in it */

/* Widths in bits of the fields of a location, from the lowest bits up. */
enum { MT_LINE_BITS = 20, MT_START_BITS = 8, MT_END_BITS = 10, MT_PLACE_BITS = 5 };

/* The most recently used functions of a file.  Free entries are NULL and come last. */
struct mt_recent_names {
	const char *names[MT_RECENT];
};

/* The most recently used files. */
struct mt_recent_files {
	struct mt_recent_file {
		const char *name;
		struct mt_recent_names *defnames;
	} files[MT_RECENT];
};

/* The locations of a code, outermost first. */
struct mt_meaning {
	size_t count;
	struct rtev_memtrace_location list[];
};

struct mt_slot {
	int64_t code;
	const struct mt_meaning *meaning; /* NULL: a free slot */
};

/* A hash table from codes to their locations.  The number of slots is a power of two, and at most three
 * quarters are in use.  An empty table is all zeros. */
struct mt_locations {
	struct mt_texts texts; /* owns the names and the meanings */
	struct mt_slot *slots;
	size_t slot_count;
	size_t count;
};

void mt_locations_fini(struct mt_locations *locations);

/* Look a code up.  Returns NULL when no location event has defined it. */
const struct mt_meaning *mt_locations_find(const struct mt_locations *locations, int64_t code);

/*
 * Read the body of a location event from *p, not beyond `end`, and move *p after it.  Returns RTEV_OK,
 * RTEV_E_MEMTRACE_UNDERFLOW, RTEV_E_MEMTRACE_TABLE, RTEV_E_MEMTRACE_LOCATION, RTEV_E_NOMEM.
 */
int mt_locations_read(
    struct mt_locations *locations, struct mt_recent_files *recent, const uint8_t **p, const uint8_t *end);

/* Free the function tables of all files. */
void mt_recent_fini(struct mt_recent_files *recent);

#endif
