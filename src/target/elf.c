/*
 * elf.c - read the segments and symbols of an ELF file.
 *
 * Symbols refer to their names in no order, so all names are read first.
 */
#include "target/elf.h"

#include <elf.h>

/* Limits above what linkers produce. */
enum { SECTIONS_MAX = 65280, TABLES_MAX = 4, NAME_SIZE_MAX = 64, SYMBOL_WORK = 32 };

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
	if (header->p_type == PT_GNU_RELRO) {
		elf->relro_address = header->p_vaddr;
		elf->relro_size = header->p_memsz;
	}
	if (header->p_type != PT_LOAD || elf->segment_count == ELF_SEGMENTS_MAX)
		return;
	segment->offset = header->p_offset;
	segment->file_size = header->p_filesz;
	segment->address = header->p_vaddr;
	segment->mem_size = header->p_memsz;
	segment->writable = (header->p_flags & PF_W) != 0;
	segment->executable = (header->p_flags & PF_X) != 0;
	elf->segment_count++;
}

/* Compute the offset of a table entry.  Returns false on overflow. */
static bool entry_offset(uint64_t table, uint64_t index, uint64_t size, uint64_t *out)
{
	/* no overflow: index has 16 bits, size 32 */
	uint64_t offset = index * size;
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
		elf->section_names = header.e_shstrndx;
	}
	return true;
}

static bool read_section(struct elf *elf, uint64_t index, Elf64_Shdr *out)
{
	uint64_t offset;

	_Static_assert(sizeof elf->headers == ELF_HEADERS * sizeof *out, "room for whole headers");
	if (index >= elf->section_count)
		return false;
	if (index < elf->first_kept || index - elf->first_kept >= elf->kept) {
		const uint64_t left = elf->section_count - index;
		unsigned n = left < ELF_HEADERS ? (unsigned)left : ELF_HEADERS;
		elf->kept = 0;
		if (!entry_offset(elf->section_offset, index, sizeof *out, &offset))
			return false;
		while (n > 0 && !source_read(elf->source, offset, elf->headers, n * sizeof *out))
			n--;
		elf->first_kept = (unsigned)index;
		elf->kept = n;
		if (n == 0)
			return false;
	}
	memcpy(out, elf->headers + (index - elf->first_kept) * sizeof *out, sizeof *out);
	return true;
}

bool elf_section(struct elf *elf, const char *name, uint64_t *offset, uint64_t *address, uint64_t *size)
{
	size_t len = strlen(name) + 1; /* with the NUL */
	char found[NAME_SIZE_MAX];
	Elf64_Shdr names, section;

	if (len > sizeof found || !read_section(elf, elf->section_names, &names))
		return false;
	for (unsigned i = 0; i < elf->section_count && read_section(elf, i, &section); i++) {
		if (section.sh_type == SHT_NOBITS || section.sh_name >= names.sh_size ||
		    names.sh_offset > UINT64_MAX - section.sh_name ||
		    !source_read(elf->source, names.sh_offset + section.sh_name, found, len) ||
		    memcmp(found, name, len) != 0)
			continue;
		*offset = section.sh_offset;
		*address = section.sh_addr;
		*size = section.sh_size;
		return true;
	}
	return false;
}

/* A symbol table on its way to a visitor. */
struct walk {
	struct effort *effort;
	const char *strings; /* with a NUL after the last byte */
	size_t size;
	uint64_t table; /* file offset of the symbol table */
	elf_symbol_visit *visit;
	void *ctx;
	bool ended; /* the visitor wants no more */
};

/* Show the defined symbols in a window of the symbol table. */
static bool see_symbols(void *ctx, uint64_t offset, const uint8_t *data, size_t len)
{
	struct walk *walk = ctx;
	size_t at = (size_t)((offset - walk->table) % sizeof(Elf64_Sym));

	at = at == 0 ? 0 : sizeof(Elf64_Sym) - at;
	for (; at + sizeof(Elf64_Sym) <= len && !walk->ended; at += sizeof(Elf64_Sym)) {
		Elf64_Sym symbol;

		memcpy(&symbol, data + at, sizeof symbol);
		if (symbol.st_shndx == SHN_UNDEF || symbol.st_name == 0 || symbol.st_name >= walk->size)
			continue;
		const char *name = walk->strings + symbol.st_name;
		/* Charge the length, too: any number of symbols may share the end of one long name. */
		size_t len_of_name = strnlen(name, ELF_NAME_MAX + 1);
		if (!effort_spend(walk->effort, SYMBOL_WORK + len_of_name))
			return false;
		if (len_of_name > ELF_NAME_MAX)
			continue;
		walk->ended =
		    !walk->visit(walk->ctx, &(struct elf_symbol){.name = name,
						.len = len_of_name,
						.address = symbol.st_value,
						.size = symbol.st_size,
						.object = ELF64_ST_TYPE(symbol.st_info) == STT_OBJECT,
						.code = ELF64_ST_TYPE(symbol.st_info) == STT_FUNC,
						.absolute = symbol.st_shndx == SHN_ABS});
	}
	return !walk->ended;
}

