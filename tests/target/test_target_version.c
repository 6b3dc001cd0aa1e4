/*
 * test_target_version.c - which OCaml: conclusions from program files, from processes, and the weighing of
 * all evidence.
 */
#include "target/version.h"

#include <sys/wait.h>

#include "support/test_target_tree.h"

static struct image_maker maker;

/* Conclude from an image. */
static enum version_program conclude(struct image image, unsigned trailer, struct version *version)
{
	return version_from_image(&image, trailer, version);
}

/* Check text and release of what the strings and symbols of a runtime tell. */
static void check_runtime(
    uint32_t literals, uint32_t symbols, bool whole, const char *text, enum rtev_release release)
{
	struct image image = {.elf = true, .whole = whole, .symbols = symbols};
	struct version version;

	image.literals = literals | IMAGE_EVENTS_DIR | IMAGE_RING_FILE;
	CHECK_INT(conclude(image, 0, &version), VERSION_OCAML5);
	CHECK_STR(version.text, text);
	CHECK_INT(version.release, release);
	CHECK(!version.exact);
}

TEST(test_literals)
{
	check_runtime(0, 0, true, "5.0", RTEV_RELEASE_5_0);
	check_runtime(0, 0, false, "5.0-5.5", RTEV_RELEASE_UNKNOWN);
	check_runtime(IMAGE_EVENT_NAME, 0, true, "5.1-5.2", RTEV_RELEASE_5_2);
	check_runtime(IMAGE_EVENT_NAME | IMAGE_MEMPROF_5_1, 0, true, "5.1", RTEV_RELEASE_5_1);
	check_runtime(IMAGE_EVENT_NAME | IMAGE_MEMPROF_5_2, 0, true, "5.2", RTEV_RELEASE_5_2);
	check_runtime(IMAGE_MEMPROF_5_1, 0, false, "5.0-5.1", RTEV_RELEASE_5_1);
	check_runtime(IMAGE_MEMPROF_5_2, 0, false, "5.2", RTEV_RELEASE_5_2);
	check_runtime(IMAGE_EVENT_NAME | IMAGE_MAX_DOMAINS, 0, true, "5.3-5.5", RTEV_RELEASE_5_5);
	check_runtime(IMAGE_MEMPROF, 0, false, "5.3-5.5", RTEV_RELEASE_5_5);
	check_runtime(
	    IMAGE_EVENT_NAME | IMAGE_MAX_DOMAINS | IMAGE_OXCAML, 0, true, "OxCaml", RTEV_RELEASE_OXCAML);
	/* What contradicts itself tells nothing. */
	check_runtime(IMAGE_MEMPROF_5_1 | IMAGE_MEMPROF, 0, false, "", RTEV_RELEASE_UNKNOWN);
}

TEST(test_symbols)
{
	check_runtime(IMAGE_EVENT_NAME, IMAGE_SYMBOLS | IMAGE_SYMBOL_WRITE, true, "5.1", RTEV_RELEASE_5_1);
	check_runtime(IMAGE_EVENT_NAME, IMAGE_SYMBOLS | IMAGE_SYMBOL_WRITE | IMAGE_SYMBOL_START, true, "5.2",
	    RTEV_RELEASE_5_2);
	check_runtime(0, IMAGE_SYMBOLS, false, "5.0", RTEV_RELEASE_5_0);
	check_runtime(0, IMAGE_SYMBOLS | IMAGE_SYMBOL_WRITE | IMAGE_SYMBOL_START | IMAGE_SYMBOL_PATH, false,
	    "5.3-5.5", RTEV_RELEASE_5_5);
	/* Without the runtime's symbols, their absence means nothing. */
	check_runtime(IMAGE_EVENT_NAME, 0, false, "5.1-5.5", RTEV_RELEASE_UNKNOWN);
}

