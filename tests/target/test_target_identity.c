/*
 * test_target_identity.c - what root opens for a process of another user: what that user may read, in a
 * made-up /proc.
 */
#include "target/identity.h"

#include <grp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/sysmacros.h>

#include "target/locate.h"
#include "target/memtrace_path.h"
#include "support/test_target_tree.h"

#define NOBODY 65534

static struct tree tree;
static struct located found;

/* Write the ids of process 10. */
static void set_ids(unsigned real, unsigned effective, const char *groups)
{
	char text[256];

	snprintf(text, sizeof text,
	    "Name:\tprog\nTgid:\t10\nPid:\t10\nUid:\t%u\t%u\t0\t0\nGid:\t%u\t%u\t0\t0\nGroups:\t%s "
	    "\nNSpid:\t10\n",
	    real, effective, real, effective, groups);
	tree_text(&tree, 10, "status", text);
}

/* Change the mode of something below the base. */
static void mode(const char *name, mode_t bits)
{
	CHECK_INT(chmod(tree_path(&tree, name), bits), 0);
}

/* Start with a process 10 of nobody, no OCaml, whose working directory has a ring that is a link to
 * root's. */
static void begin(void)
{
	char path[800];

	tree_create(&tree);
	tree_write(tree.base, "plain", "#!/bin/sh\n", 10);
	tree_process(&tree, 10, tree_path(&tree, "plain"));
	set_ids(NOBODY, NOBODY, "");
	mode(".", 0755);
	mode("srv", 0755);
	tree_mkdir(tree.base, "secret");
	mode("secret", 0755);
	tree_write(tree_path(&tree, "secret"), "10.events", "root's", 6);
	snprintf(path, sizeof path, "%s/secret/10.events", tree.base);
	CHECK_INT(symlink(path, tree_path(&tree, "srv/10.events")), 0);
}

/* Search for process 10. */
static enum locate_status search(const char *dir)
{
	struct locate_options options = {.proc_root = tree.root, .pid = 10, .dir = dir};

	locate(&options, &found);
	if (found.fd >= 0)
		close(found.fd);
	return found.status;
}

/* Check that the ring is refused, with words for it. */
static void check_withheld(void)
{
	char message[5000], remedy[5000];

	CHECK_INT(search(NULL), LOCATE_RING_WITHHELD);
	CHECK_INT(found.fd, -1);
	locate_explain(&found, message, sizeof message, remedy, sizeof remedy);
	CHECK(strstr(
	    message, "process 10 (prog) names it as its ring, and that process's user may not read it"));
	CHECK(strstr(remedy, "give the file: rtevtop ") != NULL && strstr(remedy, "10.events") != NULL);
}

/* Write the word of the environment that says where the ring is. */
static void set_dir(const char *dir)
{
	char text[900];

	snprintf(text, sizeof text, "OCAML_RUNTIME_EVENTS_DIR=%s", dir);
	tree_text(&tree, 10, "environ", text);
}

/* By the working directory: a file that its user may not read, or not get at, is no ring of its. */
TEST(test_cwd)
{
	begin();
	check_withheld();
	mode("secret/10.events", 0644);
	CHECK_INT(search(NULL), LOCATE_OK);
	CHECK_INT(found.way, LOCATE_BY_CWD);
	mode("secret", 0700);
	check_withheld();
	/* The user of rtevtop may choose it. */
	CHECK_INT(search(tree_path(&tree, "secret")), LOCATE_OK);
	CHECK_INT(found.way, LOCATE_BY_DIR);
	/* Nothing is told of what is not there. */
	CHECK_INT(unlink(tree_path(&tree, "secret/10.events")), 0);
	CHECK_INT(search(NULL), LOCATE_NOT_OCAML);
}

/* By the environment, in our root and in its. */
TEST(test_environment)
{
	char dir[800];

	begin();
	snprintf(dir, sizeof dir, "%s/secret", tree.base);
	set_dir(dir);
	check_withheld();
	set_dir("../secret");
	check_withheld();
	tree_link(&tree, 10, "root", tree.base);
	set_dir("/secret");
	check_withheld();
	mode("secret/10.events", 0644);
	CHECK_INT(search(NULL), LOCATE_OK);
	CHECK_INT(found.way, LOCATE_BY_ENVIRONMENT);
}

/* Whose process it is: the real user of a setuid program, the effective one of what gave up root, its groups
 * as well. */