/* Show the symbols of one table. */
static bool look_through(struct elf *elf, const Elf64_Shdr *table, struct walk *walk)
{
	Elf64_Shdr strings;

	if (table->sh_entsize != sizeof(Elf64_Sym) || !read_section(elf, table->sh_link, &strings) ||
	    strings.sh_type != SHT_STRTAB || strings.sh_size > elf->source->size ||
	    !effort_keep(walk->effort, strings.sh_size))
		return false;
	char *text = malloc(strings.sh_size + 1);
	if (text == NULL)
		return false;
	text[strings.sh_size] = '\0';
	walk->strings = text;
	walk->size = strings.sh_size;
	walk->table = table->sh_offset;
	bool whole = source_read(elf->source, strings.sh_offset, text, walk->size) &&
		     source_scan(elf->source, table->sh_offset, table->sh_size, sizeof(Elf64_Sym) - 1,
			 see_symbols, walk) &&
		     walk->effort->over == NULL;
	free(text);
	effort_return(walk->effort, strings.sh_size);
	return whole;
}

bool elf_symbols(struct elf *elf, elf_symbol_visit *visit, void *ctx)
{
	struct walk walk = {.effort = elf->source->effort, .visit = visit, .ctx = ctx};
	unsigned tables = 0;
	bool whole = true;

	for (unsigned i = 0; i < elf->section_count && tables < TABLES_MAX && !walk.ended; i++) {
		Elf64_Shdr section;

		if (!read_section(elf, i, &section)) {
			whole = false;
			break;
		}
		if (section.sh_type != SHT_SYMTAB && section.sh_type != SHT_DYNSYM)
			continue;
		tables++;
		whole = look_through(elf, &section, &walk) && whole;
	}
	return whole && tables > 0;
}

struct lookups {
	struct elf_lookup *of;
	size_t count;
};

/* Record a definition of a symbol. */
static bool see_definition(void *ctx, const struct elf_symbol *symbol)
{
	const struct lookups *lookups = ctx;

	for (size_t i = 0; i < lookups->count; i++) {
		struct elf_lookup *lookup = &lookups->of[i];

		/* Compare lengths first: most of the many symbols in a file differ in length. */
		if (lookup->len != symbol->len || memcmp(lookup->name, symbol->name, symbol->len) != 0)
			continue;
		if (lookup->count == 0) {
			lookup->count = 1;
			lookup->address = symbol->address;
			lookup->size = symbol->size;
			lookup->object = symbol->object;
		} else if (lookup->address != symbol->address) {
			lookup->count = 2;
		}
	}
	return true;
}

bool elf_lookup(struct elf *elf, struct elf_lookup *lookups, size_t count)
{
	for (size_t i = 0; i < count; i++)
		lookups[i].len = strlen(lookups[i].name);
	return elf_symbols(elf, see_definition, &(struct lookups){lookups, count});
}

bool elf_bias(const struct elf *elf, bool executable, uint64_t mapped_at, uint64_t offset, uint64_t page,
    uint64_t *bias)
{
	for (unsigned i = 0; i < elf->segment_count; i++) {
		const struct elf_segment *segment = &elf->segments[i];
		uint64_t skew = segment->offset % page;

		if ((executable && !segment->executable) || segment->offset - skew != offset)
			continue;
		*bias = mapped_at - (segment->address - skew);
		return true;
	}
	return false;
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

bool elf_is_relocated(const struct elf *elf, uint64_t address)
{
	return address - elf->relro_address < elf->relro_size;
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

/* Translate an address to an offset in the file.  Returns false unless the file has `size` bytes from there
 * on. */
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

bool elf_read(struct elf *elf, uint64_t address, void *to, size_t size)
{
	uint64_t offset;

	return offset_of(elf, address, size, &offset) && source_read(elf->source, offset, to, size);
}

struct name_search {
	const char *name;
	bool found;
};

static bool see_name(void *ctx, uint64_t offset, const uint8_t *data, size_t len)
{
	struct name_search *search = ctx;

	/* The NUL is part of the search.  A match may be the end of a longer name, since linkers merge
	 * those. */
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
