/*
 * test_target_image.c - program files: windows of a source, ELF headers and symbols, traces of an OCaml
 * runtime.
 */
#include "target/elf.h"
#include "target/image.h"
#include "support/test_target_tree.h"

#define PLENTY (&(struct effort){.work = UINT64_C(1) << 30, .memory = UINT64_C(1) << 20})

static struct image_maker maker;

/* Look at the image as it stands. */
static struct image look(enum image_depth depth)
{
	struct source source;
	struct image image;

	source_from_memory(&source, maker.file, maker.file_size, PLENTY);
	image_read(&image, &source, depth);
	return image;
}

struct coverage {
	uint64_t next; /* the first byte not yet seen */
	size_t overlap;
	const uint8_t *data;
};

/* Check that windows follow each other and show the bytes they say. */
static bool see_window(void *ctx, uint64_t offset, const uint8_t *data, size_t len)
{
	struct coverage *coverage = ctx;

	CHECK(offset <= coverage->next && offset + len > coverage->next);
	CHECK(coverage->next - offset <= coverage->overlap);
	CHECK(memcmp(data, coverage->data + offset, len) == 0);
	coverage->next = offset + len;
	return true;
}

TEST(test_windows)
{
	static uint8_t bytes[3 * SOURCE_WINDOW + 77];
	static const size_t overlaps[] = {0, 1, 23, 256};
	struct source source;

	for (size_t i = 0; i < sizeof bytes; i++)
		bytes[i] = (uint8_t)(i * 7 + i / 251);
	for (size_t i = 0; i < sizeof overlaps / sizeof overlaps[0]; i++) {
		struct coverage coverage = {.next = 5, .overlap = overlaps[i], .data = bytes};

		source_from_memory(&source, bytes, sizeof bytes, PLENTY);
		CHECK(source_scan(&source, 5, sizeof bytes - 9, overlaps[i], see_window, &coverage));
		CHECK_INT(coverage.next, sizeof bytes - 4);
		coverage.next = 5;
		/* Cut at the end of the file, and told so. */
		CHECK(!source_scan(&source, 5, UINT64_MAX - 5, overlaps[i], see_window, &coverage));
		CHECK_INT(coverage.next, sizeof bytes);
	}
}

TEST(test_source_bounds)
{
	uint8_t bytes[100] = {0}, buf[100];
	struct coverage coverage = {.data = bytes};
	struct source source;

	struct effort effort = {.work = 150};
	source_from_memory(&source, bytes, sizeof bytes, &effort);
	CHECK(source_read(&source, 0, buf, 100));
	CHECK(!source_read(&source, 1, buf, 100));
	CHECK(!source_read(&source, UINT64_MAX, buf, 1));
	CHECK(!source_read(&source, UINT64_MAX - 50, buf, 100));
	CHECK(effort.over == NULL);
	CHECK(source_read(&source, 50, buf, 50));
	CHECK(!source_read(&source, 0, buf, 1)); /* the effort is used up */
	CHECK(effort.over != NULL);
	CHECK(!source_scan(&source, 0, 10, 0, see_window, &coverage));
	CHECK(!source_scan(&source, 101, 10, 0, see_window, &coverage));
	CHECK(source_scan(&source, 100, 0, 0, see_window, &coverage));
}

/* A file that is cut while it is open gives failed reads. */
TEST(test_truncated_while_open)
{
	FILE *file = tmpfile();
	uint8_t buf[100] = {1};
	struct effort effort = *PLENTY; /* the source keeps its address */
	struct source source;

	CHECK(file != NULL && fwrite(buf, 1, sizeof buf, file) == sizeof buf && fflush(file) == 0);
	int fd = fileno(file);
	CHECK(source_from_fd(&source, &fd, &effort));
	CHECK_INT(source.size, 100);
	CHECK(source_read(&source, 0, buf, 100));
	CHECK_INT(ftruncate(fileno(file), 60), 0);
	CHECK(!source_read(&source, 0, buf, 100));
	CHECK(source_read(&source, 0, buf, 60));
	fclose(file);
}

