/*
 * test_foreign.c - programs whose symbols and tables lie: what is read of them spends no more than its effort has.
 */
#include <signal.h>
#include <sys/sysmacros.h>

#include "core/clock.h"
#include "support/made_elf.h"
#include "support/made_stacks.h"
#include "support/test.h"
#include "support/test_target_tree.h"

#define MUCH (UINT64_C(1) << 40)

static bool count_symbol(void *ctx, const struct elf_symbol *symbol)
{
	CHECK_INT(symbol->len, strlen(symbol->name));
	++*(size_t *)ctx;
	return true;
}

/* Whether all symbols of a file were read; *spent is what that took. */
static bool read_symbols(const struct made_elf *e, struct effort effort, size_t *seen, uint64_t *spent)
{
	const uint64_t before = effort.work;
	struct source source;
	struct elf elf;

	*seen = 0;
	source_from_memory(&source, e->bytes, e->size, &effort);
	CHECK(elf_open(&elf, &source));
	bool whole = elf_symbols(&elf, count_symbol, seen);
	CHECK(whole || effort.over != NULL);
	*spent = before - effort.work;
	return whole;
}

/* Ten thousand symbols have names that end in the same megabyte. */
TEST(symbols_share_one_long_name)
{
	enum { SIZE = 1 << 20, COUNT = 10000 };
	char *names = calloc(1, SIZE);
	Elf64_Sym *symbols = made_elf_symbols(COUNT, 1, 64);
	uint64_t spent;
	size_t seen;

	memset(names + 1, 'A', SIZE - 1);
	struct made_elf e = made_elf(names, SIZE, symbols, COUNT, NULL, 0);
	CHECK(read_symbols(&e, (struct effort){.work = MUCH, .memory = MUCH}, &seen, &spent));
	CHECK_INT(seen, 0);
	CHECK(spent < SIZE + COUNT * (ELF_NAME_MAX + 200));
	CHECK(!read_symbols(&e, (struct effort){.work = 4 * SIZE, .memory = MUCH}, &seen, &spent));
	/* Names that are not longer than real ones are seen. */
	memset(names + 1 + ELF_NAME_MAX, 0, SIZE - 1 - ELF_NAME_MAX);
	free(e.bytes);
	e = made_elf(names, SIZE, symbols, COUNT, NULL, 0);
	CHECK(read_symbols(&e, (struct effort){.work = MUCH, .memory = MUCH}, &seen, &spent));
	CHECK_INT(seen, COUNT);
	free(e.bytes);
	free(names);
	free(symbols);
}

/* Read a file's symbols and tables into an object with so much memory.  Whether that was enough. */
static bool load(const struct made_elf *e, uint64_t memory, struct object *object)
{
	struct effort effort = {.work = MUCH, .memory = memory};
	struct source source;
	struct elf elf;

	*object = (struct object){.end = UINT64_MAX};
	source_from_memory(&source, e->bytes, e->size, &effort);
	CHECK(elf_open(&elf, &source));
	object_load(object, &elf, NULL);
	CHECK(effort.over == NULL);
	CHECK_INT(effort.memory + object->memory, memory);
	return !effort.full;
}

/* Each of a hundred thousand symbols has the same name of four thousand bytes. */
TEST(names_take_no_more_memory_than_there_is)
{
	enum { COUNT = 100000 };
	char names[4002] = "";
	Elf64_Sym *symbols = made_elf_symbols(COUNT, 1, 1);
	struct object object;

	memset(names + 1, 'A', 4000);
	struct made_elf e = made_elf(names, sizeof(names), symbols, COUNT, NULL, 0);
	CHECK(!load(&e, 1 << 20, &object));
	CHECK(object.symbol_count > 0 && object.names_size <= 1 << 20);
	CHECK(strlen(symbol_name(&object, &object.symbols[0])) < CODE_NAME_SIZE);
	object_fini(&object);
	CHECK(load(&e, 100 << 20, &object));
	CHECK_INT(object.symbol_count, COUNT);
	object_fini(&object);
	free(e.bytes);
	free(symbols);
}

/* Functions that refer in turn to two entries whose letters do not end. */
TEST(unwinding_tables_read_nothing_again_and_again)
{
	enum { LETTERS = 1 << 20, COUNT = 10000, SIZE = 2 * (LETTERS + 9) + 8 * COUNT };
	uint8_t *bytes = calloc(1, SIZE), *to = bytes;
	struct effort effort = {.work = SIZE + 100 * COUNT, .memory = MUCH};

	for (unsigned k = 0; k < 2; k++) {
		memset(to + 9, 'x', LETTERS);
		to[8] = 1;
		to = made_eh_entry(to, LETTERS + 5, 0);
	}
	for (unsigned k = 0; k < COUNT; k++) {
		const size_t at = (size_t)(to - bytes) + 4;
		to = made_eh_entry(to, 4, (uint32_t)(at - k % 2 * (LETTERS + 9)));
	}
	CHECK(to == bytes + SIZE);
	CHECK(eh_frame_create(bytes, SIZE, 0, &effort) == NULL);
	CHECK(effort.over == NULL && effort.work > SIZE);
}

