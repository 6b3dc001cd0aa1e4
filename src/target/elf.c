/*
 * elf.c - read the segments and symbols of an ELF file.
 *
 * A symbol is found in two passes over the file without storing a table.  The first finds the offsets of its
 * name in the string table, also as the suffix of a longer name, since linkers merge those.  The second finds
 * the symbols that refer to these offsets.
 */
#include "target/elf.h"

#include <elf.h>
#include <string.h>

/* Limits above what linkers produce. */
enum { SECTIONS_MAX = 65280, TABLES_MAX = 4, NAME_PLACES_MAX = 8, NAME_SIZE_MAX = 64 };

/* Whether the file is a program or library for this machine. */
static bool right_kind(const Elf64_Ehdr *header)
{
	const uint16_t one = 1;
	unsigned char order = *(const unsigned char *)&one == 1 ? ELFDATA2LSB : ELFDATA2MSB;

	return memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 && header->e_ident[EI_CLASS] == ELFCLASS64 &&
	       header->e_ident[EI_DATA] == order && (header->e_type == ET_EXEC || header->e_type == ET_DYN);
}

/* Store a loaded segment. */
static void keep_segment(struct elf *elf, const Elf64_Phdr *header)
{
	struct elf_segment *segment = &elf->segments[elf->segment_count];

	if (header->p_type == PT_DYNAMIC) {
		elf->dynamic_offset = header->p_offset;
		elf->dynamic_size = header->p_filesz;
	}
	if (header->p_type != PT_LOAD || elf->segment_count == ELF_SEGMENTS_MAX)
		return;
	segment->offset = header->p_offset;
	segment->file_size = header->p_filesz;
	segment->address = header->p_vaddr;
	segment->mem_size = header->p_memsz;
	segment->readable = (header->p_flags & PF_R) != 0;
	segment->writable = (header->p_flags & PF_W) != 0;
	segment->executable = (header->p_flags & PF_X) != 0;
	elf->segment_count++;
}

/* Compute the offset of a table entry.  Returns false on overflow. */
static bool entry_offset(uint64_t table, uint64_t index, uint64_t size, uint64_t *out)
{
	uint64_t offset;

	/* no overflow: index has 16 bits, size 32 */
	offset = index * size;
	if (offset > UINT64_MAX - table)
		return false;
	*out = table + offset;
	return true;
}

/* Read the program headers, some at a time, up to the first that is not in the file. */
static void read_segments(struct elf *elf, uint64_t table, unsigned count)
{
	Elf64_Phdr some[16];
	enum { MOST = sizeof some / sizeof some[0] };
	uint64_t offset;

	for (unsigned i = 0, n; i < count; i += n) {
		n = count - i < MOST ? count - i : MOST;
		if (!entry_offset(table, i, sizeof some[0], &offset))
			return;
		while (n > 0 && !source_read(elf->source, offset, some, n * sizeof some[0]))
			n--;
		if (n == 0)
			return;
		for (unsigned k = 0; k < n; k++)
			keep_segment(elf, &some[k]);
	}
}

bool elf_open(struct elf *elf, struct source *source)
{
	Elf64_Ehdr header;

	memset(elf, 0, sizeof *elf);
	elf->source = source;
	if (!source_read(source, 0, &header, sizeof header) || !right_kind(&header))
		return false;
	elf->fixed = header.e_type == ET_EXEC;
	if (header.e_phentsize == sizeof(Elf64_Phdr))
		read_segments(elf, header.e_phoff, header.e_phnum);
	if (header.e_shentsize == sizeof(Elf64_Shdr) && header.e_shnum < SECTIONS_MAX) {
		elf->section_offset = header.e_shoff;
		elf->section_count = header.e_shnum;
	}
	return true;
}

static bool read_section(struct elf *elf, uint64_t index, Elf64_Shdr *out)
{
	uint64_t offset;

	return index < elf->section_count && entry_offset(elf->section_offset, index, sizeof *out, &offset) &&
	       source_read(elf->source, offset, out, sizeof *out);
}

/* A search in one symbol table. */
struct search {
	struct elf_lookup *lookups;
	size_t count;
	uint64_t strings; /* file offset of the string table */
	uint64_t places[ELF_LOOKUPS_MAX][NAME_PLACES_MAX];
	unsigned place_count[ELF_LOOKUPS_MAX];
	uint64_t table; /* file offset of the symbol table */
};

/* Record an offset of a name in the string table. */
static void note_place(struct search *search, size_t which, uint64_t place)
{
	unsigned *n = &search->place_count[which];

	for (unsigned i = 0; i < *n; i++)
		if (search->places[which][i] == place)
			return;
	if (*n < NAME_PLACES_MAX)
		search->places[which][(*n)++] = place;
}

/* Find the names in a window of the string table. */
static bool see_strings(void *ctx, uint64_t offset, const uint8_t *data, size_t len)
{
	struct search *search = ctx;

	for (size_t i = 0; i < search->count; i++) {
		const char *name = search->lookups[i].name;
		size_t size = strlen(name) + 1; /* with the NUL */
		const uint8_t *p = data, *end = data + len;

		while ((p = memmem(p, (size_t)(end - p), name, size)) != NULL) {
			note_place(search, i, offset + (uint64_t)(p - data) - search->strings);
			p++;
		}
	}
	return true;
}