TEST(test_release)
{
	struct image image;

	image_begin(&maker);
	image_runtime(&maker);
	image_word(&maker, 0);
	image_release(&maker, 5, 3, 0);
	image_string(&maker, "5.3.0");
	image_finish(&maker, ET_DYN, PF_R);
	image = look(IMAGE_QUICK);
	CHECK(image.elf && image.whole);
	CHECK_STR(image.sys, "5.3.0");
	CHECK(image.sys_release);
	CHECK_INT(image.literals, IMAGE_EVENTS_DIR | IMAGE_RING_FILE);
	CHECK_STR(image.runtime, "");
	CHECK_INT(image.trailer, 0);
}

/* Blocks are aligned in memory, which the file need not show. */
TEST(test_alignment)
{
	for (uint64_t skew = 0; skew < 16; skew++) {
		struct image image;

		image_begin(&maker);
		maker.data_skew = maker.data_size = skew;
		image_runtime(&maker);
		image_release(&maker, 5, 3, 0);
		image_string(&maker, "5.3.0");
		image_finish(&maker, ET_DYN, PF_R);
		image = look(IMAGE_QUICK);
		CHECK(image.sys_release);
	}
}

/* Whether a string stands as Sys.ocaml_version, with its record. */
static bool taken(unsigned minor, unsigned patch, const char *text)
{
	struct image image;

	image_begin(&maker);
	image_runtime(&maker);
	image_release(&maker, 5, minor, patch);
	image_string(&maker, text);
	image_finish(&maker, ET_EXEC, PF_R);
	image = look(IMAGE_QUICK);
	CHECK(image.sys[0] == '\0' || strcmp(image.sys, text) == 0);
	return image.sys_release;
}

TEST(test_version_texts)
{
	CHECK(taken(2, 0, "5.2.0+ox"));
	CHECK(taken(4, 0, "5.4.0~beta1"));
	CHECK(taken(5, 0, "5.5.0+dev0-2025-04-28"));
	CHECK(taken(10, 12, "5.10.12"));
	CHECK(!taken(3, 0, "5.3.1")); /* the record says otherwise */
	CHECK(!taken(3, 0, "5.3"));
	CHECK(!taken(3, 0, "5.3.0 "));
	CHECK(!taken(3, 0, "5.3.0x"));
	CHECK(!taken(3, 0, "5.3.0+\x1b[2J"));
	CHECK(!taken(3, 0, "4.3.0"));
	CHECK(!taken(3, 0, ""));
	CHECK(!taken(3, 0, "5.3.0+1234567890123456789012345678901234567890123456789012345678901234567890"));
	CHECK(image_is_version("5.0.0", 5));
	CHECK(!image_is_version("5.0.0", 4));
}

/* Things that look like the block of Sys.ocaml_version and are not. */
TEST(test_decoys)
{
	struct image image;
	size_t at;

	image_begin(&maker);
	image_runtime(&maker);
	/* As C has strings: bytes without a header. */
	image_word(&maker, 0x0000302e332e35);
	/* The right header, the wrong padding. */
	at = maker.data_size;
	image_string(&maker, "5.3.0");
	maker.data[at + 15] = 1;
	at = maker.data_size;
	image_string(&maker, "5.3.0");
	maker.data[at + 14] = 'x';
	at = maker.data_size;
	image_string(&maker, "5.3.0");
	maker.data[at + 15] = 0xff;
	/* Padding longer than a word. */
	at = maker.data_size;
	image_string(&maker, "5.3.0+padded");
	memset(maker.data + at + 8 + 5, 0, 11);
	maker.data[at + 8 + 15] = 10;
	/* Another colour; another tag; sizes past the end and beyond reason. */
	at = maker.data_size;
	image_string(&maker, "5.3.0");
	maker.data[at + 1] = 0x05;
	at = maker.data_size;
	image_string(&maker, "5.3.0");
	maker.data[at] = 0xfb;
	image_word(&maker, UINT64_C(0xffffffffff) << 10 | 0x3fc);
	image_word(&maker, 200 << 10 | 0x3fc);
	image_word(&maker, 0x3fc);
	/* Not aligned. */
	memcpy(maker.data + maker.data_size + 4,
	    "\xfc\x07\0\0\0\0\0\0"
	    "5.3.0\0\0\2",
	    16);
	maker.data_size += 24;
	/* A string that goes past the end of the data. */
	image_word(&maker, 2 << 10 | 0x3fc);
	image_word(&maker, 0x0200302e332e35);
	image_finish(&maker, ET_EXEC, PF_R);
	image = look(IMAGE_FULL);
	CHECK_STR(image.sys, "");
}