/* A number of a million bytes is none. */
TEST(unwinding_tables_have_short_numbers)
{
	enum { ROOM = 1 << 20 };
	uint8_t *bytes = calloc(1, ROOM + 100), *to = bytes;
	struct effort effort = {.work = ROOM, .memory = MUCH};

	bytes[8] = 1;
	memset(bytes + 10, 0x80, ROOM);
	to = made_eh_entry(bytes, ROOM, 0);
	for (unsigned k = 0; k < 2; k++)
		to = made_eh_entry(to, 24, (uint32_t)(to - bytes) + 4);
	CHECK(eh_frame_create(bytes, ROOM + 100, 0, &effort) == NULL);
}

/* The functions of a table take memory, and are left out where that ends; what was kept for them is given back. */
TEST(unwinding_tables_take_no_more_memory_than_there_is)
{
	static const uint8_t shared[] = {1, 'z', 'R', 0, 1, 0x78, 16, 1, 0x1b, 0x0c, 7, 8, 0x90, 1, 0, 0};
	enum { COUNT = 10000, SIZE = 24 + 20 * COUNT };
	uint8_t *bytes = calloc(1, SIZE), *to = made_eh_entry(bytes, 20, 0);
	struct object object;

	memcpy(bytes + 8, shared, sizeof(shared));
	for (unsigned k = 0; k < COUNT; k++) {
		const int32_t place[2] = {(int32_t)k * 16, 16};
		memcpy(to + 8, place, sizeof(place));
		to = made_eh_entry(to, 16, (uint32_t)(to - bytes) + 4);
	}
	struct made_elf e = made_elf("", 1, NULL, 0, bytes, SIZE);
	CHECK(!load(&e, SIZE + 10000, &object));
	CHECK(object.unwind == NULL && object.memory == 0);
	object_fini(&object);
	CHECK(load(&e, MUCH, &object));
	CHECK(object.unwind != NULL);
	object_fini(&object);
	free(e.bytes);
	free(bytes);
}

/* A frame table is read whole or not at all. */
TEST(frame_tables_take_no_more_memory_than_there_is)
{
	const struct frametable_place place = {.array = MADE_BASE + MADE_TABLES};
	static struct made_stacks made;
	const struct memory_reader memory = {made_read, &made};
	struct frametable table = {.rows = NULL};
	struct effort effort = {.work = 1 << 20, .memory = 4 * FRAMETABLE_ROW_MEMORY - 1};

	made_stacks_init(&made, NULL, NULL);
	CHECK_INT(frametable_refresh(&table, &memory, &place, &effort), E2BIG);
	CHECK(table.count == 0 && effort.full);
	CHECK_INT(effort.memory, 4 * FRAMETABLE_ROW_MEMORY - 1);
	effort.memory++;
	CHECK_INT(frametable_refresh(&table, &memory, &place, &effort), 0);
	CHECK_INT(table.count, 4);
	CHECK_INT(effort.memory, 0);
	frametable_fini(&table);
	/* A list that leads back to its begin. */
	*made_at(&made, 0xb000) = MADE_BASE + MADE_TABLE;
	*made_at(&made, 0xb008) = MADE_BASE + 0xb000;
	*made_at(&made, 0xb010) = MADE_BASE + 0xb000;
	effort = (struct effort){.work = 1 << 20, .memory = MUCH};
	CHECK_INT(frametable_refresh(
		      &table, &memory, &(struct frametable_place){.list = MADE_BASE + 0xb010}, &effort),
	    E2BIG);
	CHECK(effort.over != NULL);
	made_stacks_fini(&made);
}

/* Addresses in a program's tables are none before its linker has been there, which the number of all frames tells. */
TEST(frame_tables_before_the_program_begins)
{
	const struct frametable_place place = {
	    .array = MADE_BASE + MADE_TABLES, .descrs = MADE_BASE + 0xb000};
	static struct made_stacks made;
	const struct memory_reader memory = {made_read, &made};
	struct frametable table = {.rows = NULL};
	struct effort effort = {.work = 1 << 20, .memory = MUCH};

	made_stacks_init(&made, NULL, NULL);
	const uint64_t there = *made_at(&made, MADE_TABLES);
	for (unsigned i = 0; i < 2; i++) {
		*made_at(&made, MADE_TABLES) = i == 0 ? 0 : 0x1230;
		*made_at(&made, 0xb000) = UINT64_C(0xffffffff00000000);
		CHECK_INT(frametable_refresh(&table, &memory, &place, &effort), EAGAIN);
		*made_at(&made, 0xb000) = UINT64_C(0x700000004);
		CHECK_INT(frametable_refresh(&table, &memory, &place, &effort), i == 0 ? EINVAL : EFAULT);
	}
	*made_at(&made, MADE_TABLES) = there;
	CHECK_INT(frametable_refresh(&table, &memory, &place, &effort), 0);
	frametable_fini(&table);
	made_stacks_fini(&made);
}

