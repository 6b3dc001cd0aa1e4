/*
 * test_target_tree.h - a made-up /proc in a temporary directory, and program files made in memory.
 *
 * A tree has a `self` that lives in mount namespace 1 with the real root directory; processes are added with
 * harmless contents, which a test then replaces.  An image is an ELF file with one segment of constants, one
 * of data and, if wanted, symbols.
 */
#pragma once

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/test.h"

struct tree {
	char base[256]; /* the temporary directory */
	char root[300]; /* "proc" in it */
};

/* Write a file below a directory. */
static inline void tree_write(const char *dir, const char *name, const void *data, size_t size)
{
	char path[1024];
	int fd;

	snprintf(path, sizeof path, "%s/%s", dir, name);
	unlink(path);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	CHECK(fd >= 0);
	CHECK_INT(write(fd, data, size), (ssize_t)size);
	close(fd);
}

/* Make a directory below a directory. */
static inline void tree_mkdir(const char *dir, const char *name)
{
	char path[1024];

	snprintf(path, sizeof path, "%s/%s", dir, name);
	CHECK(mkdir(path, 0700) == 0 || errno == EEXIST);
}

/* Make a link below a directory. */
static inline void tree_symlink(const char *dir, const char *name, const char *target)
{
	char path[1024];

	snprintf(path, sizeof path, "%s/%s", dir, name);
	unlink(path);
	CHECK_INT(symlink(target, path), 0);
}

/* Remove one thing of a tree. */
static inline int tree_remove_one(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
	return remove(path);
}

/* The base of the last tree, and the process that made it; "": there is none. */
static char tree_made[256];
static pid_t tree_maker;

/* Remove the last tree; children of its maker leave it. */
static inline void tree_remove(void)
{
	if (tree_made[0] != '\0' && getpid() == tree_maker &&
	    nftw(tree_made, tree_remove_one, 16, FTW_DEPTH | FTW_PHYS) != 0)
		fprintf(stderr, "%s is left behind\n", tree_made);
	tree_made[0] = '\0';
}

/* Make an empty tree, which stands until the next one is made or the program ends. */
static inline void tree_create(struct tree *tree)
{
	const char *tmp = getenv("TMPDIR");
	char dir[400], real[PATH_MAX];

	tree_remove();
	snprintf(tree->base, sizeof tree->base, "%s/rtevtop-test-XXXXXX", tmp == NULL ? "/tmp" : tmp);
	CHECK(mkdtemp(tree->base) != NULL);
	CHECK(realpath(tree->base, real) != NULL && strlen(real) < sizeof tree->base);
	strcpy(tree->base, real);
	strcpy(tree_made, real);
	if (tree_maker == 0)
		CHECK_INT(atexit(tree_remove), 0);
	tree_maker = getpid();
	snprintf(tree->root, sizeof tree->root, "%s/proc", tree->base);
	tree_mkdir(tree->base, "proc");
	tree_mkdir(tree->root, "self");
	tree_mkdir(tree->base, "srv");
	snprintf(dir, sizeof dir, "%s/self", tree->root);
	tree_mkdir(dir, "ns");
	tree_symlink(dir, "ns/mnt", "mnt:[1]");
	tree_symlink(dir, "root", "/");
}

/* The path of something below the base; good for the next three calls. */
static inline const char *tree_path(const struct tree *tree, const char *name)
{
	static char paths[4][800];
	static unsigned turn;
	char *path = paths[turn++ % 4];

	snprintf(path, sizeof paths[0], "%s/%s", tree->base, name);
	return path;
}

/* The directory of a process in the tree. */
static inline const char *tree_dir(const struct tree *tree, int pid, char dir[400])
{
	snprintf(dir, 400, "%s/%d", tree->root, pid);
	return dir;
}

/* Replace a file of a process by text. */
static inline void tree_text(const struct tree *tree, int pid, const char *name, const char *text)
{
	char dir[400];

	tree_write(tree_dir(tree, pid, dir), name, text, strlen(text));
}

/* Replace a link of a process. */
static inline void tree_link(const struct tree *tree, int pid, const char *name, const char *target)
{
	char dir[400];

	tree_symlink(tree_dir(tree, pid, dir), name, target);
}