/* Without the record before it a version may be any string; with it, it wins over all others. */
TEST(test_ambiguous)
{
	struct image image;

	image_begin(&maker);
	image_runtime(&maker);
	image_string(&maker, "5.1.0");
	image_string(&maker, "5.1.0");
	image_finish(&maker, ET_EXEC, PF_R);
	image = look(IMAGE_FULL);
	CHECK_STR(image.sys, "5.1.0");
	CHECK(!image.sys_release && !image.sys_ambiguous);
	image_string(&maker, "5.2.0");
	image_finish(&maker, ET_EXEC, PF_R);
	image = look(IMAGE_FULL);
	CHECK(!image.sys_release && image.sys_ambiguous);

	/* The one with its record wins over all before it. */
	image_release(&maker, 5, 0, 1);
	image_string(&maker, "5.0.1");
	image_string(&maker, "5.4.0");
	image_finish(&maker, ET_EXEC, PF_R);
	image = look(IMAGE_FULL);
	CHECK_STR(image.sys, "5.0.1");
	CHECK(image.sys_release);
}

/* The block is found wherever it stands in the windows of the scan. */
TEST(test_window_borders)
{
	for (size_t words = SOURCE_WINDOW / 8 - 60; words < SOURCE_WINDOW / 8 + 60; words++) {
		struct image image;

		image_begin(&maker);
		image_runtime(&maker);
		for (size_t i = 0; i < words; i++)
			image_word(&maker, 0xfc);
		image_release(&maker, 5, 2, 0);
		image_string(&maker, "5.2.0+a-rather-long-suffix-of-a-version");
		image_finish(&maker, ET_EXEC, PF_R);
		image = look(IMAGE_QUICK);
		CHECK(image.sys_release);
	}
	for (size_t bytes = SOURCE_WINDOW - 100; bytes < SOURCE_WINDOW + 10; bytes++) {
		struct image image;

		image_begin(&maker);
		memset(maker.constants, 'x', bytes);
		maker.constants_size = bytes;
		image_literal(&maker, "The OCaml runtime", ", version 5.3.0\n");
		image_runtime(&maker);
		image_finish(&maker, ET_EXEC, PF_R);
		image = look(IMAGE_QUICK);
		CHECK_STR(image.runtime, "5.3.0");
		CHECK_INT(image.literals, IMAGE_EVENTS_DIR | IMAGE_RING_FILE);
	}
}

TEST(test_literals)
{
	struct image image;

	image_begin(&maker);
	image_literal(&maker, "OCAML_RUNTIME_EVENTS", "_DIR");
	image_literal(&maker, "Runtime_events.User.register: maximum length for", " event name exceeded");
	image_literal(&maker, "Gc.Memprof", ".start: not implemented in multicore");
	/* Without a version, and of an older OCaml. */
	image_literal(&maker, "The OCaml runtime", ", version ");
	image_literal(&maker, "The OCaml runtime", ", version 4.14.1\n");
	image_finish(&maker, ET_EXEC, PF_R);
	image = look(IMAGE_QUICK);
	CHECK_INT(image.literals, IMAGE_EVENTS_DIR | IMAGE_EVENT_NAME | IMAGE_MEMPROF_5_2);
	CHECK_STR(image.runtime, "");

	/* Without the first string a quick look ends, a full one goes on. */
	image_begin(&maker);
	image_literal(&maker, "Gc.Memprof", ".stop: no profile running.");
	image_literal(&maker, "OCAMLRUNPARAM: max_domains", "(d) must be at least 1");
	image_literal(&maker, "OCAML_RUNTIME_EVENTS", "_PERF_COUNTERS");
	image_release(&maker, 5, 3, 0);
	image_string(&maker, "5.3.0");
	image_finish(&maker, ET_EXEC, PF_R);
	image = look(IMAGE_QUICK);
	CHECK_INT(image.literals, 0);
	CHECK_STR(image.sys, "");
	image = look(IMAGE_FULL);
	CHECK_INT(image.literals, IMAGE_MEMPROF | IMAGE_MAX_DOMAINS | IMAGE_OXCAML);
	CHECK_STR(image.sys, "5.3.0");

	/* Constants in a segment with code. */
	image_finish(&maker, ET_EXEC, PF_R | PF_X);
	image = look(IMAGE_FULL);
	CHECK_INT(image.literals, IMAGE_MEMPROF | IMAGE_MAX_DOMAINS | IMAGE_OXCAML);
	image_runtime(&maker);
	image_finish(&maker, ET_EXEC, PF_R | PF_X);
	image = look(IMAGE_QUICK);
	CHECK(image.whole && (image.literals & IMAGE_RING_FILE) != 0);

	/* Of a file that was cut, what is missing means nothing. */
	maker.file_size -= 8;
	image = look(IMAGE_QUICK);
	CHECK(!image.whole);
}