TEST(test_users)
{
	begin();
	set_ids(NOBODY, 0, "");
	check_withheld();
	set_ids(0, NOBODY, "");
	check_withheld();
	set_ids(0, 0, "");
	CHECK_INT(search(NULL), LOCATE_OK);
	tree_text(&tree, 10, "status", "Name:\tprog\nTgid:\t10\nNSpid:\t10\n");
	check_withheld();
	CHECK_INT(chown(tree_path(&tree, "secret/10.events"), 0, 1234), 0);
	mode("secret/10.events", 0640);
	set_ids(NOBODY, NOBODY, "");
	check_withheld();
	set_ids(NOBODY, NOBODY, "7 1234");
	CHECK_INT(search(NULL), LOCATE_OK);
	/* Root's own groups are not the user's. */
	CHECK_INT(chown(tree_path(&tree, "secret/10.events"), 0, 0), 0);
	check_withheld();
}

/* What it maps: a file of the same device and number is what it has opened once; of another device the path
 * must be the user's. */
TEST(test_mapped)
{
	char line[1300], path[800];
	struct stat st;

	begin();
	snprintf(path, sizeof path, "%s/secret/10.events", tree.base);
	CHECK_INT(stat(path, &st), 0);
	snprintf(line, sizeof line, "1000-2000 rw-s 00000000 %02x:%02x %llu %s\n", (unsigned)major(st.st_dev),
	    (unsigned)minor(st.st_dev), (unsigned long long)st.st_ino, path);
	tree_text(&tree, 10, "maps", line);
	CHECK_INT(search(NULL), LOCATE_OK);
	CHECK_INT(found.mapped, LOCATE_MAPPED);
	CHECK_INT(unlink(tree_path(&tree, "srv/10.events")), 0);
	for (unsigned inode = 0; inode < 2; inode++) {
		snprintf(line, sizeof line, "1000-2000 rw-s 00000000 ffff:ff %llu %s\n",
		    inode != 0 ? (unsigned long long)st.st_ino : 123456789, path);
		tree_text(&tree, 10, "maps", line);
		mode("secret/10.events", 0600);
		CHECK_INT(search(NULL), LOCATE_RING_DENIED);
		mode("secret/10.events", 0644);
		CHECK_INT(search(NULL), LOCATE_OK);
		CHECK_INT(found.mapped, LOCATE_MAPPED);
	}
}

/* The memtrace file that a process names is found as its user sees it; not the one that the user of rtevtop names. */
TEST(test_traced)
{
	struct traced traced;
	struct stat st;
	int fd;

	begin();
	tree_text(&tree, 10, "environ", "MEMTRACE=10.events");
	CHECK_INT(traced_by_process(&traced, tree.root, 10), 0);
	CHECK_INT(traced_open(&traced, &st, &fd), EACCES);
	mode("secret/10.events", 0644);
	CHECK_INT(traced_open(&traced, &st, &fd), 0);
	close(fd);
	mode("secret/10.events", 0600);
	traced_close(&traced);
	traced_by_path(&traced, tree_path(&tree, "srv/10.events"));
	CHECK_INT(traced_open(&traced, &st, &fd), 0);
	close(fd);
}

/* Afterwards we are who we were. */
TEST(test_resumed)
{
	const gid_t groups[] = {3, 9};
	gid_t now[8];
	int signal = 0, fd;
	char path[800];

	CHECK_INT(setgroups(2, groups), 0);
	CHECK_INT(prctl(PR_SET_PDEATHSIG, SIGUSR1), 0);
	CHECK_INT(prctl(PR_SET_DUMPABLE, 1), 0);
	begin();
	check_withheld();
	CHECK_INT(getgroups(8, now), 2);
	CHECK(now[0] == 3 && now[1] == 9);
	CHECK_INT(prctl(PR_GET_PDEATHSIG, &signal), 0);
	CHECK_INT(signal, SIGUSR1);
	CHECK_INT(prctl(PR_GET_DUMPABLE), 1);
	snprintf(path, sizeof path, "%s/secret/10.events", tree.base);
	CHECK_INT(chown(path, 4, 4), 0);
	fd = open(path, O_RDWR);
	CHECK(fd >= 0);
	close(fd);
}

int main(void)
{
	if (geteuid() != 0)
		SKIP("only root needs the rights of another user");
	if (setgroups(0, NULL) != 0)
		SKIP("this root may not change its groups");
	test_run();
	return 0;
}
