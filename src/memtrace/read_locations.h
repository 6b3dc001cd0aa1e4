/*
 * read_locations.h - what location codes mean, and the reading of the events that tell it.
 *
 * A location event names files and functions by their place in tables that both sides keep: the 31 files used
 * last, each with the 31 functions used last in it.  The place 31 means a new name, which then follows.  Every
 * use moves the entry to the front.  These tables belong to one domain; the codes and their meaning to the
 * whole trace.
 */
#ifndef MEMTRACE_READ_LOCATIONS_H
#define MEMTRACE_READ_LOCATIONS_H

#include <stddef.h>
#include <stdint.h>

#include "memtrace/texts.h"
#include "rtev/memtrace.h"

enum { MT_RECENT = 31 }; /* entries of a table; as a place in it: a name that is not there */

/* How many bits the fields of a location have, from the lowest up. */
enum { MT_LINE_BITS = 20, MT_START_BITS = 8, MT_END_BITS = 10, MT_PLACE_BITS = 5 };

/* The functions used last in a file.  Free entries are NULL and stand last. */
struct mt_recent_names {
	const char *names[MT_RECENT];
};

/* The files used last. */
struct mt_recent_files {
	struct mt_recent_file {
		const char *name;
		struct mt_recent_names *defnames;
	} files[MT_RECENT];
};

/* What a code means: its locations, outermost first. */
struct mt_meaning {
	size_t count;
	struct rtev_memtrace_location list[];
};

struct mt_slot {
	int64_t code;
	const struct mt_meaning *meaning; /* NULL: a free slot */
};

/* The meanings of codes: a hash table, a power of two of slots, at most three quarters in use.  Empty is all zeros. */
struct mt_locations {
	struct mt_texts texts; /* owns the names and the meanings */
	struct mt_slot *slots;
	size_t slot_count;
	size_t count;
};

void mt_locations_fini(struct mt_locations *locations);

/* The meaning of a code; NULL when it was not told. */
const struct mt_meaning *mt_locations_find(const struct mt_locations *locations, int64_t code);

/*
 * Read the body of a location event from *p, not beyond `end`, and move *p behind it.
 * RTEV_E_MEMTRACE_UNDERFLOW, RTEV_E_MEMTRACE_TABLE, RTEV_E_MEMTRACE_LOCATION, RTEV_E_NOMEM.
 */
int mt_locations_read(
    struct mt_locations *locations, struct mt_recent_files *recent, const uint8_t **p, const uint8_t *end);

/* Free the tables of functions. */
void mt_recent_fini(struct mt_recent_files *recent);

#endif
