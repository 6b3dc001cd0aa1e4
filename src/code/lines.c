/* lines.c - the functions and lines of frames, each address once. */
#include "code/private.h"
#include "core/array.h"
#include "core/id_map.h"

enum { ADDRESSES_MAX = 1 << 20, LINES_MAX = 64 };

struct lines_cache {
	void **owned; /* all allocations: texts and lines */
	size_t owned_count, owned_room;
	struct id_map texts, places; /* by hash and by address: index in `owned` plus 1 */
	struct code_lines *unknown;  /* used when nothing is known; the first in `owned` */
};

/* Allocate memory that lives as long as the cache. */
static void *own(struct lines_cache *cache, size_t size)
{
	void *p = NULL;

	if (array_room(&cache->owned, &cache->owned_room, cache->owned_count + 1, sizeof(void *)))
		p = calloc(1, size);
	if (p != NULL)
		cache->owned[cache->owned_count++] = p;
	return p;
}

/* Return the one copy of a text; NULL when out of memory. */
static const char *intern(struct lines_cache *cache, const char *text)
{
	const size_t size = strlen(text) + 1;
	uint64_t hash;

	for (uint64_t salt = 0;; salt++) {
		hash = id_map_hash(text, size, salt);
		uint32_t at = id_map_find(&cache->texts, hash);
		if (at == 0)
			break;
		if (strcmp(cache->owned[at - 1], text) == 0)
			return cache->owned[at - 1];
	}
	char *copy = own(cache, size);
	if (copy == NULL || !id_map_add(&cache->texts, hash, (uint32_t)cache->owned_count))
		return NULL;
	return memcpy(copy, text, size);
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
	id_map_fini(&cache->texts);
	id_map_fini(&cache->places);
	free(cache);
}

void lines_cache_forget(struct lines_cache *cache)
{
	id_map_fini(&cache->places);
}

/* Add a function with the compiler's names.  Returns false when out of memory. */
static bool add_line(
    struct lines_cache *cache, struct code_line *out, const char *name, const char *file, unsigned line)
{
	*out = (struct code_line){.name = intern(cache, name), .line = line};
	if (file != NULL && *file != '\0')
		out->file = intern(cache, file);
	return out->name != NULL;
}

/* Find the functions of a descriptor, innermost first.  Returns their number. */
static unsigned lines_of_row(
    struct code *code, const struct frame_row *row, struct code_line lines[LINES_MAX])
{
	struct frame_line found;
	char name[CODE_NAME_SIZE];
	unsigned count = 0;
	bool more = true;

	while (more && count < LINES_MAX &&
	       frame_row_line(row, &code->constants, code->layout->short_lines, count, &found, &more)) {
		name_of_unit(found.name, name);
		if (!add_line(code->lines, &lines[count], name, found.file, found.line))
			break;
		lines[count].library = name_is_library(found.name);
		count++;
	}
	return count;
}

/* Find a function's name in debug information, by a descriptor of a call in it.  The initialisation of a unit
 * is one function, for which descriptors name the binding that is initialised; it gets the unit's name. */
static bool line_of_function(
    struct code *code, const struct object *object, const struct symbol *symbol, struct code_line *out)
{
	char unit[CODE_NAME_SIZE];
	const struct frame_row *row = frametable_next(&code->table, symbol->address + 1);
	struct code_line lines[LINES_MAX];
	unsigned count;

	for (; row != NULL && row < code->table.rows + code->table.count &&
	       row->address - symbol->address <= symbol->size;
	     row++) {
		count = lines_of_row(code, row, lines);
		if (count == 0)
			continue;
		/* The last one is the function itself; the others were inlined into it. */
		*out = lines[count - 1];
		out->line = 0;
		if (name_of_entry(symbol_name(object, symbol), unit))
			out->name = intern(code->lines, unit);
		return out->name != NULL;
	}
	return false;
}

/* Find the function by its symbol. */
static bool line_of_symbol(struct code *code, const struct code_frame *frame, struct code_line *out)
{
	const uint64_t place = frame->leaf ? frame->pc : frame->pc - 1;
	const struct object *object = symbols_object(&code->symbols, place);
	const struct symbol *symbol = object != NULL ? object_symbol(object, place) : NULL;
	char name[CODE_NAME_SIZE];
	uint64_t start;

	if (object == NULL)
		return false;
	/* A symbol without a size does not name a function that begins behind it. */
	bool bounded = object->unwind != NULL && eh_frame_function(object->unwind, place, &start);
	if (symbol == NULL || (bounded && symbol->size == 0 && symbol->address < start)) {
		if (bounded)
			snprintf(name, sizeof(name), "%s +0x%" PRIx64, object->label, start - object->bias);
		return add_line(code->lines, out, bounded ? name : object->label, NULL, 0);
	}
	if (frame->kind == CODE_OCAML && line_of_function(code, object, symbol, out))
		return true;
	const bool ocaml = name_of_symbol(symbol_name(object, symbol), name);
	if (!add_line(code->lines, out, name, NULL, 0))
		return false;
	out->library = ocaml && name_is_library(symbol_name(object, symbol) + strlen("caml"));
	return true;
}

const struct code_lines *code_lines(struct code *code, const struct code_frame *frame)
{
	struct lines_cache *cache = code->lines;
	/* The highest bit of a code address is always 0. */
	const uint64_t id = frame->pc ^ (uint64_t)frame->leaf << 63;
	const uint32_t known = id_map_find(&cache->places, id);
	const struct frame_row *row =
	    frame->kind == CODE_OCAML && !frame->leaf ? frametable_find(&code->table, frame->pc) : NULL;
	struct code_line found[LINES_MAX];
	struct code_lines *lines;
	unsigned count = 0;

	if (known != 0)
		return cache->owned[known - 1];
	if (cache->places.count == ADDRESSES_MAX)
		return cache->unknown;
	pages_begin(&code->constants, NULL, 0);
	if (row != NULL)
		count = lines_of_row(code, row, found);
	if (count == 0)
		count = line_of_symbol(code, frame, &found[0]);
	lines = count > 0 ? own(cache, sizeof(*lines) + count * sizeof(found[0])) : NULL;
	uint32_t number = 1;
	if (lines != NULL) {
		number = (uint32_t)cache->owned_count;
		lines->count = count;
		memcpy(lines->line, found, count * sizeof(found[0]));
	}
	(void)id_map_add(&cache->places, id, number);
	return cache->owned[number - 1];
}

const struct code_line *code_own_line(struct code *code, const struct code_stack *stack)
{
	const struct code_line *first = NULL;

	for (unsigned i = 0; i < stack->count; i++) {
		if (stack->frames[i].kind != CODE_OCAML)
			continue;
		const struct code_lines *lines = code_lines(code, &stack->frames[i]);
		first = first == NULL ? &lines->line[0] : first;
		for (unsigned k = 0; k < lines->count; k++)
			if (!lines->line[k].library)
				return &lines->line[k];
	}
	return first;
}
