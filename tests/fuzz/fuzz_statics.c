/*
 * fuzz_statics.c - any bytes as the code of a runtime's functions, in which its static variables are looked for.
 *
 * The first bytes say, for each function, where it begins and how long its symbol says that it is; then comes the code.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "support/made_elf.h"
#include "target/statics.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define NAMES                                                                                                \
	"\0caml_interrupt_all_signal_safe\0caml_accum_orphan_heap_stats\0caml_accum_orphan_alloc_stats\0"    \
	"caml_get_frame_descrs\0caml_thread_self"

enum {
	FUNCTIONS = 5,
	USES = 6,
	EACH = 3, /* bytes of the input: two of where it is, one of its size */
	CODE = 0x1000,
	PARAMS = 0x20000
};

/* Put the symbols that the first bytes of the input tell. */
static void make_symbols(Elf64_Sym symbols[FUNCTIONS], const uint8_t *data)
{
	uint32_t name = 1;

	for (unsigned i = 0; i < FUNCTIONS; i++, data += EACH) {
		symbols[i] = (Elf64_Sym){.st_name = name,
		    .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
		    .st_shndx = 1,
		    .st_value = CODE + (uint64_t)(data[0] | data[1] << 8) % 2048,
		    .st_size = data[2]};
		name += (uint32_t)strlen(&NAMES[name]) + 1;
	}
}

static const struct statics_use uses[USES] = {{"caml_interrupt_all_signal_safe", STATICS_LOAD},
    {"caml_accum_orphan_heap_stats", STATICS_LEA}, {"caml_accum_orphan_alloc_stats", STATICS_LEA_RSI},
    {"caml_get_frame_descrs", STATICS_LEA}, {"caml_thread_self", STATICS_ADD},
    {"caml_thread_self", STATICS_CMPXCHG}};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	Elf64_Sym symbols[FUNCTIONS];
	uint64_t address[USES];
	struct effort effort = {.work = 1 << 22, .memory = 1 << 22};
	struct source source;
	struct elf elf;

	if (size < FUNCTIONS * EACH)
		return 0;
	make_symbols(symbols, data);
	data += FUNCTIONS * EACH;
	size -= FUNCTIONS * EACH;
	struct made_elf made = made_elf(NAMES, sizeof NAMES, symbols, FUNCTIONS, NULL, 0);
	size_t at = made_elf_put(&made, data, size);
	source_from_memory(&source, made.bytes, made.size, &effort);
	if (!elf_open(&elf, &source))
		abort();
	elf.segments[0] =
	    (struct elf_segment){.offset = at, .file_size = size, .address = CODE, .mem_size = size};
	elf.segments[1] =
	    (struct elf_segment){.address = 2 * CODE, .mem_size = UINT64_C(1) << 24, .writable = true};
	elf.segment_count = 2;
	statics_find(&elf, uses, USES, PARAMS, address);
	for (unsigned i = 0; i < USES; i++)
		if (address[i] != 0 &&
		    (address[i] == PARAMS || address[i] % 8 != 0 || !elf_is_writable(&elf, address[i], 8)))
			abort();
	free(made.bytes);
	return 0;
}
