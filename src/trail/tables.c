/*
 * tables.c - find the tables of a recording and read them.
 *
 * For each kind the reader remembers the first and the latest complete table and the parts of one that is
 * still coming.  A part that does not continue the one before it invalidates that table; reading goes on.
 */
#include <stdlib.h>

#include "trail/reader_private.h"

/* Most parts of a table; our writer makes at most TRAIL_TABLE_MAX / TRAIL_TABLE_PART. */
#define PARTS_MAX 4096

static void table_clear(struct table *table)
{
	free(table->parts);
	*table = (struct table){.parts = NULL};
}

void trail_tables_free(struct trail *t)
{
	for (unsigned i = 0; i < t->table_count; i++) {
		table_clear(&t->tables[i].first);
		table_clear(&t->tables[i].whole);
		table_clear(&t->tables[i].coming);
	}
}

/* Index of a kind in `tables`; TABLES_MAX if it has none. */
static unsigned place_of(const struct trail *t, uint32_t kind)
{
	for (unsigned i = 0; i < t->table_count; i++)
		if (t->tables[i].first.kind == kind)
			return i;
	return TABLES_MAX;
}

/* Make room for one more part.  Returns false if out of memory. */
static bool parts_grow(struct table *table)
{
	size_t room = table->room == 0 ? 16 : table->room * 2;

	if (table->count < table->room)
		return true;
	struct table_part *grown = realloc(table->parts, room * sizeof(*grown));
	if (grown == NULL)
		return false;
	table->parts = grown;
	table->room = room;
	return true;
}

bool trail_take_table(struct trail *t, struct varint_bytes *b, uint64_t offset)
{
	uint32_t kind = (uint32_t)trail_get_fixed(b, 4);
	trail_get_fixed(b, 4);
	uint64_t stamp = trail_get_fixed(b, 8), size = trail_get_fixed(b, 8), at = trail_get_fixed(b, 8);
	uint64_t part = (uint64_t)(b->end - b->at);
	unsigned place = place_of(t, kind);

	if (b->fault || size > TRAIL_TABLE_MAX || part == 0 || at > size || part > size - at)
		return true;
	if (place == TABLES_MAX) {
		if (t->table_count == TABLES_MAX)
			return true;
		place = t->table_count++;
		t->tables[place].first.kind = kind;
	}
	struct table *coming = &t->tables[place].coming;
	if (at == 0) {
		table_clear(coming);
		*coming = (struct table){.kind = kind, .stamp = stamp, .size = size};
	} else if (coming->size != size || coming->stamp != stamp || coming->got != at ||
		   coming->count == PARTS_MAX) {
		table_clear(coming);
		return true;
	}
	if (!parts_grow(coming))
		return trail_fault(t, TRAIL_MEMORY, offset, "out of memory");
	coming->parts[coming->count++] =
	    (struct table_part){.offset = offset + TRAIL_TABLE_HEADER, .size = (uint32_t)part};
	coming->got += part;
	if (coming->got == size) {
		struct table *to =
		    t->tables[place].first.size == 0 ? &t->tables[place].first : &t->tables[place].whole;
		table_clear(to);
		*to = *coming;
		*coming = (struct table){.parts = NULL};
	}
	return true;
}

/* Read a table; one that is empty is none. */
static enum trail_status table_read(const struct trail *t, const struct table *table, struct trail_table *out)
{
	size_t got = 0;

	*out = (struct trail_table){.data = NULL};
	if (table->size == 0)
		return TRAIL_OK;
	uint8_t *data = malloc(table->size);
	if (data == NULL)
		return TRAIL_MEMORY;
	for (size_t i = 0; i < table->count; i++) {
		if (!trail_fetch(t, table->parts[i].offset, table->parts[i].size, data + got)) {
			free(data);
			return TRAIL_FAULT;
		}
		got += table->parts[i].size;
	}
	*out = (struct trail_table){.data = data, .size = got, .ts = table->stamp};
	return TRAIL_OK;
}

enum trail_status trail_table(const struct trail *t, uint32_t kind, struct trail_table *out)
{
	unsigned place = place_of(t, kind);

	*out = (struct trail_table){.data = NULL};
	if (place == TABLES_MAX)
		return TRAIL_OK;
	const struct table *latest = &t->tables[place].whole;
	return table_read(t, latest->size != 0 ? latest : &t->tables[place].first, out);
}

enum trail_status trail_table_first(const struct trail *t, uint32_t kind, struct trail_table *out)
{
	unsigned place = place_of(t, kind);

	*out = (struct trail_table){.data = NULL};
	return place == TABLES_MAX ? TRAIL_OK : table_read(t, &t->tables[place].first, out);
}
