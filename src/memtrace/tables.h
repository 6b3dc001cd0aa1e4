/*
 * tables.h - the tables of readers and writers: texts, domains, locations.
 *
 * Texts are interned in a memory pool that is freed as a whole: two texts of a pool are equal if and only if
 * their addresses are.
 *
 * A location event refers to files and functions by their index in tables that reader and writer keep in
 * step: the 31 most recently used files, and for each the 31 most recently used functions in it.  Index 31
 * stands for a new name, which follows in the event.  Each use moves the entry to the front.  Every domain
 * has its own tables; the location codes are shared by the whole trace.
 */
#pragma once

#include "core/id_map.h"
#include "memtrace/format.h"
#include "rtev/memtrace.h"

struct mt_block;

struct mt_texts {
	struct mt_block *blocks; /* the newest first */
	struct mt_text {
		const char *text;
		size_t len;
	} * list;
	size_t count, room;
	struct id_map by_hash; /* index in `list` plus 1 */
};

/* Free a pool and everything in it.  An empty pool is all zeros. */
void mt_texts_fini(struct mt_texts *texts);

/* Return the pool's copy of a text of `len` bytes, none of them NUL.  Returns NULL when memory runs out. */
const char *mt_texts_intern(struct mt_texts *texts, const char *text, size_t len);

/* Read a NUL-terminated string from *p, not beyond `end`, move *p after it, and intern it.  Returns RTEV_OK,
 * RTEV_E_MEMTRACE_UNDERFLOW, RTEV_E_NOMEM. */
int mt_texts_read(struct mt_texts *texts, const uint8_t **p, const uint8_t *end, const char **out);

/* Domain ids and the pointers that they map to.  Pages are allocated on first use. */
enum { MT_DOMAIN_PAGE = 256 };

/* An empty table is all zeros. */
struct mt_domains {
	void **pages[MT_DOMAIN_PAGE];
};

/* Return the slot of a domain's pointer, which is NULL at first.  Returns NULL when memory runs out. */
void **mt_domains_at(struct mt_domains *domains, uint16_t id);

/* Call `destroy` for every pointer that is not NULL, and free the pages. */
void mt_domains_fini(struct mt_domains *domains, void (*destroy)(void *));

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

/* The codes and their locations.  An empty table is all zeros. */
struct mt_locations {
	struct mt_texts texts; /* owns the names and the meanings */
	const struct mt_meaning **meanings;
	size_t count, room;
	struct id_map by_code; /* index in `meanings` plus 1 */
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

/*
 * Move the file with index `place` to the front, or insert a new one there.  When the table is full, a new file
 * inherits the function table of the file that is evicted.  Encoders of version 1 depend on this; other encoders
 * never refer to a function that they did not name before.  RTEV_E_NOMEM.
 */
int mt_recent_use_file(struct mt_recent_files *recent, unsigned place, const char *name);

/* Move the function with index `place` of a file's table to the front, or insert a new one there.  A full table forgets its last. */
void mt_recent_use_name(struct mt_recent_names *recent, unsigned place, const char *name);

/* Free the function tables of all files. */
void mt_recent_fini(struct mt_recent_files *recent);
