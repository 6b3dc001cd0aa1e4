/*
 * tables.c - texts, domains, and the locations that location events define.
 *
 * A block of the pool is filled from its front.  An object that does not fit goes into a new block, which is as
 * large as the object if that exceeds BLOCK_SIZE.
 */
#include "memtrace/tables.h"

#include <stdalign.h>

#include "core/array.h"

enum { BLOCK_SIZE = 16384 };

/* Objects have the alignment of this type. */
union unit {
	int64_t number;
	void *pointer;
};

struct mt_block {
	struct mt_block *next;
	size_t used, size;
	alignas(union unit) char bytes[];
};

void mt_texts_fini(struct mt_texts *texts)
{
	while (texts->blocks != NULL) {
		struct mt_block *next = texts->blocks->next;
		free(texts->blocks);
		texts->blocks = next;
	}
	free(texts->list);
	id_map_fini(&texts->by_hash);
	*texts = (struct mt_texts){0};
}

/* Allocate memory aligned for integers and pointers.  Returns NULL when memory runs out. */
static void *mt_texts_take(struct mt_texts *texts, size_t size)
{
	const size_t unit = alignof(union unit);
	struct mt_block *block = texts->blocks;

	if (size > SIZE_MAX / 2)
		return NULL;
	size = (size + unit - 1) / unit * unit;
	if (block == NULL || block->size - block->used < size) {
		size_t room = size > BLOCK_SIZE ? size : BLOCK_SIZE;
		block = malloc(sizeof(*block) + room);
		if (block == NULL)
			return NULL;
		*block = (struct mt_block){.next = texts->blocks, .size = room};
		texts->blocks = block;
	}
	void *place = block->bytes + block->used;
	block->used += size;
	return place;
}

/* Mix the bits of a number, for keys that come from a trace.  Different numbers stay different. */
static uint64_t mt_mix(uint64_t x)
{
	x ^= x >> 32;
	x *= 0x9E6C63D0876A9A47u;
	x ^= x >> 29;
	x *= 0xD1B54A32D192ED03u;
	return x ^ x >> 32;
}

/* Hash a text.  The pool's address serves as a seed that a crafted trace cannot know.  When two texts collide,
 * another `salt` gives another hash. */
static uint64_t hash_text(const struct mt_texts *texts, const char *text, size_t len, uint64_t salt)
{
	uint64_t hash = (uint64_t)(uintptr_t)texts + (salt << 32) + len, part;

	for (; len >= sizeof(part); text += sizeof(part), len -= sizeof(part)) {
		memcpy(&part, text, sizeof(part));
		hash = mt_mix(hash ^ part);
	}
	part = 0;
	memcpy(&part, text, len);
	return mt_mix(hash ^ part);
}

const char *mt_texts_intern(struct mt_texts *texts, const char *text, size_t len)
{
	uint64_t hash = hash_text(texts, text, len, 0);
	uint32_t found;

	for (uint64_t salt = 0; (found = id_map_find(&texts->by_hash, hash)) != 0;
	     hash = hash_text(texts, text, len, ++salt)) {
		const struct mt_text *known = &texts->list[found - 1];
		if (known->len == len && memcmp(known->text, text, len) == 0)
			return known->text;
	}
	char *copy = mt_texts_take(texts, len + 1);
	if (copy == NULL || !array_room(&texts->list, &texts->room, texts->count + 1, sizeof(*texts->list)) ||
	    !id_map_add(&texts->by_hash, hash, (uint32_t)texts->count + 1))
		return NULL;
	memcpy(copy, text, len);
	copy[len] = '\0';
	texts->list[texts->count++] = (struct mt_text){copy, len};
	return copy;
}

int mt_texts_read(struct mt_texts *texts, const uint8_t **p, const uint8_t *end, const char **out)
{
	const uint8_t *nul = *p == end ? NULL : memchr(*p, 0, (size_t)(end - *p));

	if (nul == NULL)
		return RTEV_E_MEMTRACE_UNDERFLOW;
	*out = mt_texts_intern(texts, (const char *)*p, (size_t)(nul - *p));
	*p = nul + 1;
	return *out == NULL ? RTEV_E_NOMEM : RTEV_OK;
}

/* ---- domains ---- */