TEST(test_order)
{
	struct image image = {.elf = true,
	    .whole = true,
	    .sys = "5.3.0",
	    .sys_release = true,
	    .runtime = "5.2.0",
	    .trailer = 33,
	    .literals = IMAGE_EVENTS_DIR | IMAGE_EVENT_NAME};
	struct version version;

	CHECK_INT(conclude(image, 0, &version), VERSION_OCAML5);
	CHECK_STR(version.text, "5.3.0");
	CHECK_INT(version.origin, VERSION_FROM_EXE);
	CHECK(version.exact);
	image.sys_release = false;
	conclude(image, 0, &version);
	CHECK_STR(version.text, "5.2.0");
	CHECK_INT(version.origin, VERSION_FROM_BYTECODE);
	image.runtime[0] = '\0';
	conclude(image, 0, &version);
	CHECK_STR(version.text, "5.1");
	CHECK_INT(version.origin, VERSION_FROM_BYTECODE);
	conclude(image, 32, &version);
	CHECK_STR(version.text, "5.0");
	CHECK_INT(version.release, RTEV_RELEASE_5_0);
	conclude(image, 583, &version);
	CHECK_STR(version.text, "OxCaml");
	image.trailer = 31; /* of OCaml 4 */
	conclude(image, 0, &version);
	/* A version string without its record counts only where the runtime agrees. */
	CHECK_STR(version.text, "5.1-5.2");
	strcpy(image.sys, "5.2.1");
	conclude(image, 0, &version);
	CHECK_STR(version.text, "5.2.1");
	image.sys_ambiguous = true;
	conclude(image, 0, &version);
	CHECK_STR(version.text, "5.1-5.2");
}

TEST(test_not_ocaml)
{
	struct image image = {.elf = true, .whole = true, .sys = "5.3.0", .trailer = 35};
	struct version version;

	/* One string of the runtime, or a version, may stand in any program that deals with OCaml. */
	CHECK_INT(conclude(image, 0, &version), VERSION_NOT_OCAML5);
	image.literals = IMAGE_EVENTS_DIR;
	CHECK_INT(conclude(image, 0, &version), VERSION_NOT_OCAML5);
	image.literals = IMAGE_MEMPROF | IMAGE_RING_FILE;
	CHECK_INT(conclude(image, 0, &version), VERSION_NOT_OCAML5);
	CHECK_STR(version.text, "");
	CHECK_INT(version.release, RTEV_RELEASE_UNKNOWN);
}

TEST(test_texts)
{
	static const char *const bad[] = {"", "5", "5.", "5.x", "4.14.1", "4.14", "6.0.0", "5.1-", "5.2-5.1",
	    "5.1-5.2-5.3", "5.1.0-5.2", "v5.1", "5.1.0 ", "5.3.0+a b", "5.1000", "ocaml"};
	struct version version;

	CHECK(version_from_text("5.3.0", VERSION_FROM_OPTION, &version));
	CHECK(version.exact && version.release == RTEV_RELEASE_5_3 && version.low == 3 && version.high == 3);
	CHECK(version_from_text("5.2", VERSION_FROM_OPTION, &version));
	CHECK(!version.exact && version.release == RTEV_RELEASE_5_2);
	CHECK_STR(version.text, "5.2");
	CHECK(version_from_text("5.1-5.2", VERSION_FROM_OPTION, &version));
	CHECK(version.low == 1 && version.high == 2 && version.release == RTEV_RELEASE_5_2);
	CHECK_STR(version.text, "5.1-5.2");
	CHECK(version_from_text("oxcaml", VERSION_FROM_OPTION, &version));
	CHECK_INT(version.release, RTEV_RELEASE_OXCAML);
	CHECK(version_from_text("5.2.0+ox", VERSION_FROM_OPTION, &version));
	CHECK_INT(version.release, RTEV_RELEASE_OXCAML);
	CHECK(version_from_text("5.12.0", VERSION_FROM_OPTION, &version));
	CHECK_INT(version.release, RTEV_RELEASE_5_5);
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		if (version_from_text(bad[i], VERSION_FROM_OPTION, &version))
			TEST_FAIL("taken for a version: \"%s\"", bad[i]);
}

/* Weigh a program's version against the stream's and an option; NULL: none. */
static bool weigh(const char *program, const char *stream, bool layout, const char *option,
    struct version *out, bool *conflict)
{
	struct version known = {.text = ""}, proved;
	struct rtev_scan scan = {.size = sizeof(scan), .version = stream, .from_layout = layout};

