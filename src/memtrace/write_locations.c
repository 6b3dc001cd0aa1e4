/*
 * write_locations.c - write location events.
 */
#include "memtrace/write_locations.h"

#include <stdlib.h>
#include <string.h>

#include "memtrace/bytes.h"

enum { HEAD_SIZE = 9, LOCATION_SIZE = 6, LIST_MAX = 255 };

void mt_places_fini(struct mt_places *places)
{
	mt_recent_fini(&places->recent);
	mt_texts_fini(&places->texts);
}

/* Return a value for a field of `bits` bits; one that does not fit becomes the largest that does. */
static uint64_t clamp(int32_t value, unsigned bits)
{
	int32_t limit = (int32_t)((1u << bits) - 1);

	return (uint64_t)(value < 0 || value > limit ? limit : value);
}

/* Write a string with its NUL. */
static uint8_t *put_text(uint8_t *p, const char *text)
{
	size_t size = strlen(text) + 1;

	memcpy(p, text, size);
	return p + size;
}

/* Move a file to the front of the table.  *place is its old index, MT_RECENT for a new file. */
static int use_file(struct mt_recent_files *recent, const char *name, unsigned *place)
{
	unsigned at = 0;

	while (at < MT_RECENT && recent->files[at].name != NULL && recent->files[at].name != name)
		at++;
	*place = at;
	if (at == MT_RECENT || recent->files[at].name == NULL) {
		/* Evict the last file, if there is one, together with its functions. */
		*place = MT_RECENT;
		at = MT_RECENT - 1;
		if (recent->files[at].defnames == NULL)
			recent->files[at].defnames = malloc(sizeof(*recent->files[at].defnames));
		if (recent->files[at].defnames == NULL)
			return RTEV_E_NOMEM;
		memset(recent->files[at].defnames, 0, sizeof(*recent->files[at].defnames));
		recent->files[at].name = name;
	}
	struct mt_recent_file used = recent->files[at];
	memmove(recent->files + 1, recent->files, at * sizeof(used));
	recent->files[0] = used;
	return RTEV_OK;
}

/* Move a function to the front of the table.  Returns its old index, MT_RECENT for a new function. */
static unsigned use_defname(struct mt_recent_names *recent, const char *name)
{
	unsigned at = 0;

	while (at < MT_RECENT && recent->names[at] != NULL && recent->names[at] != name)
		at++;
	unsigned place = at < MT_RECENT && recent->names[at] != NULL ? at : MT_RECENT;
	memmove(recent->names + 1, recent->names, (at < MT_RECENT ? at : at - 1) * sizeof(recent->names[0]));
	recent->names[0] = name;
	return place;
}

/* Write one location.  Returns the byte after it, or NULL when memory runs out. */
static uint8_t *put_location(
    struct mt_places *places, uint8_t *p, const struct rtev_memtrace_location *location)
{
	const char *file = mt_texts_intern(&places->texts, location->filename, strlen(location->filename));
	const char *defname = mt_texts_intern(&places->texts, location->defname, strlen(location->defname));
	unsigned file_place;

	if (file == NULL || defname == NULL || use_file(&places->recent, file, &file_place) != RTEV_OK)
		return NULL;
	unsigned defname_place = use_defname(places->recent.files[0].defnames, defname);
	uint64_t word = defname_place;
	word = word << MT_PLACE_BITS | file_place;
	word = word << MT_END_BITS | clamp(location->end_char, MT_END_BITS);
	word = word << MT_START_BITS | clamp(location->start_char, MT_START_BITS);
	word = word << MT_LINE_BITS | clamp(location->line, MT_LINE_BITS);
	mt_store_32(p, (uint32_t)word);
	mt_store_16(p + 4, (uint16_t)(word >> 32));
	p += LOCATION_SIZE;
	if (file_place == MT_RECENT)
		p = put_text(p, file);
	return defname_place == MT_RECENT ? put_text(p, defname) : p;
}

/* Check that a list fits into an event even if all its names are new. */
static int fits(const struct rtev_memtrace_location *list, size_t count)
{
	size_t size = HEAD_SIZE;

	if (count > LIST_MAX)
		return 0;
	for (size_t i = 0; i < count && size <= MT_LOCATION_BYTES; i++)
		size += LOCATION_SIZE + strlen(list[i].filename) + 1 + strlen(list[i].defname) + 1;
	return size <= MT_LOCATION_BYTES;
}

uint8_t *mt_places_put(struct mt_places *places, uint8_t *p, int64_t code,
    const struct rtev_memtrace_location *list, size_t count)
{
	static const struct rtev_memtrace_location unknown = {
	    .filename = "<unknown>", .defname = "??", .line = 1, .start_char = 1, .end_char = 1};

	if (!fits(list, count)) {
		list = &unknown;
		count = 1;
	}
	mt_store_64(p, (uint64_t)code);
	p[8] = (uint8_t)count;
	p += HEAD_SIZE;
	for (size_t i = 0; i < count && p != NULL; i++)
		p = put_location(places, p, &list[i]);
	return p;
}
