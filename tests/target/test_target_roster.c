/*
 * test_target_roster.c - processes come, go and exec in a made-up /proc: what is examined, and when.
 */
#include "target/roster.h"

#include <sys/resource.h>

#include "support/test_target_tree.h"

#define SECOND UINT64_C(1000000000)

static struct image_maker maker;
static struct tree tree;

/* Add a process that runs a program of the base directory. */
static void process(int pid, const char *program, unsigned start)
{
	tree_process(&tree, pid, tree_path(&tree, program));
	tree_stat(&tree, pid, program, 'S', start, 1);
}

/* The states that are listed, "1:old 2:old+" with + for what has ended. */
static const char *listed(const struct roster *r)
{
	static char text[512];

	text[0] = '\0';
	for (size_t i = 0; i < roster_count(r); i++) {
		const struct roster_entry *e = roster_entry(r, i);
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%d:%s%s", i > 0 ? " " : "",
		    (int)e->process.pid, e->process.version.text, e->ended_ts != 0 ? "+" : "");
	}
	return text;
}

TEST(come_and_go)
{
	const struct processes_options options = {.proc_root = tree.root};
	struct roster *r;
	char dir[400];

	process(10, "old", 100);
	process(11, "plain", 100);
	process(12, "new", 100);
	CHECK_INT(roster_create(&r, &options), 0);
	CHECK_INT(roster_refresh(r, SECOND), 0);
	CHECK_STR(listed(r), "10:5.1.0 12:5.3.0");
	CHECK_INT(roster_entry(r, 0)->stat.resident_pages, 200);
	CHECK_INT(roster_entry(r, 0)->stat.cpu_ticks, 300);
	CHECK_INT(roster_entry(r, 0)->stat.parent, 1);
	roster_entry(r, 1)->user = &tree;

	/* One more comes, one goes, and one becomes another program: the old one has ended, and keeps its
	 * entry. */
	process(9, "old", 200);
	nftw(tree_dir(&tree, 10, dir), tree_remove_one, 8, FTW_DEPTH | FTW_PHYS);
	tree_link(&tree, 11, "exe", tree_path(&tree, "new"));
	tree_stat(&tree, 11, "new", 'S', 100, 1);
	CHECK_INT(roster_refresh(r, 2 * SECOND), 0);
	CHECK_STR(listed(r), "9:5.1.0 10:5.1.0+ 11:5.3.0 12:5.3.0");
	CHECK(roster_entry(r, 3)->user == &tree);
	CHECK_INT(roster_entry(r, 1)->ended_ts, 2 * SECOND);

	/* The same number is another process now. */
	process(12, "old", 300);
	CHECK_INT(roster_refresh(r, 3 * SECOND), 0);
	CHECK_STR(listed(r), "9:5.1.0 10:5.1.0+ 11:5.3.0 12:5.3.0+ 12:5.1.0");
	roster_drop(r, 1);
	roster_drop(r, 0); /* runs: stays */
	CHECK_STR(listed(r), "9:5.1.0 11:5.3.0 12:5.3.0+ 12:5.1.0");
	roster_destroy(r);
}

/* What is none of OCaml's is examined more and more seldom; what is, without a ring, again and again, more
 * seldom after a while. */
TEST(examinations)
{
	const struct processes_options options = {.proc_root = tree.root};
	struct roster *r;

	CHECK_INT(roster_create(&r, &options), 0);
	CHECK_INT(roster_refresh(r, SECOND), 0);
	CHECK_INT(roster_entry(r, 0)->examined_ts, SECOND);
	CHECK_INT(roster_refresh(r, 2 * SECOND), 0);
	CHECK_INT(roster_entry(r, 0)->examined_ts, 2 * SECOND);
	CHECK_INT(roster_refresh(r, 12 * SECOND), 0);
	CHECK_INT(roster_entry(r, 0)->examined_ts, 12 * SECOND);
	CHECK_INT(roster_refresh(r, 13 * SECOND), 0);
	CHECK_INT(roster_entry(r, 0)->examined_ts, 12 * SECOND);
	CHECK_INT(roster_refresh(r, 17 * SECOND), 0);
	CHECK_INT(roster_entry(r, 0)->examined_ts, 17 * SECOND);
	/* Examined at 20, 21 and 23 s, then at 27 s. */
	process(14, "plain", 400);
	for (uint64_t at = 20; at < 24; at++)
		CHECK_INT(roster_refresh(r, at * SECOND), 0);
	tree_link(&tree, 14, "exe", tree_path(&tree, "old"));
	for (uint64_t at = 24; at < 27; at++)
		CHECK_INT(roster_refresh(r, at * SECOND), 0);
	size_t before = roster_count(r);
	CHECK_INT(roster_refresh(r, 27 * SECOND), 0);
	CHECK_INT(roster_count(r), before + 1);
	CHECK_INT(roster_entry(r, before)->process.pid, 14);
	roster_destroy(r);
	char dir[400];
	nftw(tree_dir(&tree, 14, dir), tree_remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* A refresh that lacks descriptors to look with drops no process, and misses none for good. */
TEST(shortage)
{
	const struct processes_options options = {.proc_root = tree.root};
	struct rlimit limit, low;
	struct roster *r;
	int next = open("/", O_PATH | O_CLOEXEC);

	CHECK(next >= 0);
	close(next);
	CHECK_INT(roster_create(&r, &options), 0);
	CHECK_INT(roster_refresh(r, SECOND), 0);
	CHECK_STR(listed(r), "9:5.1.0 11:5.3.0 12:5.1.0");
	process(13, "new", 100);
	/* Enough for the directory and the stat of a process, not for a look at its program. */
	CHECK_INT(getrlimit(RLIMIT_NOFILE, &limit), 0);
	low = limit;
	low.rlim_cur = (rlim_t)next + 2;
	CHECK_INT(setrlimit(RLIMIT_NOFILE, &low), 0);
	int error = roster_refresh(r, 2 * SECOND);
	CHECK_INT(setrlimit(RLIMIT_NOFILE, &limit), 0);
	CHECK_INT(error, 0);
	CHECK_STR(listed(r), "9:5.1.0 11:5.3.0 12:5.1.0");
	CHECK_INT(roster_short_of(r), EMFILE);
	CHECK_INT(roster_refresh(r, 3 * SECOND), 0);
	CHECK_STR(listed(r), "9:5.1.0 11:5.3.0 12:5.1.0 13:5.3.0");
	roster_destroy(r);
}

int main(void)
{
	tree_create(&tree);
	tree_write(tree.base, "plain", "#!/bin/sh\n", 10);
	for (int release = 1; release <= 3; release += 2) {
		image_program(&maker, (unsigned)release, 0);
		tree_write(tree.base, release == 1 ? "old" : "new", maker.file, maker.file_size);
	}
	tree_write(tree.root, "uptime", "1 1\n", 4);
	test_run();
	return 0;
}
