/* runtime_symbols.c - find the symbols of an OCaml runtime in the files that a process executes. */
#include "target/runtime.h"
#include "target/statics.h"

static const char *const symbols_of_fields[RUNTIME_FIELD_COUNT] = {RUNTIME_FIELDS(LIST_TEXT)};

static const char *const symbols_of_variables[RUNTIME_VARIABLE_COUNT] = {RUNTIME_VARIABLES(LIST_TEXT)};

/* Which code shows a variable that has no symbol; the first use that is found counts. */
static const enum runtime_variable used[] = {RUNTIME_ALL_DOMAINS, RUNTIME_ALL_DOMAINS, RUNTIME_POOL_FREELIST,
    RUNTIME_ORPHANED_ALLOC_STATS, RUNTIME_ORPHANED_ALLOC_STATS, RUNTIME_CURRENT_FRAME_DESCRS,
    RUNTIME_THREAD_TABLE, RUNTIME_THREAD_TABLE};
enum { USES = sizeof used / sizeof used[0] };
static const struct statics_use uses[USES] = {{"caml_interrupt_all_signal_safe", STATICS_LOAD},
    {"caml_init_domain_self", STATICS_LEA}, /* an array before 5.3 */
    {"caml_accum_orphan_heap_stats", STATICS_LEA}, {"caml_accum_orphan_alloc_stats", STATICS_LOAD},
    {"caml_accum_orphan_alloc_stats", STATICS_LEA_RSI}, /* in a library, the addition is a call */
    {"caml_get_frame_descrs", STATICS_LEA}, {"caml_thread_self", STATICS_ADD},
    {"caml_thread_self", STATICS_LEA}}; /* an array before 5.3, too */

/* The symbols of one file. */
struct found {
	uint64_t address[RUNTIME_VARIABLE_COUNT];
	unsigned count[RUNTIME_VARIABLE_COUNT]; /* number of definitions with different addresses */
	bool any;				/* the file has a symbol of the runtime */
	uint64_t table_size;
	uint16_t *field;		    /* field of struct runtime_symbols */
	size_t len[RUNTIME_VARIABLE_COUNT]; /* lengths of the names */
};

/* Record a symbol of the runtime. */
static bool see_symbol(void *ctx, const struct elf_symbol *symbol)
{
	static const char prefix[] = "domain_field_caml_";
	struct found *found = ctx;

	found->any = true;
	if (symbol->absolute && strncmp(symbol->name, prefix, sizeof prefix - 1) == 0) {
		for (unsigned i = 0; i < RUNTIME_FIELD_COUNT; i++)
			if (symbol->address < RUNTIME_STATE_BYTES / sizeof(uint64_t) &&
			    strcmp(symbol->name + sizeof prefix - 1, symbols_of_fields[i]) == 0)
				found->field[i] = (uint16_t)(symbol->address * sizeof(uint64_t));
		return true;
	}
	for (unsigned i = 0; i < RUNTIME_VARIABLE_COUNT; i++) {
		if (symbol->len != found->len[i] ||
		    memcmp(symbol->name, symbols_of_variables[i], symbol->len) != 0)
			continue;
		if (found->count[i] == 0 || found->address[i] != symbol->address)
			found->count[i]++;
		found->address[i] = symbol->address;
		if (i == RUNTIME_ALL_DOMAINS)
			found->table_size = symbol->size;
	}
	return true;
}

/* Take the symbols that earlier files lacked.  Returns whether the file contains the runtime. */
static bool see_file(void *ctx, struct elf *elf, uint64_t bias, const char **reason)
{
	struct runtime_symbols *symbols = ctx;
	struct found found = {.field = symbols->field};

	*reason = "its program has no symbols of an OCaml runtime";
	for (unsigned i = 0; i < RUNTIME_VARIABLE_COUNT; i++)
		found.len[i] = strlen(symbols_of_variables[i]);
	const bool whole = elf_symbols(elf, see_symbol, &found);
	uint64_t offset, address, size;
	if (elf->source->effort->over != NULL)
		*reason = elf->source->effort->over;
	else if (!whole && elf_section(elf, ".symtab", &offset, &address, &size))
		*reason = "the table of its program's symbols can't be read";
	/* Libraries need dynamic symbols to be linked with: a program without any uses none. */
	else if (!found.any)
		*reason =
		    "its program is linked statically and stripped: no symbols tell where its runtime is";
	uint64_t shown[USES];
	statics_find(elf, uses, USES, found.address[RUNTIME_PARAMS], shown);
	for (unsigned i = 0; i < USES; i++)
		if (found.address[used[i]] == 0)
			found.address[used[i]] = shown[i];
	for (unsigned i = 0; i < RUNTIME_VARIABLE_COUNT; i++) {
		bool usable =
		    found.count[i] < 2 && found.address[i] != 0 && found.address[i] % sizeof(uint64_t) == 0;

		if (!usable || symbols->variable[i] != 0)
			continue;
		symbols->variable[i] = found.address[i] + bias;
		symbols->by_code |= (uint32_t)(found.count[i] == 0) << i;
		if (i == RUNTIME_ALL_DOMAINS)
			symbols->table_size = found.table_size;
	}
	return symbols->variable[RUNTIME_MAJOR_CYCLES] != 0;
}

bool runtime_symbols_find(struct variables *variables, struct runtime_symbols *out, const char **why)
{
	if (!variables_objects(variables, see_file, out, why))
		return false;
	if (out->variable[RUNTIME_THREAD_TABLE] == 0)
		variables_threads(variables, see_file, out);
	return true;
}
