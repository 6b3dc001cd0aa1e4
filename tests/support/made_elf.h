/*
 * made_elf.h - a program file of three sections that lie: symbols, their names, and .eh_frame.
 */
#pragma once

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "target/elf.h"

struct made_elf {
	uint8_t *bytes;
	size_t size;
};

/* Append bytes, at a multiple of 16.  Returns where they are. */
static inline size_t made_elf_put(struct made_elf *e, const void *bytes, size_t size)
{
	size_t at = (e->size + 15) & ~(size_t)15;

	e->bytes = realloc(e->bytes, at + size + 1);
	if (e->bytes == NULL)
		abort();
	memset(e->bytes + e->size, 0, at - e->size);
	memcpy(e->bytes + at, bytes, size);
	e->size = at + size;
	return at;
}

/* Make one with these sections; `symbols` and `unwind` may be NULL. */
static inline struct made_elf made_elf(const char *names, size_t names_size, const Elf64_Sym *symbols,
    size_t symbol_count, const uint8_t *unwind, size_t unwind_size)
{
	static const char titles[] = "\0.eh_frame";
	Elf64_Ehdr header = {
	    .e_type = ET_DYN, .e_shentsize = sizeof(Elf64_Shdr), .e_shnum = 5, .e_shstrndx = 4};
	Elf64_Shdr sections[5] = {
	    [1] = {.sh_type = SHT_SYMTAB, .sh_link = 2, .sh_entsize = sizeof(Elf64_Sym)},
	    [2] = {.sh_type = SHT_STRTAB},
	    [3] = {.sh_type = SHT_PROGBITS, .sh_name = 1, .sh_addr = 0x1000},
	    [4] = {.sh_type = SHT_STRTAB, .sh_size = sizeof(titles)}};
	struct made_elf e = {NULL, 0};

	memcpy(header.e_ident, ELFMAG, SELFMAG);
	header.e_ident[EI_CLASS] = ELFCLASS64;
	header.e_ident[EI_DATA] = ELFDATA2LSB;
	(void)made_elf_put(&e, &header, sizeof(header));
	sections[1].sh_size = symbol_count * sizeof(*symbols);
	sections[1].sh_offset = symbols != NULL ? made_elf_put(&e, symbols, sections[1].sh_size) : 0;
	sections[2].sh_size = names_size;
	sections[2].sh_offset = made_elf_put(&e, names, names_size);
	sections[3].sh_size = unwind_size;
	sections[3].sh_offset = unwind != NULL ? made_elf_put(&e, unwind, unwind_size) : 0;
	sections[4].sh_offset = made_elf_put(&e, titles, sizeof(titles));
	header.e_shoff = made_elf_put(&e, sections, sizeof(sections));
	memcpy(e.bytes, &header, sizeof(header));
	return e;
}

/* `count` symbols of functions, one byte each, whose names begin at `name` + k % `spread`. */
static inline Elf64_Sym *made_elf_symbols(size_t count, uint32_t name, uint32_t spread)
{
	Elf64_Sym *symbols = calloc(count, sizeof(*symbols));

	for (size_t k = 0; symbols != NULL && k < count; k++)
		symbols[k] = (Elf64_Sym){.st_name = name + (uint32_t)(k % spread),
		    .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
		    .st_shndx = 1,
		    .st_value = 0x1000 + k,
		    .st_size = 1};
	return symbols;
}

/* Begin an entry of .eh_frame of `size` bytes behind its length; `back`: from behind its length to what it refers to. */
static inline uint8_t *made_eh_entry(uint8_t *to, uint32_t size, uint32_t back)
{
	memcpy(to, &size, 4);
	memcpy(to + 4, &back, 4);
	return to + 4 + size;
}