TEST(test_trailer)
{
	struct source source;
	char file[40] = "#!/usr/bin/ocamlrun\nxxxx";

	memcpy(file + 24, "\0\0\0\7Caml1999X035", 16);
	source_from_memory(&source, file, sizeof file, PLENTY);
	CHECK_INT(image_trailer(&source), 35);
	source_from_memory(&source, file + 24, 16, PLENTY);
	CHECK_INT(image_trailer(&source), 35);
	source_from_memory(&source, file + 25, 15, PLENTY);
	CHECK_INT(image_trailer(&source), 0);
	file[37] = 'x';
	source_from_memory(&source, file, sizeof file, PLENTY);
	CHECK_INT(image_trailer(&source), 0);

	/* At the end of a program that carries its bytecode. */
	image_begin(&maker);
	image_runtime(&maker);
	image_finish(&maker, ET_EXEC, PF_R);
	memcpy(maker.file + maker.file_size, "\0\0\0\5Caml1999X034", 16);
	maker.file_size += 16;
	CHECK_INT(look(IMAGE_QUICK).trailer, 34);
}

/* Look up the two variables and one that is not there. */
static bool look_up(struct elf_lookup lookups[3])
{
	struct source source;
	struct elf elf;

	memset(lookups, 0, 3 * sizeof lookups[0]);
	lookups[0].name = "runtime_events_enabled";
	lookups[1].name = "runtime_events_paused";
	lookups[2].name = "events_paused_no";
	source_from_memory(&source, maker.file, maker.file_size, PLENTY);
	return elf_open(&elf, &source) && elf_lookup(&elf, lookups, 3);
}