/* Record a definition of a symbol. */
static void note_symbol(struct elf_lookup *lookup, const Elf64_Sym *symbol)
{
	bool object = ELF64_ST_TYPE(symbol->st_info) == STT_OBJECT;

	if (symbol->st_shndx == SHN_UNDEF)
		return;
	if (lookup->count == 0) {
		lookup->count = 1;
		lookup->address = symbol->st_value;
		lookup->size = symbol->st_size;
		lookup->object = object;
	} else if (lookup->address != symbol->st_value) {
		lookup->count = 2;
	}
}

/* Find symbols in a window of the symbol table. */
static bool see_symbols(void *ctx, uint64_t offset, const uint8_t *data, size_t len)
{
	struct search *search = ctx;
	size_t at = (size_t)((offset - search->table) % sizeof(Elf64_Sym));

	at = at == 0 ? 0 : sizeof(Elf64_Sym) - at;
	for (; at + sizeof(Elf64_Sym) <= len; at += sizeof(Elf64_Sym)) {
		Elf64_Sym symbol;

		memcpy(&symbol, data + at, sizeof symbol);
		for (size_t i = 0; i < search->count; i++)
			for (unsigned k = 0; k < search->place_count[i]; k++)
				if (search->places[i][k] == symbol.st_name)
					note_symbol(&search->lookups[i], &symbol);
	}
	return true;
}

/* Search one symbol table and its string table. */
static bool look_through(struct elf *elf, const Elf64_Shdr *table, struct elf_lookup *lookups, size_t count)
{
	struct search search = {.lookups = lookups, .count = count, .table = table->sh_offset};
	Elf64_Shdr strings;

	if (table->sh_entsize != sizeof(Elf64_Sym) || !read_section(elf, table->sh_link, &strings) ||
	    strings.sh_type != SHT_STRTAB)
		return false;
	search.strings = strings.sh_offset;
	return source_scan(
		   elf->source, strings.sh_offset, strings.sh_size, NAME_SIZE_MAX, see_strings, &search) &&
	       source_scan(elf->source, table->sh_offset, table->sh_size, sizeof(Elf64_Sym) - 1, see_symbols,
		   &search);
}

bool elf_lookup(struct elf *elf, struct elf_lookup *lookups, size_t count)
{
	unsigned tables = 0;
	bool whole = true;

	if (count > ELF_LOOKUPS_MAX)
		return false;
	for (unsigned i = 0; i < elf->section_count && tables < TABLES_MAX; i++) {
		Elf64_Shdr section;

		if (!read_section(elf, i, &section)) {
			whole = false;
			break;
		}
		if (section.sh_type != SHT_SYMTAB && section.sh_type != SHT_DYNSYM)
			continue;
		tables++;
		whole = look_through(elf, &section, lookups, count) && whole;
	}
	return whole && tables > 0;
}

bool elf_is_writable(const struct elf *elf, uint64_t address, uint64_t size)
{
	for (unsigned i = 0; i < elf->segment_count; i++) {
		const struct elf_segment *segment = &elf->segments[i];

		if (segment->writable && address >= segment->address &&
		    address - segment->address <= segment->mem_size &&
		    size <= segment->mem_size - (address - segment->address))
			return true;
	}
	return false;
}

/* The string table of the dynamic linker. */
struct dynamic {
	uint64_t strings, size; /* its address and size */
	unsigned needed;	/* libraries */
};

/* Read the dynamic section.  Returns false if it has no end. */
static bool read_dynamic(struct elf *elf, struct dynamic *out)
{
	Elf64_Dyn some[64];
	uint64_t left = elf->dynamic_size / sizeof some[0], offset = elf->dynamic_offset;

	*out = (struct dynamic){0};
	while (left > 0) {
		size_t n = left < sizeof some / sizeof some[0] ? (size_t)left : sizeof some / sizeof some[0];
		if (!source_read(elf->source, offset, some, n * sizeof some[0]))
			return false;
		for (size_t i = 0; i < n; i++) {
			if (some[i].d_tag == DT_NULL)
				return true;
			if (some[i].d_tag == DT_STRTAB)
				out->strings = some[i].d_un.d_ptr;
			else if (some[i].d_tag == DT_STRSZ)
				out->size = some[i].d_un.d_val;
			else if (some[i].d_tag == DT_NEEDED)
				out->needed++;
		}
		left -= n;
		offset += n * sizeof some[0];
	}
	return false;
}

/* The offset in the file of an address, if so many bytes from there on are in it. */
static bool offset_of(const struct elf *elf, uint64_t address, uint64_t size, uint64_t *out)
{
	for (unsigned i = 0; i < elf->segment_count; i++) {
		const struct elf_segment *segment = &elf->segments[i];
		uint64_t at = address - segment->address;

		if (address >= segment->address && at <= segment->file_size &&
		    size <= segment->file_size - at && segment->offset <= UINT64_MAX - at) {
			*out = segment->offset + at;
			return true;
		}
	}
	return false;
}

struct name_search {
	const char *name;
	bool found;
};

static bool see_name(void *ctx, uint64_t offset, const uint8_t *data, size_t len)
{
	struct name_search *search = ctx;

	(void)offset;
	/* With its NUL; it may be the end of a longer one, since linkers merge those. */
	search->found = memmem(data, len, search->name, strlen(search->name) + 1) != NULL;
	return !search->found;
}

bool elf_lacks_import(struct elf *elf, const char *name)
{
	struct name_search search = {.name = name};
	struct dynamic dynamic;
	uint64_t offset;

	return read_dynamic(elf, &dynamic) && dynamic.needed > 0 && dynamic.size > 0 &&
	       offset_of(elf, dynamic.strings, dynamic.size, &offset) &&
	       source_scan(elf->source, offset, dynamic.size, NAME_SIZE_MAX, see_name, &search) &&
	       !search.found;
}
