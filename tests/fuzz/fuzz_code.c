/*
 * fuzz_code.c - any bytes as what tells of a program's code.  The first byte picks .eh_frame, frame tables with their
 * debug information, or the symbols of a file.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "code/frametable.h"
#include "code/symbols.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define BASE 0x10000

/* What the readers of an input may spend.  A fuzzer tells inputs that are slow all the same. */
#define LITTLE ((struct effort){.work = 1 << 22, .memory = 1 << 22})

/* Bytes as memory. */
struct bytes {
	const uint8_t *data;
	size_t size;
};

static int read_bytes(void *ctx, const struct variables_place *places, size_t count)
{
	const struct bytes *b = ctx;

	for (size_t i = 0; i < count; i++) {
		uint64_t at = places[i].address - BASE;

		if (at > b->size || places[i].size > b->size - at)
			return EFAULT;
		memcpy(places[i].to, b->data + at, places[i].size);
	}
	return 0;
}

static void try_unwinding(const uint8_t *data, size_t size)
{
	uint8_t *bytes = malloc(size + 1);
	struct eh_rules rules;
	struct effort effort = LITTLE;
	struct eh_frame *eh;

	memcpy(bytes, data, size);
	eh = eh_frame_create(bytes, size, BASE, &effort);
	for (uint64_t at = 0; eh != NULL && at < size; at++) {
		uint64_t address = BASE + at;

		(void)eh_frame_rules(eh, address, &rules);
		if (at + sizeof(address) <= size) {
			memcpy(&address, data + at, sizeof(address));
			(void)eh_frame_rules(eh, address, &rules);
		}
	}
	eh_frame_destroy(eh);
}

/* The memory begins with the array of tables; a list of more follows it. */
static void try_tables(const uint8_t *data, size_t size)
{
	static struct pages pages;
	struct bytes bytes = {data, size};
	const struct memory_reader memory = {read_bytes, &bytes};
	const struct frametable_place place = {.array = BASE, .descrs = size % 2 == 0 ? BASE + 64 : 0};
	struct frametable table = {.rows = NULL};
	struct effort effort = LITTLE;
	static struct frame_line line;

	pages_begin(&pages, NULL, 0);
	pages.memory = memory;
	(void)frametable_refresh(&table, &memory, &place, &effort);
	for (size_t i = 0; i < table.count && i < 256; i++) {
		bool more = true;

		if (frametable_find(&table, table.rows[i].address) == NULL)
			abort();
		for (unsigned k = 0;
		     more && frame_row_line(&table.rows[i], &pages, i % 2 != 0, k, &line, &more); k++)
			if (strlen(line.name) >= sizeof(line.name) || strlen(line.file) >= sizeof(line.file))
				abort();
	}
	frametable_fini(&table);
}

static void try_symbols(const uint8_t *data, size_t size)
{
	struct object object = {.end = UINT64_MAX};
	char name[CODE_NAME_SIZE];
	struct effort effort = LITTLE;
	struct source source;
	struct elf elf;

	source_from_memory(&source, data, size, &effort);
	if (elf_open(&elf, &source))
		object_load(&object, &elf, NULL);
	for (size_t i = 0; i < object.symbol_count; i++) {
		const struct symbol *symbol = object_symbol(&object, object.symbols[i].address);

		if (symbol != &object.symbols[i])
			abort();
		(void)name_of_symbol(symbol_name(&object, symbol), name);
		name_of_unit(symbol_name(&object, symbol), name);
	}
	object_fini(&object);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void (*const tries[])(const uint8_t *, size_t) = {try_unwinding, try_tables, try_symbols};

	/* A copy, so that what is read past its end is noticed. */
	if (size > 0 && size < 1 << 20) {
		uint8_t *copy = malloc(size);
		memcpy(copy, data + 1, size - 1);
		tries[data[0] % 3](copy, size - 1);
		free(copy);
	}
	return 0;
}