	if (program != NULL)
		CHECK(version_from_text(program, VERSION_FROM_EXE, &known));
	if (stream != NULL) {
		CHECK(version_from_text(stream, VERSION_FROM_STREAM, &proved));
		scan.release = proved.release;
	}
	return version_merge(
	    program == NULL ? NULL : &known, stream == NULL ? NULL : &scan, option, out, conflict);
}

/* Check what wins between program and stream. */
static void check_winner(
    const char *program, const char *stream, bool layout, const char *text, enum version_origin origin)
{
	struct version version;
	bool conflict;

	CHECK(weigh(program, stream, layout, NULL, &version, &conflict));
	CHECK_STR(version.text, text);
	CHECK_INT(version.origin, origin);
	CHECK(!conflict);
}

TEST(test_merge)
{
	check_winner("5.3.0", "5.3", false, "5.3.0", VERSION_FROM_EXE);
	check_winner("5.3.0", "5.3-5.5", false, "5.3.0", VERSION_FROM_EXE);
	check_winner("5.3.0", "5.1-5.2", false, "5.1-5.2", VERSION_FROM_STREAM);
	check_winner("5.1.0", "5.3", false, "5.3", VERSION_FROM_STREAM);
	check_winner("5.3.0", "5.0", true, "5.0", VERSION_FROM_LAYOUT);
	check_winner("5.3-5.5", "5.3", false, "5.3", VERSION_FROM_STREAM);
	check_winner("5.1", "5.1-5.2", false, "5.1", VERSION_FROM_EXE);
	check_winner("5.3.0", "OxCaml", false, "OxCaml", VERSION_FROM_STREAM);
	check_winner("5.2.0+ox", "OxCaml", false, "5.2.0+ox", VERSION_FROM_EXE);
	check_winner("5.9.0", "5.3-5.5", false, "5.9.0", VERSION_FROM_EXE);
	check_winner(NULL, "5.3", false, "5.3", VERSION_FROM_STREAM);
	check_winner("5.3.0", NULL, false, "5.3.0", VERSION_FROM_EXE);
	check_winner(NULL, NULL, false, "", VERSION_FROM_NOTHING);
}

TEST(test_option)
{
	struct version version;
	bool conflict;

	CHECK(weigh("5.3.0", "5.3", false, "5.2", &version, &conflict));
	CHECK_STR(version.text, "5.2");
	CHECK_INT(version.release, RTEV_RELEASE_5_2);
	CHECK_INT(version.origin, VERSION_FROM_OPTION);
	CHECK(conflict);
	CHECK(weigh("5.3.0", NULL, false, "5.3.0", &version, &conflict));
	CHECK(!conflict);
	CHECK(weigh("5.3.0", NULL, false, "5.1.1", &version, &conflict));
	CHECK(conflict);
	CHECK(weigh(NULL, NULL, false, "5.1.1", &version, &conflict));
	CHECK(!conflict);
	/* The stream beats the program, so an option is held against the stream. */
	CHECK(weigh("5.3.0", "5.1-5.2", false, "5.2.0", &version, &conflict));
	CHECK(!conflict);
	CHECK(!weigh("5.3.0", NULL, false, "4.14", &version, &conflict));
	CHECK(!weigh("5.3.0", NULL, false, "5.0-5.5", &version, &conflict)); /* no one table */
}

/* Write the image as a program file of the tree; its path. */
static const char *put_program(const struct tree *tree, const char *name)
{
	static char path[512];

	tree_write(tree->base, name, maker.file, maker.file_size);
	snprintf(path, sizeof path, "%s/%s", tree->base, name);
	return path;
}

/* Find out about a process of the tree. */
static enum version_program ask(
    const struct tree *tree, int pid, struct version_cache *cache, struct version *version)
{
	struct version_options options = {.cache = cache};
	enum version_program program;
	struct proc proc;

	CHECK_INT(proc_open(&proc, tree->root, pid), 0);
	program = version_of_process(&proc, &options, version);
	proc_close(&proc);
	return program;
}

