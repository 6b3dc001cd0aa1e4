/*
 * read_locations.c - read location events into the table of locations.
 */
#include "memtrace/read_locations.h"

#include <stdlib.h>
#include <string.h>

#include "memtrace/bytes.h"

enum { LOCATION_SIZE = 6, SLOTS_FIRST = 256, LIST_MAX = 255 };

/* Free the table, the names and the meanings. */
void mt_locations_fini(struct mt_locations *locations)
{
	mt_texts_fini(&locations->texts);
	free(locations->slots);
	*locations = (struct mt_locations){0};
}

/* Return the slot of a code, or the free slot where it belongs. */
static struct mt_slot *find_slot(const struct mt_locations *locations, int64_t code)
{
	/* The table's address serves as a hash seed that a crafted trace cannot know. */
	uint64_t hash = mt_mix((uint64_t)code ^ (uint64_t)(uintptr_t)locations->slots);
	size_t at = (size_t)hash & (locations->slot_count - 1);

	while (locations->slots[at].meaning != NULL && locations->slots[at].code != code)
		at = (at + 1) & (locations->slot_count - 1);
	return &locations->slots[at];
}

const struct mt_meaning *mt_locations_find(const struct mt_locations *locations, int64_t code)
{
	if (locations->slot_count == 0)
		return NULL;
	return find_slot(locations, code)->meaning;
}

/* Double the table and rehash its entries. */
static int grow_slots(struct mt_locations *locations)
{
	struct mt_locations grown = *locations;

	grown.slot_count = locations->slot_count == 0 ? SLOTS_FIRST : locations->slot_count * 2;
	grown.slots = calloc(grown.slot_count, sizeof(*grown.slots));
	if (grown.slots == NULL)
		return RTEV_E_NOMEM;
	for (size_t i = 0; i < locations->slot_count; i++) {
		if (locations->slots[i].meaning != NULL)
			*find_slot(&grown, locations->slots[i].code) = locations->slots[i];
	}
	free(locations->slots);
	*locations = grown;
	return RTEV_OK;
}

/* Compare two lists.  Names are interned, so comparing their addresses is enough. */
static int same_list(
    const struct rtev_memtrace_location *a, const struct rtev_memtrace_location *b, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (a[i].filename != b[i].filename || a[i].defname != b[i].defname ||
		    a[i].line != b[i].line || a[i].start_char != b[i].start_char ||
		    a[i].end_char != b[i].end_char)
			return 0;
	}
	return 1;
}

/* Define a code.  When it is already defined, check that the locations are the same. */
static int add_meaning(
    struct mt_locations *locations, int64_t code, const struct rtev_memtrace_location *list, unsigned count)
{
	if (locations->count >= locations->slot_count / 4 * 3) {
		int status = grow_slots(locations);
		if (status != RTEV_OK)
			return status;
	}
	struct mt_slot *slot = find_slot(locations, code);
	if (slot->meaning != NULL)
		return slot->meaning->count == count && same_list(slot->meaning->list, list, count)
			   ? RTEV_OK
			   : RTEV_E_MEMTRACE_LOCATION;
	struct mt_meaning *meaning =
	    mt_texts_take(&locations->texts, sizeof(*meaning) + count * sizeof(meaning->list[0]));
	if (meaning == NULL)
		return RTEV_E_NOMEM;
	meaning->count = count;
	memcpy(meaning->list, list, count * sizeof(meaning->list[0]));
	*slot = (struct mt_slot){code, meaning};
	locations->count++;
	return RTEV_OK;
}

/* Read and intern a NUL-terminated string. */
static int read_text(struct mt_locations *locations, const uint8_t **p, const uint8_t *end, const char **out)
{
	const uint8_t *nul = *p == end ? NULL : memchr(*p, 0, (size_t)(end - *p));

	if (nul == NULL)
		return RTEV_E_MEMTRACE_UNDERFLOW;
	*out = mt_texts_intern(&locations->texts, (const char *)*p, (size_t)(nul - *p));
	*p = nul + 1;
	return *out == NULL ? RTEV_E_NOMEM : RTEV_OK;
}

