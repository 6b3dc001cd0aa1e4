/*
 * elf.h - the parts of a 64-bit ELF file that tell of an OCaml runtime: its segments and its symbols.
 *
 * Only files of this machine's byte order are read: others can't be running here.  Every offset and count
 * comes from the file and is checked before use; a broken section table costs the symbols and nothing else.
 */
#ifndef TARGET_ELF_H
#define TARGET_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "target/source.h"

#define ELF_SEGMENTS_MAX 32
#define ELF_LOOKUPS_MAX 8

/* A loaded segment, as the file claims it. */
struct elf_segment {
	uint64_t offset;
	uint64_t file_size;
	uint64_t address;
	uint64_t mem_size;
	bool readable, writable, executable;
};

struct elf {
	struct source *source;
	bool fixed; /* loaded at its own addresses, not moved */
	unsigned segment_count;
	struct elf_segment segments[ELF_SEGMENTS_MAX];
	uint64_t section_offset;
	unsigned section_count;
};

/* A symbol to look for: `name` is given, the rest is found. */
struct elf_lookup {
	const char *name;
	unsigned count; /* definitions found with different addresses, at most 2; 0: none */
	uint64_t address;
	uint64_t size;
	bool object; /* data, not code */
};

/* Read the headers.  False when it is no ELF program or library of this machine. */
bool elf_open(struct elf *elf, struct source *source);

/*
 * Look up symbols (at most ELF_LOOKUPS_MAX) in .symtab and .dynsym.  True when the file has at least one of
 * the tables and all that it has could be read.
 */
bool elf_lookup(struct elf *elf, struct elf_lookup *lookups, size_t count);

/* Whether an address range lies in the writable memory of the program. */
bool elf_is_writable(const struct elf *elf, uint64_t address, uint64_t size);

#endif
