/* object.c - the symbols of one mapped file; see symbols.h. */
#include "code/symbols.h"
#include "core/array.h"
#include "core/order.h"

/* Symbols that are being loaded into an object. */
struct loading {
	struct object *object;
	struct effort *effort;
	uint64_t *begins, *ends; /* ranges of OCaml code */
	size_t begin_count, begin_room, end_count, end_room;
	bool failed; /* out of memory */
};

static bool add_edge(uint64_t **edges, size_t *count, size_t *room, uint64_t address)
{
	if (!array_room(edges, room, *count + 1, sizeof(**edges)))
		return false;
	(*edges)[(*count)++] = address;
	return true;
}

static bool ends_in(const struct elf_symbol *symbol, const char *text)
{
	size_t len = strlen(text);

	return symbol->len > len && memcmp(symbol->name + symbol->len - len, text, len) == 0;
}

static bool begins_with(const struct elf_symbol *symbol, const char *text)
{
	return strncmp(symbol->name, text, strlen(text)) == 0;
}

/* Record a symbol that marks where the code of a unit begins or ends: "camlFoo.code_begin",
 * "camlFoo__code_begin" in 5.0. The runtime's own have two underscores in all releases; caml_hot marks an
 * empty range. */
static bool see_edge(struct loading *l, const struct elf_symbol *symbol, uint64_t address)
{
	bool begin = ends_in(symbol, "code_begin");

	if (!begins_with(symbol, "caml") || (!begin && !ends_in(symbol, "code_end")))
		return false;
	if (begins_with(symbol, "caml_system__"))
		*(begin ? &l->object->system.start : &l->object->system.end) = address;
	else if (!begins_with(symbol, "caml_hot"))
		l->failed = !(begin ? add_edge(&l->begins, &l->begin_count, &l->begin_room, address)
				    : add_edge(&l->ends, &l->end_count, &l->end_room, address));
	return true;
}

static bool see_symbol(void *ctx, const struct elf_symbol *symbol)
{
	struct loading *l = ctx;
	struct object *o = l->object;
	uint64_t address = symbol->address + o->bias;

	/* A range may end where the mapping ends. */
	if (symbol->object || symbol->absolute || address < o->start || address > o->end)
		return true;
	if (see_edge(l, symbol, address))
		return !l->failed;
	/* Longer names are never shown.  Sorting needs the same amount of memory again. */
	const size_t len = symbol->len < CODE_NAME_SIZE ? symbol->len : CODE_NAME_SIZE - 1;
	if (address == o->end || !effort_keep(l->effort, 2 * sizeof(*o->symbols) + len + 1))
		return true;
	if (!array_room(&o->symbols, &o->symbol_room, o->symbol_count + 1, sizeof(*o->symbols)) ||
	    !array_room(&o->names, &o->names_room, o->names_size + len + 1, 1)) {
		l->failed = true;
		return false;
	}
	o->symbols[o->symbol_count++] = (struct symbol){.address = address,
	    .size = symbol->size < UINT32_MAX ? (uint32_t)symbol->size : 0,
	    .name = (uint32_t)o->names_size};
	memcpy(o->names + o->names_size, symbol->name, len);
	o->names_size += len;
	o->names[o->names_size++] = '\0';
	return true;
}

/* Among names of one place prefer one with a size, then fewer leading underscores ("write", not "__write"),
 * then the shorter one. */
static int by_address(const void *a, const void *b, void *names)
{
	const struct symbol *x = a, *y = b;
	const char *p = (const char *)names + x->name, *q = (const char *)names + y->name;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	if ((x->size == 0) != (y->size == 0))
		return x->size == 0 ? 1 : -1;
	size_t under[2] = {strspn(p, "_"), strspn(q, "_")}, len[2] = {strlen(p), strlen(q)};
	if (under[0] != under[1])
		return under[0] < under[1] ? -1 : 1;
	if (len[0] != len[1])
		return len[0] < len[1] ? -1 : 1;
	return strcmp(p, q);
}

/* Pair begins with ends.  Units do not overlap, so a unit's code ends at the first end that is not before its
 * begin. */
static bool pair_edges(struct loading *l)
{
	struct object *o = l->object;
	size_t k = 0;

	if (l->begin_count == 0 || l->end_count == 0)
		return true;
	qsort(l->begins, l->begin_count, sizeof(*l->begins), order_by_number);
	qsort(l->ends, l->end_count, sizeof(*l->ends), order_by_number);
	o->ocaml = calloc(l->begin_count, sizeof(*o->ocaml));
	if (o->ocaml == NULL)
		return false;
	for (size_t i = 0; i < l->begin_count; i++) {
		while (k < l->end_count && l->ends[k] < l->begins[i])
			k++;
		if (k < l->end_count && l->ends[k] > l->begins[i] &&
		    (o->ocaml_count == 0 || o->ocaml[o->ocaml_count - 1].start != l->begins[i]))
			o->ocaml[o->ocaml_count++] = (struct code_range){l->begins[i], l->ends[k]};
	}
	return true;
}

static void load_unwind(struct object *object, struct elf *elf)
{
	struct effort *effort = elf->source->effort;
	const uint64_t before = effort->memory;
	uint64_t offset, address, size;

	if (!elf_section(elf, ".eh_frame", &offset, &address, &size) || size > elf->source->size ||
	    !effort_keep(effort, size))
		return;
	uint8_t *bytes = malloc(size + 1);
	if (bytes != NULL && source_read(elf->source, offset, bytes, size))
		object->unwind = eh_frame_create(bytes, size, address + object->bias, effort);
	else
		free(bytes);
	if (object->unwind == NULL)
		effort->memory = before;
}

void object_load(struct object *object, struct elf *elf, struct elf *names)
{
	struct effort *effort = elf->source->effort;
	struct loading l = {.object = object, .effort = effort};
	const uint64_t before = effort->memory;
	size_t kept = 0;

	elf_symbols(elf, see_symbol, &l);
	if (names != NULL)
		elf_symbols(names, see_symbol, &l);
	if (!pair_edges(&l) || l.failed)
		object->symbol_count = 0;
	free(l.begins);
	free(l.ends);
	if (object->system.start >= object->system.end)
		object->system = (struct code_range){0};
	if (object->symbol_count > 1)
		qsort_r(object->symbols, object->symbol_count, sizeof(*object->symbols), by_address,
		    object->names);
	for (size_t i = 0; i < object->symbol_count; i++)
		if (kept == 0 || object->symbols[kept - 1].address != object->symbols[i].address)
			object->symbols[kept++] = object->symbols[i];
	object->symbol_count = kept;
	load_unwind(object, elf);
	object->memory = before - effort->memory;
}

void object_fini(struct object *object)
{
	free(object->symbols);
	free(object->names);
	free(object->ocaml);
	eh_frame_destroy(object->unwind);
}

const struct symbol *object_symbol(const struct object *object, uint64_t address)
{
	size_t at = order_up_to(object->symbols, object->symbol_count, sizeof(*object->symbols), address);

	if (at == 0 || address >= object->end)
		return NULL;
	const struct symbol *symbol = &object->symbols[at - 1];
	return symbol->size == 0 || address - symbol->address < symbol->size ? symbol : NULL;
}

const char *symbol_name(const struct object *object, const struct symbol *symbol)
{
	return object->names + symbol->name;
}