/*
 * Insert a new file at the front.  When the table is full, the new file inherits the function table of the
 * file that is evicted.  Encoders of version 1 depend on this; other encoders never refer to a function that
 * they did not name before.
 */
static int push_file(struct mt_recent_files *recent, const char *name)
{
	struct mt_recent_names *defnames = recent->files[MT_RECENT - 1].defnames;

	if (defnames == NULL) {
		defnames = calloc(1, sizeof(*defnames));
		if (defnames == NULL)
			return RTEV_E_NOMEM;
	}
	memmove(recent->files + 1, recent->files, (MT_RECENT - 1) * sizeof(recent->files[0]));
	recent->files[0] = (struct mt_recent_file){name, defnames};
	return RTEV_OK;
}

/* Move the file with index `place` to the front, or insert a new one there. */
static int use_file(struct mt_locations *locations, struct mt_recent_files *recent, unsigned place,
    const uint8_t **p, const uint8_t *end)
{
	if (place == MT_RECENT) {
		const char *name;
		int status = read_text(locations, p, end, &name);
		return status == RTEV_OK ? push_file(recent, name) : status;
	}
	struct mt_recent_file used = recent->files[place];
	if (used.name == NULL)
		return RTEV_E_MEMTRACE_TABLE;
	memmove(recent->files + 1, recent->files, place * sizeof(recent->files[0]));
	recent->files[0] = used;
	return RTEV_OK;
}

/* Move the function with index `place` to the front, or insert a new one there. */
static int use_defname(struct mt_locations *locations, struct mt_recent_names *recent, unsigned place,
    const uint8_t **p, const uint8_t *end)
{
	const char *name;

	if (place == MT_RECENT) {
		int status = read_text(locations, p, end, &name);
		if (status != RTEV_OK)
			return status;
		place--;
	} else {
		name = recent->names[place];
		if (name == NULL)
			return RTEV_E_MEMTRACE_TABLE;
	}
	memmove(recent->names + 1, recent->names, place * sizeof(recent->names[0]));
	recent->names[0] = name;
	return RTEV_OK;
}

/* Remove the lowest `bits` bits from *word and return them. */
static unsigned take_bits(uint64_t *word, unsigned bits)
{
	unsigned value = (unsigned)(*word & ((1u << bits) - 1));
	*word >>= bits;
	return value;
}

static int read_location(struct mt_locations *locations, struct mt_recent_files *recent, const uint8_t **p,
    const uint8_t *end, struct rtev_memtrace_location *out)
{
	if (end - *p < LOCATION_SIZE)
		return RTEV_E_MEMTRACE_UNDERFLOW;
	uint64_t word = mt_load_32(*p) | (uint64_t)mt_load_16(*p + 4) << 32;
	*p += LOCATION_SIZE;
	out->line = (int32_t)take_bits(&word, MT_LINE_BITS);
	out->start_char = (int32_t)take_bits(&word, MT_START_BITS);
	out->end_char = (int32_t)take_bits(&word, MT_END_BITS);
	unsigned file = take_bits(&word, MT_PLACE_BITS), defname = take_bits(&word, MT_PLACE_BITS);
	int status = use_file(locations, recent, file, p, end);
	if (status == RTEV_OK)
		status = use_defname(locations, recent->files[0].defnames, defname, p, end);
	if (status != RTEV_OK)
		return status;
	out->filename = recent->files[0].name;
	out->defname = recent->files[0].defnames->names[0];
	return RTEV_OK;
}

int mt_locations_read(
    struct mt_locations *locations, struct mt_recent_files *recent, const uint8_t **p, const uint8_t *end)
{
	struct rtev_memtrace_location list[LIST_MAX];

	if (end - *p < 9)
		return RTEV_E_MEMTRACE_UNDERFLOW;
	int64_t code = mt_load_word(*p);
	unsigned count = (*p)[8];
	*p += 9;
	for (unsigned i = 0; i < count; i++) {
		int status = read_location(locations, recent, p, end, &list[i]);
		if (status != RTEV_OK)
			return status;
	}
	return add_meaning(locations, code, list, count);
}

void mt_recent_fini(struct mt_recent_files *recent)
{
	for (unsigned i = 0; i < MT_RECENT; i++)
		free(recent->files[i].defnames);
}
