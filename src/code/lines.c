/*
 * lines.c - the functions and lines of frames, each address once.
 */
#include <stdlib.h>
#include <string.h>

#include "code/private.h"
#include "core/array.h"

enum { ADDRESSES_MAX = 1 << 20, LINES_MAX = 64 };

/* A table of what is found by a hash; an entry of NULL is free. */
struct table {
	void **slots;
	size_t size, count; /* size: a power of two */
};

/* The lines of an address. */
struct entry {
	uint64_t pc;
	bool leaf;
	struct code_lines *lines;
};

struct lines_cache {
	struct table texts;   /* char * */
	struct table entries; /* struct entry * */
	void **owned;	      /* all that was allocated */
	size_t owned_count, owned_room;
	struct code_lines *unknown; /* when nothing else can be told */
};

static uint64_t hash_bytes(const char *text)
{
	uint64_t hash = UINT64_C(14695981039346656037);

	for (; *text != '\0'; text++)
		hash = (hash ^ (unsigned char)*text) * UINT64_C(1099511628211);
	return hash;
}

static uint64_t hash_place(uint64_t pc, bool leaf)
{
	return (pc * 2 + leaf) * UINT64_C(0x9E3779B97F4A7C15) >> 20;
}

/* Allocate what lives as long as the cache. */
static void *own(struct lines_cache *cache, size_t size)
{
	void *p = NULL;

	if (array_room(&cache->owned, &cache->owned_room, cache->owned_count + 1, sizeof(void *)))
		p = calloc(1, size);
	if (p != NULL)
		cache->owned[cache->owned_count++] = p;
	return p;
}

/* Make room for one more.  `hash` is that of a member. */
static bool table_room(struct table *t, uint64_t (*hash)(const void *member))
{
	size_t size = t->size < 512 ? 1024 : t->size * 2;
	void **slots;

	if (t->count < t->size / 2)
		return true;
	slots = calloc(size, sizeof(*slots));
	if (slots == NULL)
		return false;
	for (size_t i = 0; i < t->size; i++) {
		size_t at;

		if (t->slots[i] == NULL)
			continue;
		for (at = hash(t->slots[i]) & (size - 1); slots[at] != NULL;)
			at = (at + 1) & (size - 1);
		slots[at] = t->slots[i];
	}
	free(t->slots);
	t->slots = slots;
	t->size = size;
	return true;
}

static uint64_t hash_of_text(const void *member)
{
	return hash_bytes(member);
}

static uint64_t hash_of_entry(const void *member)
{
	const struct entry *entry = member;

	return hash_place(entry->pc, entry->leaf);
}

/* The one copy of a text; NULL when out of memory. */
static const char *intern(struct lines_cache *cache, const char *text)
{
	struct table *t = &cache->texts;
	size_t at;
	char *copy;

	if (!table_room(t, hash_of_text))
		return NULL;
	for (at = hash_bytes(text) & (t->size - 1); t->slots[at] != NULL; at = (at + 1) & (t->size - 1))
		if (strcmp(t->slots[at], text) == 0)
			return t->slots[at];
	copy = own(cache, strlen(text) + 1);
	if (copy == NULL)
		return NULL;
	strcpy(copy, text);
	t->slots[at] = copy;
	t->count++;
	return copy;
}

/* Where the entry of an address is, or is to be put. */
static struct entry **place_of(struct lines_cache *cache, uint64_t pc, bool leaf)
{
	struct table *t = &cache->entries;
	size_t at = hash_place(pc, leaf) & (t->size - 1);

	for (;; at = (at + 1) & (t->size - 1)) {
		struct entry *entry = t->slots[at];

		if (entry == NULL || (entry->pc == pc && entry->leaf == leaf))
			return (struct entry **)&t->slots[at];
	}
}

struct lines_cache *lines_cache_create(void)
{
	struct lines_cache *cache = calloc(1, sizeof(*cache));

	if (cache == NULL)
		return NULL;
	cache->unknown = own(cache, sizeof(*cache->unknown) + sizeof(struct code_line));
	if (cache->unknown != NULL) {
		cache->unknown->count = 1;
		cache->unknown->line[0].name = intern(cache, "?");
		if (cache->unknown->line[0].name != NULL)
			return cache;
	}
	lines_cache_destroy(cache);
	return NULL;
}