TEST(test_symbols)
{
	struct elf_lookup found[3];
	struct source source;
	struct image image;
	struct elf elf;

	image_begin(&maker);
	image_word(&maker, 0);
	image_word(&maker, 0);
	image_symbol(&maker, "xx_runtime_events_enabled", 100, 8, STT_OBJECT); /* the end of a longer name */
	image_symbol(&maker, "runtime_events_paused", 0, 8, STT_OBJECT);
	image_symbol(&maker, "runtime_events_paused_not", 64, 8, STT_OBJECT);
	image_symbol(&maker, "runtime_events_enabled", 8, 8, STT_OBJECT);
	image_finish(&maker, ET_DYN, PF_R);
	CHECK(look_up(found));
	CHECK_INT(found[0].count, 1);
	CHECK_INT(found[0].address, maker.data_offset + IMAGE_BASE + 8);
	CHECK(found[0].object && found[0].size == 8);
	CHECK_INT(found[1].count, 1);
	CHECK_INT(found[1].address, maker.data_offset + IMAGE_BASE);
	CHECK_INT(found[2].count, 0);

	source_from_memory(&source, maker.file, maker.file_size, PLENTY);
	CHECK(elf_open(&elf, &source));
	CHECK(elf_is_writable(&elf, found[0].address, 8));
	CHECK(elf_is_writable(&elf, maker.data_offset + IMAGE_BASE + 72, 8)); /* past the file, in memory */
	CHECK(!elf_is_writable(&elf, maker.data_offset + IMAGE_BASE + 73, 8));
	CHECK(!elf_is_writable(&elf, IMAGE_BASE, 8));
	CHECK(!elf_is_writable(&elf, UINT64_MAX - 3, 8));

	/* A second name for the same thing does no harm; a second thing makes it doubtful. */
	image_begin(&maker);
	image_symbol(&maker, "runtime_events_paused", 0, 8, STT_OBJECT);
	image_symbol(&maker, "runtime_events_paused", 0, 8, STT_OBJECT);
	image_symbol(&maker, "runtime_events_enabled", 8, 8, STT_OBJECT);
	image_symbol(&maker, "runtime_events_enabled", 16, 8, STT_OBJECT);
	image_finish(&maker, ET_DYN, PF_R);
	CHECK(look_up(found));
	CHECK_INT(found[0].count, 2);
	CHECK_INT(found[1].count, 1);

	image_begin(&maker);
	image_symbol(&maker, "caml_ev_lifecycle", 0, 0, STT_FUNC);
	image_symbol(&maker, "caml_runtime_events_user_write", 0, 0, STT_FUNC);
	image_finish(&maker, ET_DYN, PF_R);
	image = look(IMAGE_QUICK);
	source_from_memory(&source, maker.file, maker.file_size, PLENTY);
	image_read_symbols(&image, &source);
	CHECK_INT(image.symbols, IMAGE_SYMBOLS | IMAGE_SYMBOL_WRITE);
}

/* A table of many windows, and one whose entries are of another size. */
TEST(test_many_symbols)
{
	struct elf_lookup found[3];
	Elf64_Ehdr header;

	for (size_t place = 2710; place < 2750; place++) {
		image_begin(&maker);
		maker.symbol_count = place;
		image_symbol(&maker, "runtime_events_paused", 16, 8, STT_OBJECT);
		maker.symbol_count = 4095;
		image_symbol(&maker, "runtime_events_enabled", 8, 8, STT_OBJECT);
		image_finish(&maker, ET_DYN, PF_R);
		CHECK(look_up(found));
		CHECK(found[0].count == 1 && found[0].address == maker.data_offset + IMAGE_BASE + 8);
		CHECK(found[1].count == 1 && found[1].address == maker.data_offset + IMAGE_BASE + 16);
	}
	/* The very first, too, though linkers leave it empty. */
	maker.symbol_count = 0;
	image_symbol(&maker, "runtime_events_paused", 16, 8, STT_OBJECT);
	maker.symbol_count = 4096;
	image_finish(&maker, ET_DYN, PF_R);
	CHECK(look_up(found));
	CHECK_INT(found[1].count, 2);

	memcpy(&header, maker.file, sizeof header);
	header.e_shentsize++;
	memcpy(maker.file, &header, sizeof header);
	CHECK(!look_up(found));
	CHECK_INT(found[0].count, 0);
}

/* Every field of the headers set to extremes, one after the other: nothing is read outside. */
TEST(test_broken_headers)
{
	static const uint64_t extremes[] = {
	    0, 1, 0x7fffffffffffffff, UINT64_MAX, UINT64_MAX - 63, 0x8000, 63};
	struct elf_lookup found[3];
	size_t tables;
	uint64_t word;

	image_begin(&maker);
	image_runtime(&maker);
	image_word(&maker, 0);
	image_word(&maker, 0);
	image_symbol(&maker, "runtime_events_paused", 0, 8, STT_OBJECT);
	image_symbol(&maker, "runtime_events_enabled", 8, 8, STT_OBJECT);
	image_finish(&maker, ET_DYN, PF_R);
	tables = maker.file_size - 3 * sizeof(Elf64_Shdr);
	for (size_t at = 16; at + 8 <= maker.file_size; at += at == 176 ? tables - 176 : 2) {
		for (size_t i = 0; i < sizeof extremes / sizeof extremes[0]; i++) {
			memcpy(&word, maker.file + at, 8);
			memcpy(maker.file + at, &extremes[i], 8);
			look_up(found);
			look(IMAGE_FULL);
			memcpy(maker.file + at, &word, 8);
		}
	}
	/* Cut anywhere. */
	for (size_t size = maker.file_size; size-- > 0;) {
		maker.file_size = size;
		look(IMAGE_FULL);
		CHECK(!look_up(found));
	}
}