/* Write the stat line of a process. */
static inline void tree_stat(
    const struct tree *tree, int pid, const char *name, char state, uint64_t start, uint64_t stack)
{
	char text[512];

	snprintf(text, sizeof text,
	    "%d (%s) %c 1 1 1 0 -1 4194304 100 0 0 0 250 50 0 0 20 0 4 0 %" PRIu64
	    " 1000000 200 18446744073709551615 1 1 %" PRIu64 " 0 0 0 0 0 0 0 0 0 17 1 0 0 0 0 0\n",
	    pid, name, state, start, stack);
	tree_text(tree, pid, "stat", text);
}

/* Write the status of a process. */
static inline void tree_status(const struct tree *tree, int pid, int tgid, unsigned uid, const char *nspid)
{
	char text[512];

	snprintf(text, sizeof text,
	    "Name:\tprog\nUmask:\t0022\nState:\tR (running)\nTgid:\t%d\nPid:\t%d\n"
	    "Uid:\t%u\t%u\t%u\t%u\nNSpid:\t%s\n",
	    tgid, pid, uid, uid, uid, uid, nspid);
	tree_text(tree, pid, "status", text);
}

/* Add a process: nothing mapped, no environment, working directory `work`. */
static inline void tree_process(const struct tree *tree, int pid, const char *exe)
{
	char dir[400], cwd[300], self[32];

	snprintf(self, sizeof self, "%d", pid);
	tree_mkdir(tree->root, self);
	tree_dir(tree, pid, dir);
	tree_mkdir(dir, "ns");
	tree_symlink(dir, "ns/mnt", "mnt:[1]");
	tree_symlink(dir, "root", "/");
	snprintf(cwd, sizeof cwd, "%s/srv", tree->base);
	tree_symlink(dir, "cwd", cwd);
	tree_symlink(dir, "exe", exe);
	tree_stat(tree, pid, "prog", 'S', 5000, 140737488347136u);
	tree_status(tree, pid, pid, (unsigned)getuid(), self);
	tree_text(tree, pid, "maps", "");
	tree_text(tree, pid, "environ", "");
	tree_text(tree, pid, "cmdline", "");
}

enum { IMAGE_BASE = 0x400000, IMAGE_ROOM = 1 << 19 };

/* A program file in the making: constants and data are appended to buffers of their own. */
struct image_maker {
	uint8_t constants[IMAGE_ROOM / 4], data[IMAGE_ROOM / 4];
	size_t constants_size, data_size;
	Elf64_Sym symbols[4096];
	size_t symbol_count;
	char strings[512];
	size_t strings_size;
	uint8_t file[IMAGE_ROOM];
	size_t file_size;
	uint64_t data_offset; /* in the file; its address is that plus IMAGE_BASE, less the skew */
	uint64_t data_skew;   /* bytes of data before the first that is aligned in memory */
};

/* Begin an image. */
static inline void image_begin(struct image_maker *maker)
{
	memset(maker, 0, sizeof *maker);
	maker->symbol_count = 1;
	maker->strings_size = 1;
}

/* Append a string of the runtime, given in two pieces so that the test program does not carry it. */
static inline void image_literal(struct image_maker *maker, const char *head, const char *tail)
{
	char *at = (char *)maker->constants + maker->constants_size;

	maker->constants_size += (size_t)sprintf(at, "%s%s", head, tail) + 1;
}

/* Append the two strings that every OCaml 5 runtime has. */
static inline void image_runtime(struct image_maker *maker)
{
	image_literal(maker, "OCAML_RUNTIME_EVENTS", "_DIR");
	image_literal(maker, "Couldn't open ring", " buffer loc: %s");
}

/* Append a word of data. */
static inline void image_word(struct image_maker *maker, uint64_t word)
{
	memcpy(maker->data + maker->data_size, &word, 8);
	maker->data_size += 8;
}

/* Append a block as Sys.ocaml_release is. */
static inline void image_release(struct image_maker *maker, unsigned major, unsigned minor, unsigned patch)
{
	image_word(maker, 0x1300);
	image_word(maker, 2 * (uint64_t)major + 1);
	image_word(maker, 2 * (uint64_t)minor + 1);
	image_word(maker, 2 * (uint64_t)patch + 1);
	image_word(maker, 1);
}

