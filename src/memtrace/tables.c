/*
 * tables.c - texts, domains, and the locations that location events define.
 *
 * A block of the pool is filled from its front.  An object that does not fit goes into a new block, which is as
 * large as the object if that exceeds BLOCK_SIZE.
 */
#include <stdalign.h>

#include "memtrace/tables.h"

enum { BLOCK_SIZE = 16384, TEXT_SLOTS_FIRST = 64 };

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

struct mt_text {
	const char *text; /* NULL: free */
	uint64_t hash;
	size_t len;
};

void mt_texts_fini(struct mt_texts *texts)
{
	while (texts->blocks != NULL) {
		struct mt_block *next = texts->blocks->next;
		free(texts->blocks);
		texts->blocks = next;
	}
	free(texts->slots);
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

/* Mix the bits of a number, for hash tables whose keys come from a trace. */
static uint64_t mt_mix(uint64_t x)
{
	x ^= x >> 32;
	x *= 0x9E6C63D0876A9A47u;
	x ^= x >> 29;
	x *= 0xD1B54A32D192ED03u;
	return x ^ x >> 32;
}

/* Hash a text.  The pool's address serves as a seed that a crafted trace cannot know. */
static uint64_t hash_text(const struct mt_texts *texts, const char *text, size_t len)
{
	uint64_t hash = (uint64_t)(uintptr_t)texts + len, part;

	for (; len >= sizeof(part); text += sizeof(part), len -= sizeof(part)) {
		memcpy(&part, text, sizeof(part));
		hash = mt_mix(hash ^ part);
	}
	part = 0;
	memcpy(&part, text, len);
	return mt_mix(hash ^ part);
}

/* Return the slot of a text, or the free slot where it belongs. */
static struct mt_text *find_text(const struct mt_texts *texts, uint64_t hash, const char *text, size_t len)
{
	size_t at = (size_t)hash & (texts->slot_count - 1);

	for (;; at = (at + 1) & (texts->slot_count - 1)) {
		struct mt_text *slot = &texts->slots[at];
		if (slot->text == NULL ||
		    (slot->hash == hash && slot->len == len && memcmp(slot->text, text, len) == 0))
			return slot;
	}
}

/* Double the table and rehash its entries. */
static bool grow_texts(struct mt_texts *texts)
{
	struct mt_texts grown = *texts;

	grown.slot_count = texts->slot_count == 0 ? TEXT_SLOTS_FIRST : texts->slot_count * 2;
	grown.slots = calloc(grown.slot_count, sizeof(*grown.slots));
	if (grown.slots == NULL)
		return false;
	for (size_t i = 0; i < texts->slot_count; i++) {
		const struct mt_text *old = &texts->slots[i];
		if (old->text != NULL)
			*find_text(&grown, old->hash, old->text, old->len) = *old;
	}
	free(texts->slots);
	*texts = grown;
	return true;
}

const char *mt_texts_intern(struct mt_texts *texts, const char *text, size_t len)
{
	if (texts->count >= texts->slot_count / 2 && !grow_texts(texts))
		return NULL;
	uint64_t hash = hash_text(texts, text, len);
	struct mt_text *slot = find_text(texts, hash, text, len);
	if (slot->text == NULL) {
		char *copy = mt_texts_take(texts, len + 1);
		if (copy == NULL)
			return NULL;
		memcpy(copy, text, len);
		copy[len] = '\0';
		*slot = (struct mt_text){copy, hash, len};
		texts->count++;
	}
	return slot->text;
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

enum { LOCATION_SIZE = 6, CODE_SLOTS_FIRST = 256, LIST_MAX = 255 };

/* Free the table, the names and the meanings. */
void mt_locations_fini(struct mt_locations *locations)
{
	mt_texts_fini(&locations->texts);
	free(locations->slots);
	*locations = (struct mt_locations){0};
}

/* Return the slot of a code, or the free slot where it belongs. */
static struct mt_slot *find_code(const struct mt_locations *locations, int64_t code)
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
	return find_code(locations, code)->meaning;
}

/* Double the table and rehash its entries. */
static int grow_codes(struct mt_locations *locations)
{
	struct mt_locations grown = *locations;

	grown.slot_count = locations->slot_count == 0 ? CODE_SLOTS_FIRST : locations->slot_count * 2;
	grown.slots = calloc(grown.slot_count, sizeof(*grown.slots));
	if (grown.slots == NULL)
		return RTEV_E_NOMEM;
	for (size_t i = 0; i < locations->slot_count; i++) {
		if (locations->slots[i].meaning != NULL)
			*find_code(&grown, locations->slots[i].code) = locations->slots[i];
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
		int status = grow_codes(locations);
		if (status != RTEV_OK)
			return status;
	}
	struct mt_slot *slot = find_code(locations, code);
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