/* How a dynamic section of a file can be. */
enum dynamic { LINKED, NO_LIBRARY, STRINGS_ELSEWHERE, NO_END, DYNAMICS };

/* Make a program with a runtime that imports a function. */
static void make_dynamic(enum dynamic how, const char *import)
{
	Elf64_Dyn dynamic[] = {{.d_tag = how == NO_LIBRARY ? DT_DEBUG : DT_NEEDED}, {.d_tag = DT_STRTAB},
	    {.d_tag = DT_STRSZ}, {.d_tag = how == NO_END ? DT_DEBUG : DT_NULL}};
	Elf64_Phdr segments[3];
	Elf64_Ehdr header;

	image_begin(&maker);
	image_runtime(&maker);
	size_t at = maker.constants_size;
	image_literal(&maker, "libc.so.6", "");
	image_literal(&maker, "other_", import);
	dynamic[2].d_un.d_val = maker.constants_size - at;
	image_finish(&maker, ET_DYN, PF_R);
	memcpy(&header, maker.file, sizeof header);
	memcpy(segments, maker.file + header.e_phoff, 2 * sizeof segments[0]);
	dynamic[1].d_un.d_ptr = segments[0].p_vaddr + (how == STRINGS_ELSEWHERE ? IMAGE_ROOM : at);
	segments[2] = (Elf64_Phdr){.p_type = PT_DYNAMIC, .p_filesz = sizeof dynamic};
	segments[2].p_offset = image_put(&maker, dynamic, sizeof dynamic);
	header.e_phoff = image_put(&maker, segments, sizeof segments);
	header.e_phnum = 3;
	memcpy(maker.file, &header, sizeof header);
}

/* A program that is linked with shared libraries and creates no threads has no runtime, and is not searched
 * for one; what can't be told of its imports proves nothing. */
TEST(test_imports)
{
	for (int how = 0; how < DYNAMICS; how++) {
		make_dynamic((enum dynamic)how, "pthread_create");
		CHECK(look(IMAGE_QUICK).literals & IMAGE_EVENTS_DIR);
		make_dynamic((enum dynamic)how, "pthread_create_not");
		CHECK(look(IMAGE_FULL).literals & IMAGE_EVENTS_DIR);
		CHECK_INT(look(IMAGE_QUICK).literals == 0, how == LINKED);
	}
}

TEST(test_foreign_files)
{
	struct source source;
	struct elf elf;

	image_begin(&maker);
	image_finish(&maker, ET_EXEC, PF_R);
	source_from_memory(&source, maker.file, maker.file_size, PLENTY);
	CHECK(elf_open(&elf, &source));
	CHECK(elf.fixed);
	maker.file[EI_CLASS] = ELFCLASS32;
	CHECK(!elf_open(&elf, &source));
	maker.file[EI_CLASS] = ELFCLASS64;
	maker.file[EI_DATA] = 3 - maker.file[EI_DATA];
	CHECK(!elf_open(&elf, &source));
	maker.file[EI_DATA] = 3 - maker.file[EI_DATA];
	maker.file[16] = ET_CORE;
	CHECK(!elf_open(&elf, &source));
	maker.file[0] = '#';
	CHECK(!look(IMAGE_FULL).elf);
}

/* A file that claims terabytes costs no more than the effort. */
TEST(test_effort)
{
	struct source source;
	struct image image;

	image_begin(&maker);
	image_runtime(&maker);
	image_finish(&maker, ET_EXEC, PF_R);
	struct effort effort = {.work = 220};
	source_from_memory(&source, maker.file, maker.file_size, &effort);
	image_read(&image, &source, IMAGE_FULL);
	CHECK(effort.over != NULL);
	CHECK(!image.whole);
}