/* Work ends, time does, and so does all of it when a signal waits that is to end the program. */
TEST(an_effort_ends)
{
	const uint64_t asked = UINT64_C(2) << 20; /* after so much the clock and signals are asked */
	struct effort effort = {.work = 10, .memory = 10};
	sigset_t term;
	int got;

	CHECK(effort_spend(&effort, 10) && effort.over == NULL);
	CHECK(!effort_spend(&effort, 1) && effort.over != NULL);
	CHECK(!effort_spend(&effort, 0));
	CHECK(effort_keep(&effort, 10) && !effort.full);
	CHECK(!effort_keep(&effort, 1) && effort.full);
	effort_return(&effort, 5);
	CHECK(effort_keep(&effort, 5));
	effort = (struct effort){.work = MUCH, .end = 1};
	CHECK(!effort_spend(&effort, asked));
	/* A thread that waited for a processor has more time, but not for ever. */
	for (uint64_t late = 1; late <= 9; late += 8) {
		effort = effort_for_code();
		CHECK(effort_spend(&effort, asked));
		effort.end = monotonic_now() - late * 1000000000;
		effort.cpu_end = UINT64_MAX;
		CHECK(effort_spend(&effort, asked) == (late == 1));
		effort.cpu_end = 0;
		CHECK(!effort_spend(&effort, asked));
	}
	effort = (struct effort){.work = MUCH};
	CHECK(effort_spend(&effort, asked));
	sigemptyset(&term);
	sigaddset(&term, SIGTERM);
	CHECK_INT(sigprocmask(SIG_BLOCK, &term, NULL), 0);
	CHECK_INT(raise(SIGTERM), 0);
	CHECK(!effort_spend(&effort, asked) && effort.over != NULL);
	CHECK_INT(sigwait(&term, &got), 0);
	CHECK_INT(sigprocmask(SIG_UNBLOCK, &term, NULL), 0);
}

/* A fiber whose stack has nothing but its base, and that is its own parent. */
TEST(a_fiber_that_is_its_own_parent)
{
	static struct made_stacks made;
	static struct code_stack stack;

	made_stacks_init(&made, NULL, NULL);
	*made_at(&made, 0x2700) = MADE_RUNSTACK + 16;
	*made_at(&made, MADE_FIBER + 16) = MADE_BASE + 0x2708 + 32;
	*made_at(&made, 0x2708 + 32 + 24) = MADE_BASE + MADE_FIBER;
	code_walk(made.code, &made.sample, &stack);
	CHECK_INT(stack.end, CODE_ENDLESS);
	CHECK(stack.count >= 1 && stack.frames[0].pc == made.sample.ip);
	code_walk_suspended(made.code, MADE_BASE + MADE_FIBER, &stack);
	CHECK_INT(stack.end, CODE_ENDLESS);
	made_stacks_fini(&made);
}

/* A program file of one segment of code at 0x1000: its build, and a function where `name` is not NULL. */
static struct made_elf made_build(const char *id, const char *name)
{
	static const char titles[] = "\0.note.gnu.build-id\0.symtab";
	Elf64_Ehdr header = {.e_type = ET_DYN,
	    .e_phentsize = sizeof(Elf64_Phdr),
	    .e_phnum = 1,
	    .e_phoff = sizeof(header),
	    .e_shentsize = sizeof(Elf64_Shdr),
	    .e_shnum = 5,
	    .e_shstrndx = 4};
	const Elf64_Phdr segment = {.p_type = PT_LOAD,
	    .p_flags = PF_R | PF_X,
	    .p_vaddr = 0x1000,
	    .p_filesz = 0x1000,
	    .p_memsz = 0x1000};
	const Elf64_Sym symbols[2] = {[1] = {.st_name = 1,
					  .st_info = ELF64_ST_INFO(STB_LOCAL, STT_FUNC),
					  .st_shndx = 1,
					  .st_value = 0x1100,
					  .st_size = 0x40}};
	Elf64_Shdr sections[5] = {[1] = {.sh_type = SHT_NOTE, .sh_name = 1},
	    [2] = {.sh_type = name != NULL ? SHT_SYMTAB : SHT_PROGBITS,
		.sh_name = name != NULL ? 20 : 0,
		.sh_link = 3,
		.sh_entsize = sizeof(Elf64_Sym)},
	    [3] = {.sh_type = SHT_STRTAB},
	    [4] = {.sh_type = SHT_STRTAB, .sh_size = sizeof(titles)}};
	struct {
		uint32_t name_size, size, kind;
		char name[4], id[8];
	} note = {4, 8, 3, "GNU", ""};
	char names[64] = "";
	struct made_elf e = {NULL, 0};