TEST(test_native_process)
{
	struct version_cache *cache = version_cache_create();
	struct version version;
	struct tree tree;

	tree_create(&tree);
	image_program(&maker, 2, 1);
	tree_process(&tree, 10, put_program(&tree, "native"));
	CHECK_INT(ask(&tree, 10, NULL, &version), VERSION_OCAML5);
	CHECK_STR(version.text, "5.2.1");
	/* What another process of this program has spent does not go into the cache. */
	struct effort spent = {.over = "spent"};
	struct version_options options = {.cache = cache, .effort = &spent};
	struct proc proc;
	CHECK_INT(proc_open(&proc, tree.root, 10), 0);
	(void)version_of_process(&proc, &options, &version);
	proc_close(&proc);
	CHECK_INT(ask(&tree, 10, cache, &version), VERSION_OCAML5);
	CHECK_INT(ask(&tree, 10, cache, &version), VERSION_OCAML5);
	CHECK_STR(version.text, "5.2.1");

	tree_write(tree.base, "plain", "#!/bin/sh\n", 10);
	tree_process(&tree, 11, tree_path(&tree, "plain"));
	CHECK_INT(ask(&tree, 11, cache, &version), VERSION_NOT_OCAML5);
	/* The file is written anew. */
	char path[512];
	snprintf(path, sizeof path, "%s", tree_path(&tree, "native"));
	struct stat before, after;
	CHECK_INT(stat(path, &before), 0);
	image_program(&maker, 1, 0);
	/* In place: a file of the same name could get the same number, or not. */
	int fd = open(path, O_WRONLY | O_TRUNC);
	CHECK(fd >= 0);
	CHECK_INT(write(fd, maker.file, maker.file_size), (ssize_t)maker.file_size);
	close(fd);
	const struct timespec times[2] = {{before.st_atim.tv_sec, 0}, {before.st_mtim.tv_sec + 2, 0}};
	CHECK_INT(utimensat(AT_FDCWD, path, times, 0), 0);
	CHECK_INT(stat(path, &after), 0);
	CHECK(before.st_ino == after.st_ino && before.st_size == after.st_size);
	CHECK_INT(ask(&tree, 10, cache, &version), VERSION_OCAML5);
	CHECK_STR(version.text, "5.1.0");
	tree_link(&tree, 11, "exe", "/nowhere/at/all"); /* a thread of the kernel */
	CHECK_INT(ask(&tree, 11, cache, &version), VERSION_NO_PROGRAM);
	tree_link(&tree, 11, "exe", tree.base); /* no file */
	CHECK_INT(ask(&tree, 11, cache, &version), VERSION_UNREADABLE);
	version_cache_destroy(cache);
	version_cache_destroy(NULL);
}

TEST(test_bytecode_process)
{
	char srv[400], dir[400], cmdline[512];
	struct version version;
	struct tree tree;
	int n;

	tree_create(&tree);
	image_begin(&maker);
	image_runtime(&maker);
	image_literal(&maker, "maximum length for", " event name exceeded");
	image_finish(&maker, ET_DYN, PF_R);
	tree_process(&tree, 10, put_program(&tree, "ocamlrun"));
	snprintf(srv, sizeof srv, "%s/srv", tree.base);
	tree_write(srv, "prog", "#!ocamlrun\nxxx\0\0\0\7Caml1999X034", 30);
	tree_write(srv, "prog5.1", "#!ocamlrun\nxxx\0\0\0\7Caml1999X033", 30);

	/* An interpreter that does not tell its version: the trailer of what it runs. */
	CHECK_INT(ask(&tree, 10, NULL, &version), VERSION_OCAML5);
	CHECK_STR(version.text, "5.1-5.2");
	CHECK_INT(version.origin, VERSION_FROM_EXE);
	n = snprintf(cmdline, sizeof cmdline, "%s/ocamlrun%c-b%cprog%cprog5.1", tree.base, 0, 0, 0);
	tree_write(tree_dir(&tree, 10, dir), "cmdline", cmdline, (size_t)n);
	CHECK_INT(ask(&tree, 10, NULL, &version), VERSION_OCAML5);
	CHECK_STR(version.text, "5.2");
	CHECK_INT(version.origin, VERSION_FROM_BYTECODE);
	/* Started by a launcher that passes its own name on, absolute this time. */
	n = snprintf(cmdline, sizeof cmdline, "%s/srv/prog5.1%carg", tree.base, 0);
	tree_write(dir, "cmdline", cmdline, (size_t)n);
	ask(&tree, 10, NULL, &version);
	CHECK_STR(version.text, "5.1");
	/* A process in another mount namespace: the path begins at its root. */
	tree_link(&tree, 10, "ns/mnt", "mnt:[2]");
	tree_link(&tree, 10, "root", tree.base);
	n = snprintf(cmdline, sizeof cmdline, "/srv/prog");
	tree_write(dir, "cmdline", cmdline, (size_t)n);
	ask(&tree, 10, NULL, &version);
	CHECK_STR(version.text, "5.2");

	/* Where only the mounts differ, too. */
	tree_symlink(tree.root, "self/root", tree.base);
	ask(&tree, 10, NULL, &version);
	CHECK_STR(version.text, "5.2");

	/* One that does tell it. */
	image_literal(&maker, "The OCaml runtime", ", version 5.2.0\n");
	image_finish(&maker, ET_DYN, PF_R);
	put_program(&tree, "ocamlrun");
	ask(&tree, 10, NULL, &version);
	CHECK_STR(version.text, "5.2.0");
	CHECK_INT(version.origin, VERSION_FROM_BYTECODE);
}