void **mt_domains_at(struct mt_domains *domains, uint16_t id)
{
	void ***page = &domains->pages[id / MT_DOMAIN_PAGE];

	if (*page == NULL) {
		*page = calloc(MT_DOMAIN_PAGE, sizeof(**page));
		if (*page == NULL)
			return NULL;
	}
	return &(*page)[id % MT_DOMAIN_PAGE];
}

void mt_domains_fini(struct mt_domains *domains, void (*destroy)(void *))
{
	for (size_t i = 0; i < MT_DOMAIN_PAGE; i++) {
		if (domains->pages[i] == NULL)
			continue;
		for (size_t j = 0; j < MT_DOMAIN_PAGE; j++) {
			if (domains->pages[i][j] != NULL)
				destroy(domains->pages[i][j]);
		}
		free(domains->pages[i]);
	}
}

/* ---- locations ---- */

enum { LOCATION_SIZE = 6, LIST_MAX = 255 };

/* Free the table, the names and the meanings. */
void mt_locations_fini(struct mt_locations *locations)
{
	mt_texts_fini(&locations->texts);
	free(locations->meanings);
	id_map_fini(&locations->by_code);
	*locations = (struct mt_locations){0};
}

/* The id of a code in the table, whose address serves as a seed that a crafted trace cannot know. */
static uint64_t id_of(const struct mt_locations *locations, int64_t code)
{
	return mt_mix((uint64_t)code ^ (uint64_t)(uintptr_t)locations);
}

const struct mt_meaning *mt_locations_find(const struct mt_locations *locations, int64_t code)
{
	uint32_t found = id_map_find(&locations->by_code, id_of(locations, code));

	return found != 0 ? locations->meanings[found - 1] : NULL;
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
	const struct mt_meaning *known = mt_locations_find(locations, code);

	if (known != NULL)
		return known->count == count && same_list(known->list, list, count)
			   ? RTEV_OK
			   : RTEV_E_MEMTRACE_LOCATION;
	struct mt_meaning *meaning =
	    mt_texts_take(&locations->texts, sizeof(*meaning) + count * sizeof(meaning->list[0]));
	if (meaning == NULL ||
	    !array_room(
		&locations->meanings, &locations->room, locations->count + 1, sizeof(*locations->meanings)) ||
	    !id_map_add(&locations->by_code, id_of(locations, code), (uint32_t)locations->count + 1))
		return RTEV_E_NOMEM;
	meaning->count = count;
	memcpy(meaning->list, list, count * sizeof(meaning->list[0]));
	locations->meanings[locations->count++] = meaning;
	return RTEV_OK;
}

int mt_recent_use_file(struct mt_recent_files *recent, unsigned place, const char *name)
{
	struct mt_recent_file *last = &recent->files[MT_RECENT - 1], used;

	if (place == MT_RECENT && last->defnames == NULL)
		last->defnames = calloc(1, sizeof(*last->defnames));
	if (place == MT_RECENT && last->defnames == NULL)
		return RTEV_E_NOMEM;
	used = recent->files[place < MT_RECENT ? place : --place];
	used.name = name;
	memmove(recent->files + 1, recent->files, place * sizeof(used));
	recent->files[0] = used;
	return RTEV_OK;
}

void mt_recent_use_name(struct mt_recent_names *recent, unsigned place, const char *name)
{
	if (place == MT_RECENT)
		place--;
	memmove(recent->names + 1, recent->names, place * sizeof(recent->names[0]));
	recent->names[0] = name;
}

/* Get the name at an index of a table, or the new one that follows. */
static int read_name(struct mt_locations *locations, unsigned place, const char *known, const uint8_t **p,
    const uint8_t *end, const char **out)
{
	if (place == MT_RECENT)
		return mt_texts_read(&locations->texts, p, end, out);
	*out = known;
	return known == NULL ? RTEV_E_MEMTRACE_TABLE : RTEV_OK;
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
	int status = read_name(
	    locations, file, file < MT_RECENT ? recent->files[file].name : NULL, p, end, &out->filename);
	if (status == RTEV_OK)
		status = mt_recent_use_file(recent, file, out->filename);
	if (status != RTEV_OK)
		return status;
	struct mt_recent_names *names = recent->files[0].defnames;
	status = read_name(
	    locations, defname, defname < MT_RECENT ? names->names[defname] : NULL, p, end, &out->defname);
	if (status == RTEV_OK)
		mt_recent_use_name(names, defname, out->defname);
	return status;
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