	memcpy(note.id, id, sizeof(note.id));
	memcpy(header.e_ident, ELFMAG, SELFMAG);
	header.e_ident[EI_CLASS] = ELFCLASS64;
	header.e_ident[EI_DATA] = ELFDATA2LSB;
	(void)made_elf_put(&e, &header, sizeof(header));
	(void)made_elf_put(&e, &segment, sizeof(segment));
	sections[1].sh_size = sizeof(note);
	sections[1].sh_offset = made_elf_put(&e, &note, sizeof(note));
	if (name != NULL) {
		strlcpy(names + 1, name, sizeof(names) - 1);
		sections[2].sh_size = sizeof(symbols);
		sections[2].sh_offset = made_elf_put(&e, symbols, sizeof(symbols));
		sections[3].sh_size = sizeof(names);
		sections[3].sh_offset = made_elf_put(&e, names, sizeof(names));
	}
	sections[4].sh_offset = made_elf_put(&e, titles, sizeof(titles));
	header.e_shoff = made_elf_put(&e, sections, sizeof(sections));
	memcpy(e.bytes, &header, sizeof(header));
	return e;
}

/* The name of the program's function, "" where it has none.  `debug`: the file that is installed for it; NULL: none. */
static const char *name_with(const struct made_elf *program, const struct made_elf *debug)
{
	static char name[64];
	struct symbols symbols = {.count = 0};
	struct effort effort = effort_for_code();
	char line[PATH_MAX + 128];
	struct tree tree;
	struct proc proc;
	struct stat st;
	bool changed;

	tree_create(&tree);
	tree_write(tree.base, "prog", program->bytes, program->size);
	tree_process(&tree, 10, tree_path(&tree, "prog"));
	tree_link(&tree, 10, "root", tree.base);
	for (const char *const *dir = (const char *const[]){"usr", "usr/lib", "usr/lib/debug",
		 "usr/lib/debug/.build-id", "usr/lib/debug/.build-id/61", NULL};
	     *dir != NULL; dir++)
		tree_mkdir(tree.base, *dir);
	if (debug != NULL)
		tree_write(
		    tree.base, "usr/lib/debug/.build-id/61/62636465666768.debug", debug->bytes, debug->size);
	CHECK_INT(stat(tree_path(&tree, "prog"), &st), 0);
	snprintf(line, sizeof(line), "501000-502000 r-xp 00000000 %02x:%02x %lu %s\n", major(st.st_dev),
	    minor(st.st_dev), (unsigned long)st.st_ino, tree_path(&tree, "prog"));
	tree_text(&tree, 10, "maps", line);
	CHECK_INT(proc_open(&proc, tree.root, 10), 0);
	CHECK_INT(symbols_refresh(&symbols, &proc, &effort, &changed), 0);
	CHECK(effort.over == NULL && symbols.count == 1);
	const struct symbol *found = object_symbol(symbols.objects[0], 0x501120);
	strlcpy(name, found != NULL ? symbol_name(symbols.objects[0], found) : "", sizeof(name));
	symbols_fini(&symbols);
	proc_close(&proc);
	return name;
}

/* A stripped program has the names of the debug information that is installed for it, and of no other build. */
TEST(names_of_debug_information)
{
	struct made_elf stripped = made_build("abcdefgh", NULL), debug = made_build("abcdefgh", "spin_in_c"),
			other = made_build("abcdefgi", "of_another_build");

	CHECK_STR(name_with(&stripped, NULL), "");
	CHECK_STR(name_with(&stripped, &debug), "spin_in_c");
	CHECK_STR(name_with(&stripped, &other), "");
	/* Its own names are enough. */
	struct made_elf own = made_build("abcdefgh", "its_own");
	CHECK_STR(name_with(&own, &debug), "its_own");
	/* What is installed may be anything. */
	for (size_t size = 0; size < debug.size; size += 7)
		CHECK(name_with(&stripped, &(struct made_elf){debug.bytes, size}) != NULL);
	free(stripped.bytes);
	free(debug.bytes);
	free(other.bytes);
	free(own.bytes);
}
