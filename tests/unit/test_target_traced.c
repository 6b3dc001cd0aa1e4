/*
 * test_target_traced.c - from a process to the memtrace file that it writes, in a made-up /proc.
 */
#include "target/traced.h"

#include "test_target_tree.h"

static struct tree tree;
static struct traced traced;

/* Start with a tree that has process 10, whose environment has MEMTRACE between other words. */
static void begin(const char *memtrace)
{
	char text[1024], dir[400];
	int n = snprintf(text, sizeof text, "MEMTRACER=/no%cHOME=/%c%s%s%cLAST=1", 0, 0,
	    memtrace != NULL ? "MEMTRACE=" : "X=", memtrace != NULL ? memtrace : "", 0);

	tree_create(&tree);
	tree_process(&tree, 10, "/bin/sh");
	tree_write(tree_dir(&tree, 10, dir), "environ", text, (size_t)n);
	tree_write(tree.base, "t.ctf", "outside", 7);
	tree_write(tree_path(&tree, "work"), "t.ctf", "work", 4);
}

/* Check what the file found holds; NULL: there is none. */
static void check_content(const char *expected)
{
	char content[32] = "";
	struct stat st;
	int fd, error = traced_open(&traced, &st, &fd);

	if (expected == NULL) {
		CHECK_INT(error, ENOENT);
		return;
	}
	CHECK_INT(error, 0);
	CHECK(read(fd, content, sizeof content - 1) >= 0);
	CHECK_STR(content, expected);
	close(fd);
}

static void test_relative(void)
{
	char shown[PROC_PATH_SIZE];

	begin("t.ctf");
	CHECK_INT(traced_by_process(&traced, tree.root, 10), 0);
	snprintf(shown, sizeof shown, "%s/work/t.ctf", tree.base);
	CHECK_STR(traced.shown, shown);
	check_content("work");
	/* It stays the same file when the process goes elsewhere, or ends. */
	tree_link(&tree, 10, "cwd", tree.base);
	check_content("work");
	CHECK_INT(unlink(shown), 0);
	check_content(NULL);
	traced_close(&traced);
	CHECK_INT(traced_by_process(&traced, tree.root, 10), 0);
	check_content("outside");
	traced_close(&traced);
	tree_destroy(&tree);
}

static void test_absolute(void)
{
	char path[600];

	begin(NULL);
	snprintf(path, sizeof path, "MEMTRACE=%s/t.ctf", tree.base);
	tree_text(&tree, 10, "environ", path);
	CHECK_INT(traced_by_process(&traced, tree.root, 10), 0);
	CHECK(!traced.confined);
	CHECK_STR(traced.shown, path + 9);
	check_content("outside");
	traced_close(&traced);
	tree_destroy(&tree);
}

/* In a container the path goes by the process's own root, and no link leads out of it. */
static void test_container(void)
{
	begin("/t.ctf");
	tree_link(&tree, 10, "ns/mnt", "mnt:[2]");
	tree_link(&tree, 10, "root", tree_path(&tree, "work"));
	CHECK_INT(traced_by_process(&traced, tree.root, 10), 0);
	CHECK(traced.confined);
	check_content("work");
	CHECK_INT(unlink(tree_path(&tree, "work/t.ctf")), 0);
	CHECK_INT(symlink("../t.ctf", tree_path(&tree, "work/t.ctf")), 0);
	struct stat st;
	int fd;
	CHECK(traced_open(&traced, &st, &fd) != 0);
	traced_close(&traced);
	tree_destroy(&tree);
}

static void test_none(void)
{
	char dir[400], pipe[600];
	struct stat st;
	int fd;

	begin(NULL);
	CHECK_INT(traced_by_process(&traced, tree.root, 10), ENOENT);
	CHECK_INT(traced_by_process(&traced, tree.root, 11), ESRCH);
	tree_destroy(&tree);
	begin("");
	CHECK_INT(traced_by_process(&traced, tree.root, 10), ENOENT);
	/* A path longer than any. */
	static char huge[6000] = "MEMTRACE=/";
	memset(huge + 10, 'x', sizeof huge - 11);
	tree_text(&tree, 10, "environ", huge);
	CHECK_INT(traced_by_process(&traced, tree.root, 10), ENAMETOOLONG);
	/* A pipe is not opened: that would wait for its writer. */
	snprintf(pipe, sizeof pipe, "%s/work/pipe", tree.base);
	CHECK_INT(mkfifo(pipe, 0600), 0);
	tree_write(tree_dir(&tree, 10, dir), "environ", "MEMTRACE=pipe", 14);
	CHECK_INT(traced_by_process(&traced, tree.root, 10), 0);
	CHECK_INT(traced_open(&traced, &st, &fd), PROC_NOT_REGULAR);
	traced_close(&traced);
	traced_close(&traced);
	tree_destroy(&tree);
}

/* A file that the user gave goes by our own directory. */
static void test_given(void)
{
	begin(NULL);
	traced_by_path(&traced, tree_path(&tree, "t.ctf"));
	check_content("outside");
	traced_by_path(&traced, "no-such.ctf");
	check_content(NULL);
	CHECK_STR(traced.shown, "no-such.ctf");
	traced_close(&traced);
	tree_destroy(&tree);
}

int main(void)
{
	RUN(test_relative);
	RUN(test_absolute);
	RUN(test_container);
	RUN(test_none);
	RUN(test_given);
	return 0;
}