void lines_cache_destroy(struct lines_cache *cache)
{
	if (cache == NULL)
		return;
	for (size_t i = 0; i < cache->owned_count; i++)
		free(cache->owned[i]);
	free(cache->owned);
	free(cache->texts.slots);
	free(cache->entries.slots);
	free(cache);
}

void lines_cache_forget(struct lines_cache *cache)
{
	memset(cache->entries.slots, 0, cache->entries.size * sizeof(void *));
	cache->entries.count = 0;
}

/* Add a function; the names are as the compiler wrote them.  False when out of memory. */
static bool add_line(
    struct lines_cache *cache, struct code_line *out, const char *name, const char *file, unsigned line)
{
	*out = (struct code_line){.name = intern(cache, name), .line = line};
	if (file != NULL && *file != '\0')
		out->file = intern(cache, file);
	return out->name != NULL;
}

/* The functions of a descriptor, innermost first.  Returns how many. */
static unsigned lines_of_row(
    struct code *code, const struct frame_row *row, struct code_line lines[LINES_MAX])
{
	struct frame_line found;
	char name[CODE_NAME_SIZE];
	unsigned count = 0;
	bool more = true;

	while (more && count < LINES_MAX &&
	       frame_row_line(row, &code->constants, code->layout->minor, count, &found, &more)) {
		name_of_unit(found.name, name);
		if (!add_line(code->lines, &lines[count], name, found.file, found.line))
			break;
		count++;
	}
	return count;
}

/* The function of a symbol as debug information calls it: by a descriptor of a call in it. */
static bool line_of_function(struct code *code, const struct symbol *symbol, struct code_line *out)
{
	const struct frame_row *row = frametable_next(&code->table, symbol->address + 1);
	struct code_line lines[LINES_MAX];
	unsigned count;

	for (; row != NULL && row < code->table.rows + code->table.count &&
	       row->address - symbol->address <= symbol->size;
	     row++) {
		count = lines_of_row(code, row, lines);
		if (count == 0)
			continue;
		/* The last is the function itself; those before were inlined into it. */
		*out = lines[count - 1];
		out->line = 0;
		return true;
	}
	return false;
}

/* The function by its symbol. */
static bool line_of_symbol(struct code *code, const struct code_frame *frame, struct code_line *out)
{
	const uint64_t place = frame->leaf ? frame->pc : frame->pc - 1;
	const struct object *object = symbols_object(&code->symbols, place);
	const struct symbol *symbol = object != NULL ? object_symbol(object, place) : NULL;
	char name[CODE_NAME_SIZE];

	if (symbol == NULL)
		return object != NULL && add_line(code->lines, out, object->label, NULL, 0);
	if (frame->kind == CODE_OCAML && line_of_function(code, symbol, out))
		return true;
	(void)name_of_symbol(symbol_name(object, symbol), name);
	return add_line(code->lines, out, name, NULL, 0);
}

static struct code_lines *make_lines(struct code *code, const struct code_frame *frame)
{
	const struct frame_row *row =
	    frame->kind == CODE_OCAML && !frame->leaf ? frametable_find(&code->table, frame->pc) : NULL;
	struct code_line found[LINES_MAX];
	struct code_lines *lines;
	unsigned count = 0;

	pages_begin(&code->constants);
	if (row != NULL)
		count = lines_of_row(code, row, found);
	if (count == 0)
		count = line_of_symbol(code, frame, &found[0]);
	if (count == 0)
		return code->lines->unknown;
	lines = own(code->lines, sizeof(*lines) + count * sizeof(found[0]));
	if (lines == NULL)
		return code->lines->unknown;
	lines->count = count;
	memcpy(lines->line, found, count * sizeof(found[0]));
	return lines;
}

const struct code_lines *code_lines(struct code *code, const struct code_frame *frame)
{
	struct lines_cache *cache = code->lines;
	struct entry **place;

	if (cache->entries.count >= ADDRESSES_MAX || !table_room(&cache->entries, hash_of_entry))
		return cache->unknown;
	place = place_of(cache, frame->pc, frame->leaf);
	if (*place == NULL) {
		struct entry *entry = own(cache, sizeof(*entry));

		if (entry == NULL)
			return cache->unknown;
		*entry =
		    (struct entry){.pc = frame->pc, .leaf = frame->leaf, .lines = make_lines(code, frame)};
		*place = entry;
		cache->entries.count++;
	}
	return (*place)->lines;
}