/* The runtime in a shared library, the program's own data in the program. */
TEST(test_shared_runtime)
{
	char maps[1024], library[512];
	struct version version;
	struct tree tree;
	struct stat st;

	tree_create(&tree);
	image_begin(&maker);
	image_runtime(&maker);
	image_literal(&maker, "maximum length for", " event name exceeded");
	image_literal(&maker, "OCAMLRUNPARAM: max_domains", "(d) must be at least 1");
	image_finish(&maker, ET_DYN, PF_R);
	strcpy(library, put_program(&tree, "libasmrun_shared.so"));
	image_begin(&maker);
	image_word(&maker, 0);
	image_finish(&maker, ET_DYN, PF_R);
	tree_process(&tree, 10, put_program(&tree, "prog"));
	CHECK_INT(ask(&tree, 10, NULL, &version), VERSION_NOT_OCAML5);
	CHECK_INT(stat(library, &st), 0);
	snprintf(maps, sizeof maps, "7f0000000000-7f0000001000 r--p 00000000 00:00 %llu %s\n",
	    (unsigned long long)st.st_ino, library);
	tree_text(&tree, 10, "maps", maps);
	CHECK_INT(ask(&tree, 10, NULL, &version), VERSION_OCAML5);
	CHECK_STR(version.text, "5.3-5.5");
	image_release(&maker, 5, 4, 0);
	image_string(&maker, "5.4.0");
	image_finish(&maker, ET_DYN, PF_R);
	put_program(&tree, "prog");
	CHECK_INT(ask(&tree, 10, NULL, &version), VERSION_OCAML5);
	CHECK_STR(version.text, "5.4.0");
}

/* The program of a process that has ended is not known, which is not the same as one without a runtime. */
TEST(test_ended)
{
	struct version_options options = {.ring = true};
	struct version version;
	struct proc proc;
	siginfo_t ended;
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	CHECK_INT(waitid(P_PID, (id_t)pid, &ended, WEXITED | WNOWAIT), 0);
	CHECK_INT(proc_open(&proc, NULL, pid), 0);
	CHECK_INT(version_of_process(&proc, &options, &version), VERSION_NO_PROGRAM);
	proc_close(&proc);
	CHECK_INT(waitpid(pid, NULL, 0), pid);
}

/* This program deals with all of these strings, and has no OCaml runtime. */
TEST(test_ourselves)
{
	struct version_options options = {.ring = true};
	struct version version;
	struct proc proc;

	CHECK_INT(proc_open(&proc, NULL, getpid()), 0);
	CHECK_INT(version_of_process(&proc, &options, &version), VERSION_NOT_OCAML5);
	options.ring = false;
	CHECK_INT(version_of_process(&proc, &options, &version), VERSION_NOT_OCAML5);
	proc_close(&proc);
}