/* Append a static OCaml string. */
static inline void image_string(struct image_maker *maker, const char *text)
{
	size_t len = strlen(text), words = len / 8 + 1;

	image_word(maker, (uint64_t)words << 10 | 0x3fc);
	memcpy(maker->data + maker->data_size, text, len);
	maker->data[maker->data_size + words * 8 - 1] = (uint8_t)(words * 8 - 1 - len);
	maker->data_size += words * 8;
}

/* Append a symbol; its address is an offset in the data. */
static inline void image_symbol(
    struct image_maker *maker, const char *name, uint64_t offset, uint64_t size, unsigned char type)
{
	Elf64_Sym *symbol = &maker->symbols[maker->symbol_count++];

	symbol->st_name = (Elf64_Word)maker->strings_size;
	symbol->st_info = ELF64_ST_INFO(STB_LOCAL, type);
	symbol->st_shndx = 1;
	symbol->st_value = offset; /* moved when the image is finished */
	symbol->st_size = size;
	maker->strings_size += (size_t)sprintf(maker->strings + maker->strings_size, "%s", name) + 1;
}

/* Put bytes at the end of the file, aligned; their offset. */
static inline uint64_t image_put(struct image_maker *maker, const void *data, size_t size)
{
	uint64_t at = maker->file_size = (maker->file_size + 15) & ~(size_t)15;

	CHECK(size <= IMAGE_ROOM - at);
	memcpy(maker->file + at, data, size);
	maker->file_size += size;
	return at;
}

/* Finish the file: type ET_EXEC or ET_DYN; the flags of the segment of constants. */
static inline void image_finish(struct image_maker *maker, unsigned type, unsigned flags)
{
	const uint16_t one = 1;
	Elf64_Ehdr header = {.e_type = (Elf64_Half)type, .e_version = 1};
	Elf64_Phdr segments[2] = {
	    {.p_type = PT_LOAD, .p_flags = flags}, {.p_type = PT_LOAD, .p_flags = PF_R | PF_W}};
	Elf64_Shdr sections[3] = {{0}};

	memcpy(header.e_ident, ELFMAG, SELFMAG);
	header.e_ident[EI_CLASS] = ELFCLASS64;
	header.e_ident[EI_DATA] = *(const uint8_t *)&one == 1 ? ELFDATA2LSB : ELFDATA2MSB;
	maker->file_size = sizeof header;
	header.e_phentsize = sizeof segments[0];
	header.e_phnum = 2;
	header.e_phoff = image_put(maker, segments, sizeof segments);
	segments[0].p_offset = image_put(maker, maker->constants, maker->constants_size);
	segments[0].p_filesz = segments[0].p_memsz = maker->constants_size;
	segments[1].p_offset = image_put(maker, maker->data, maker->data_size);
	segments[1].p_filesz = maker->data_size;
	segments[1].p_memsz = maker->data_size + 64;
	maker->data_offset = segments[1].p_offset;
	for (int i = 0; i < 2; i++)
		segments[i].p_vaddr = segments[i].p_offset + IMAGE_BASE;
	segments[1].p_vaddr -= maker->data_skew;
	if (maker->symbol_count > 1) {
		for (size_t i = 1; i < maker->symbol_count; i++)
			maker->symbols[i].st_value += segments[1].p_vaddr;
		sections[1].sh_type = SHT_SYMTAB;
		sections[1].sh_link = 2;
		sections[1].sh_entsize = sizeof maker->symbols[0];
		sections[1].sh_size = maker->symbol_count * sizeof maker->symbols[0];
		sections[1].sh_offset = image_put(maker, maker->symbols, sections[1].sh_size);
		sections[2].sh_type = SHT_STRTAB;
		sections[2].sh_size = maker->strings_size;
		sections[2].sh_offset = image_put(maker, maker->strings, maker->strings_size);
		header.e_shentsize = sizeof sections[0];
		header.e_shnum = 3;
		header.e_shoff = image_put(maker, sections, sizeof sections);
	}
	memcpy(maker->file, &header, sizeof header);
	memcpy(maker->file + header.e_phoff, segments, sizeof segments);
}

/* Make the file of a native program of OCaml 5.minor.patch. */
static inline void image_program(struct image_maker *maker, unsigned minor, unsigned patch)
{
	char text[16];

	snprintf(text, sizeof text, "5.%u.%u", minor, patch);
	image_begin(maker);
	image_runtime(maker);
	image_release(maker, 5, minor, patch);
	image_string(maker, text);
	image_finish(maker, ET_DYN, PF_R);
}
