/*
 * test_target_traced.c - from a process to the memtrace file that it writes, in a made-up /proc.
 */
#include <sys/wait.h>
#include <time.h>

#include "target/memtrace_path.h"

#include "support/test_target_tree.h"

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
	tree_write(tree_path(&tree, "srv"), "t.ctf", "work", 4);
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

TEST(test_relative)
{
	char shown[PROC_PATH_SIZE];

	begin("t.ctf");
	CHECK_INT(traced_by_process(&traced, tree.root, 10), 0);
	snprintf(shown, sizeof shown, "%s/srv/t.ctf", tree.base);
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
}

TEST(test_absolute)
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
}

/* In a container the path goes by the process's own root, and no link leads out of it. */
TEST(test_container)
{
	begin("/t.ctf");
	tree_link(&tree, 10, "ns/mnt", "mnt:[2]");
	tree_link(&tree, 10, "root", tree_path(&tree, "srv"));
	CHECK_INT(traced_by_process(&traced, tree.root, 10), 0);
	CHECK(traced.confined);
	check_content("work");
	CHECK_INT(unlink(tree_path(&tree, "srv/t.ctf")), 0);
	CHECK_INT(symlink("../t.ctf", tree_path(&tree, "srv/t.ctf")), 0);
	struct stat st;
	int fd;
	CHECK(traced_open(&traced, &st, &fd) != 0);
	traced_close(&traced);
}

TEST(test_none)
{
	char dir[400], pipe[600];
	struct stat st;
	int fd;

	begin(NULL);
	CHECK_INT(traced_by_process(&traced, tree.root, 10), ENOENT);
	CHECK_INT(traced_by_process(&traced, tree.root, 11), ESRCH);
	begin("");
	CHECK_INT(traced_by_process(&traced, tree.root, 10), ENOENT);
	/* A path longer than any. */
	static char huge[6000] = "MEMTRACE=/";
	memset(huge + 10, 'x', sizeof huge - 11);
	tree_text(&tree, 10, "environ", huge);
	CHECK_INT(traced_by_process(&traced, tree.root, 10), ENAMETOOLONG);
	/* A pipe is not opened: that would wait for its writer. */
	snprintf(pipe, sizeof pipe, "%s/srv/pipe", tree.base);
	CHECK_INT(mkfifo(pipe, 0600), 0);
	tree_write(tree_dir(&tree, 10, dir), "environ", "MEMTRACE=pipe", 14);
	CHECK_INT(traced_by_process(&traced, tree.root, 10), 0);
	CHECK_INT(traced_open(&traced, &st, &fd), PROC_NOT_REGULAR);
	traced_close(&traced);
	traced_close(&traced);
}

/* A file that the user gave goes by our own directory. */
TEST(test_given)
{
	begin(NULL);
	traced_by_path(&traced, tree_path(&tree, "t.ctf"));
	check_content("outside");
	traced_by_path(&traced, "no-such.ctf");
	check_content(NULL);
	CHECK_STR(traced.shown, "no-such.ctf");
	traced_close(&traced);
}

/* Make a trace's info: of process 10, in a program, begun some seconds ago. */
static struct rtev_memtrace_info info_of(const char *host, const char *program, int64_t age)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (struct rtev_memtrace_info){.size = sizeof(struct rtev_memtrace_info),
	    .pid = 10,
	    .host_name = host,
	    .executable_name = program,
	    .start_time = (now.tv_sec - age) * 1000000};
}

/* Whether who wrote a trace has ended: as far as this machine can tell. */
TEST(test_ended)
{
	char host[256] = "";
	struct timespec boot;
	long hz = sysconf(_SC_CLK_TCK);

	begin(NULL);
	CHECK_INT(gethostname(host, sizeof host - 1), 0);
	clock_gettime(CLOCK_BOOTTIME, &boot);
	/* A process that began just now. */
	uint64_t start = (uint64_t)(boot.tv_sec * hz);
	const struct rtev_memtrace_info here = info_of(host, "/opt/bin/a_program_of_long_name", 0);
	tree_stat(&tree, 10, "a_program_of_lo", 'S', start, 1);
	CHECK(!traced_ended(&here, tree.root));
	/* Its number was given to another one since, or to one of the same name: that can't be told. */
	const struct rtev_memtrace_info before = info_of(host, "/opt/bin/other", 2000);
	CHECK(traced_ended(&before, tree.root));
	const struct rtev_memtrace_info alike = info_of(host, "a_program_of_long_name", 2000);
	CHECK(!traced_ended(&alike, tree.root));
	/* It may have become another program. */
	const struct rtev_memtrace_info changed = info_of(host, "other", 0);
	CHECK(!traced_ended(&changed, tree.root));
	/* A zombie; nobody; and of a process of another host nobody knows. */
	tree_stat(&tree, 10, "a_program_of_lo", 'Z', start, 1);
	CHECK(traced_ended(&here, tree.root));
	struct rtev_memtrace_info gone = here;
	gone.pid = 11;
	CHECK(traced_ended(&gone, tree.root));
	gone.host_name = "elsewhere";
	CHECK(!traced_ended(&gone, tree.root));
	/* Numbers of no process. */
	gone.host_name = host;
	for (gone.pid = -1; gone.pid <= 0; gone.pid++)
		CHECK(!traced_ended(&gone, tree.root));
	gone.pid = INT64_C(1) << 32;
	CHECK(!traced_ended(&gone, tree.root));
	/* The real thing. */
	struct rtev_memtrace_info own = here;
	own.pid = getpid();
	own.start_time = INT64_MAX;
	CHECK(!traced_ended(&own, NULL));
	pid_t child = fork();
	CHECK(child >= 0);
	if (child == 0)
		_exit(0);
	int status;
	own.pid = child;
	CHECK_INT(waitpid(child, &status, 0), child);
	CHECK(traced_ended(&own, NULL));
}
