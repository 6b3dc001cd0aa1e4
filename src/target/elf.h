/*
 * elf.h - segments and symbols of a 64-bit ELF file.
 *
 * Only files in this machine's byte order are read: others can't run here.  Every offset and count of the
 * file is checked before use.  A broken section table only costs the symbols.
 */
#pragma once

#include "target/image.h"

#define ELF_SEGMENTS_MAX 32
#define ELF_NAME_MAX 4096 /* symbols with longer names are ignored */

#define ELF_HEADERS 32 /* headers of sections that one call reads */

/* A loaded segment, as stated in the file. */
struct elf_segment {
	uint64_t offset;
	uint64_t file_size;
	uint64_t address;
	uint64_t mem_size;
	bool writable, executable;
};

struct elf {
	struct source *source;
	bool fixed; /* loaded at its stated addresses, not relocated */
	unsigned segment_count;
	struct elf_segment segments[ELF_SEGMENTS_MAX];
	uint64_t section_offset;
	unsigned section_count;
	unsigned section_names;	   /* index of the section with the names of sections */
	unsigned first_kept, kept; /* which headers of sections `headers` contains */
	unsigned char headers[ELF_HEADERS * 64];
	uint64_t dynamic_offset, dynamic_size; /* location of the dynamic section; 0: none */
	uint64_t relro_address, relro_size;    /* range that only the loader writes to */
};

/* A symbol to look up: set `name`; elf_lookup fills in the rest. */
struct elf_lookup {
	const char *name;
	size_t len;
	unsigned count; /* definitions with different addresses, at most 2; 0: none */
	uint64_t address;
	uint64_t size;
	bool object; /* data, not code */
};

/* Read the headers.  Returns false if the file is not a program or library for this machine. */
bool elf_open(struct elf *elf, struct source *source);

/* A symbol that the file defines. */
struct elf_symbol {
	const char *name; /* valid during the call */
	size_t len;
	uint64_t address; /* as stated in the file; the value of an absolute symbol */
	uint64_t size;
	bool object;   /* data */
	bool code;     /* a function */
	bool absolute; /* its value is a number, not an address */
};

/* Called for each symbol.  Returns false to end the walk. */
typedef bool elf_symbol_visit(void *ctx, const struct elf_symbol *symbol);

/* Call `visit` for the defined symbols of .symtab and .dynsym.  Returns true if there is at least one of these
 * tables and all of them could be read, or `visit` ended the walk; false also if the effort of the source is over. */
bool elf_symbols(struct elf *elf, elf_symbol_visit *visit, void *ctx);

/* Look up symbols by their names.  The result is that of elf_symbols. */
bool elf_lookup(struct elf *elf, struct elf_lookup *lookups, size_t count);

/* Find a section by its name.  Returns false if there is none, or the file has no table of
 * sections. */
bool elf_section(struct elf *elf, const char *name, uint64_t *offset, uint64_t *address, uint64_t *size);

/* Whether the file is linked with shared libraries and imports nothing of this name from them. */
bool elf_lacks_import(struct elf *elf, const char *name);

/* Determine where a file was loaded from one of its mappings; with `executable`, from its code only.
 * *bias is what must be added to addresses in the file, modulo 2^64.  Returns false if the mapping fits no
 * segment. */
bool elf_bias(const struct elf *elf, bool executable, uint64_t mapped_at, uint64_t offset, uint64_t page,
    uint64_t *bias);

/* Read bytes of a segment, by the address that the file states.  Returns false if the file has not all of them. */
bool elf_read(struct elf *elf, uint64_t address, void *to, size_t size);

/* Whether an address range is in a writable segment. */
bool elf_is_writable(const struct elf *elf, uint64_t address, uint64_t size);

/* Whether an address range is written by the loader only: constants that are addresses, or a library's
 * address tables. */
bool elf_is_relocated(const struct elf *elf, uint64_t address);
