/*
 * test_target_processes.c - the list of processes, in a made-up /proc with real ring files.
 */
#include "target/roster.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>

#include "support/test_target_tree.h"

static struct image_maker maker;
static struct tree tree;

enum { DOMAINS = 3, WORDS = 64, NAMES = 8192 * 128 };

/* The head word of a record. */
static uint64_t head(uint64_t length, uint64_t type, uint64_t id)
{
	return length << 54 | type << 49 | id << 36;
}

/* Write a ring file of three domains, two of which have written: the first ends a minor collection as OCaml
 * 5.0 to 5.2 do. */
static void put_ring(const char *name)
{
	const uint64_t headers = 64, data = headers + DOMAINS * 80, names = data + DOMAINS * WORDS * 8;
	const uint64_t file[] = {1, DOMAINS, 80, WORDS * 8, WORDS, headers, data, names};
	const uint64_t records[] = {head(3, 4, 4), 100, 8, head(3, 4, 5), 101, 16, head(2, 3, 10), 102};
	const uint64_t tails[DOMAINS] = {8, 0, 2};
	int fd = open(tree_path(&tree, name), O_RDWR | O_CREAT | O_TRUNC, 0600);

	CHECK(fd >= 0);
	CHECK_INT(ftruncate(fd, (off_t)(names + NAMES)), 0);
	CHECK_INT(pwrite(fd, file, sizeof file, 0), sizeof file);
	CHECK_INT(pwrite(fd, records, sizeof records, (off_t)data), sizeof records);
	CHECK_INT(pwrite(fd, records + 6, 16, (off_t)(data + 2 * WORDS * 8)), 16);
	for (unsigned i = 0; i < DOMAINS; i++)
		CHECK_INT(pwrite(fd, &tails[i], 8, (off_t)(headers + i * 80 + 8)), 8);
	close(fd);
}

/* Let a process map a file. */
static void map_file(int pid, const char *name)
{
	char line[1300];
	struct stat st;

	CHECK_INT(stat(tree_path(&tree, name), &st), 0);
	snprintf(line, sizeof line, "1000-2000 rw-s 00000000 %02x:%02x %llu %s\n", (unsigned)major(st.st_dev),
	    (unsigned)minor(st.st_dev), (unsigned long long)st.st_ino, tree_path(&tree, name));
	tree_text(&tree, pid, "maps", line);
}

/* Begin a tree with three programs: of OCaml 5.1.0, of OCaml 5.3.0 (by its block), and another. */
static void begin(void)
{
	tree_create(&tree);
	tree_write(tree.base, "plain", "#!/bin/sh\n", 10);
	image_program(&maker, 1, 0);
	tree_write(tree.base, "old", maker.file, maker.file_size);
	image_program(&maker, 3, 0);
	tree_write(tree.base, "new", maker.file, maker.file_size);
	tree_write(tree.root, "uptime", "1 1\n", 4);
	tree_mkdir(tree.root, "99999999999");
	tree_mkdir(tree.root, "12x");
}

static unsigned guards;

/* Count the cursors that are open. */
static void guard(void *ctx, const struct rtev_cursor *cursor, bool open)
{
	CHECK(ctx == &guards && cursor != NULL);
	guards += open ? 1 : 0;
	guards += open ? 0 : 100;
}

/* Make the list of the tree. */
static struct roster *make(const char *dir)
{
	struct processes_options options = {
	    .proc_root = tree.root, .dir = dir, .guard = guard, .ctx = &guards};
	struct roster *list;

	guards = 0;
	CHECK_INT(roster_create(&list, &options), 0);
	CHECK_INT(roster_refresh(list, 1), 0);
	return list;
}

TEST(test_states)
{
	struct roster *list;

	begin();
	tree_process(&tree, 30, tree_path(&tree, "old"));
	put_ring("30.events");
	map_file(30, "30.events");
	tree_process(&tree, 20, tree_path(&tree, "new"));
	tree_process(&tree, 21, tree_path(&tree, "plain"));
	tree_process(&tree, 22, tree_path(&tree, "new"));
	tree_stat(&tree, 22, "zombie", 'Z', 5000, 0);
	tree_process(&tree, 23, tree_path(&tree, "plain"));
	tree_write(tree.base, "23.events", "nonsense", 8);
	map_file(23, "23.events");
	tree_process(&tree, 24, tree_path(&tree, "plain"));
	put_ring("24.events");
	map_file(24, "24.events");
	/* Stopped by a signal, and by who traces it. */
	for (int pid = 40; pid < 42; pid++) {
		char name[16];
		snprintf(name, sizeof(name), "%d.events", pid);
		tree_process(&tree, pid, tree_path(&tree, "plain"));
		tree_stat(&tree, pid, "prog", pid == 40 ? 'T' : 't', 5000, 0);
		put_ring(name);
		map_file(pid, name);
	}

	list = make(NULL);
	CHECK_INT(roster_count(list), 6);
	for (size_t i = 4; i < 6; i++) {
		CHECK_INT(roster_entry(list, i)->process.pid, 36 + (int)i);
		CHECK_INT(roster_entry(list, i)->process.state, PROCESS_STOPPED);
		CHECK_STR(process_state_name(roster_entry(list, i)->process.state), "stopped");
		CHECK(roster_entry(list, i)->process.has_ring);
	}
	CHECK_INT(roster_entry(list, 0)->process.pid, 20);
	CHECK_INT(roster_entry(list, 0)->process.state, PROCESS_NO_EVENTS);
	CHECK_STR(process_state_name(roster_entry(list, 0)->process.state), "no events");
	CHECK_STR(roster_entry(list, 0)->process.version.text, "5.3.0");
	CHECK_STR(roster_entry(list, 0)->process.name, "prog");
	CHECK(!roster_entry(list, 0)->process.has_ring);

	CHECK_INT(roster_entry(list, 1)->process.pid, 23);
	CHECK_INT(roster_entry(list, 1)->process.state, PROCESS_UNREADABLE);
	CHECK(roster_entry(list, 1)->process.ring_status != RTEV_OK);

	/* Not OCaml's, but it has a ring, which tells of itself. */
	CHECK_INT(roster_entry(list, 2)->process.pid, 24);
	CHECK_INT(roster_entry(list, 2)->process.state, PROCESS_LIVE);
	CHECK_STR(roster_entry(list, 2)->process.version.text, "5.1-5.2");
	CHECK_INT(roster_entry(list, 2)->process.version.origin, VERSION_FROM_STREAM);

	CHECK_INT(roster_entry(list, 3)->process.pid, 30);
	CHECK_INT(roster_entry(list, 3)->process.state, PROCESS_LIVE);
	CHECK_STR(roster_entry(list, 3)->process.version.text, "5.1.0");
	CHECK_INT(roster_entry(list, 3)->process.version.origin, VERSION_FROM_EXE);
	CHECK(roster_entry(list, 3)->process.has_ring);
	CHECK_INT(roster_entry(list, 3)->process.domains, 2);
	CHECK_INT(roster_entry(list, 3)->process.ring_words, WORDS);
	CHECK_STR(roster_entry(list, 3)->process.path, tree_path(&tree, "30.events"));
	CHECK_INT(guards, 404); /* each opened and closed */
	roster_destroy(list);
}

/* The stream wins over the program file. */
TEST(test_conflict)
{
	struct roster *list;

	begin();
	tree_process(&tree, 30, tree_path(&tree, "new"));
	put_ring("30.events");
	map_file(30, "30.events");
	list = make(NULL);
	CHECK_INT(roster_count(list), 1);
	CHECK_STR(roster_entry(list, 0)->process.version.text, "5.1-5.2");
	CHECK_INT(roster_entry(list, 0)->process.version.release, RTEV_RELEASE_5_2);
	roster_destroy(list);
}

/* A ring belongs to the process it is named after, not to others that map it too. */
TEST(test_guests)
{
	struct roster *list;

	begin();
	put_ring("30.events");
	for (int pid = 29; pid <= 31; pid++) {
		tree_process(&tree, pid, tree_path(&tree, "old"));
		map_file(pid, "30.events");
	}
	list = make(NULL);
	CHECK_INT(roster_count(list), 1);
	CHECK_INT(roster_entry(list, 0)->process.pid, 30);
	roster_destroy(list);
	/* Without the owner, the copies stay. */
	tree_stat(&tree, 30, "zombie", 'Z', 5000, 0);
	list = make(NULL);
	CHECK_INT(roster_count(list), 2);
	roster_destroy(list);
}

/* The kernel's own threads are not looked into. */
TEST(test_kernel_threads)
{
	begin();
	tree_process(&tree, 40, tree_path(&tree, "new"));
	struct roster *list = make(NULL);
	CHECK_INT(roster_count(list), 1);
	roster_destroy(list);
	tree_text(&tree, 40, "stat",
	    "40 (kworker) I 2 0 0 0 -1 69238880 0 0 0 0 0 0 0 0 20 0 1 0 77 0 0 18446744073709551615 0 0 0 0 "
	    "0\n");
	list = make(NULL);
	CHECK_INT(roster_count(list), 0);
	roster_destroy(list);
}

/* Make the list as a user who may look into nothing of process 30 and 31. */
static void check_inaccessible(void)
{
	struct roster *list = make(NULL);

	CHECK_INT(roster_count(list), 1);
	CHECK_INT(roster_entry(list, 0)->process.pid, 30);
	CHECK_INT(roster_entry(list, 0)->process.state, PROCESS_INACCESSIBLE);
	CHECK_INT(roster_entry(list, 0)->process.locate_status, LOCATE_PROCESS_DENIED);
	CHECK(roster_entry(list, 0)->process.user[0] != '\0');
	roster_destroy(list);
	/* A ring in the directory that was named is a sign too. */
	list = make(tree.base);
	CHECK_INT(roster_count(list), 2);
	CHECK_INT(roster_entry(list, 1)->process.pid, 31);
	CHECK_INT(roster_entry(list, 1)->process.state, PROCESS_INACCESSIBLE);
	CHECK_INT(roster_entry(list, 1)->process.locate_status, LOCATE_RING_DENIED);
	roster_destroy(list);
	/* 32 is our own, 33 can be looked into, 34 is the kernel's. */
	CHECK_INT(processes_hidden(tree.root), 2);
	CHECK_INT(processes_hidden("/nowhere/at/all"), 0);
}

TEST(test_inaccessible)
{
	static const char *const open_to_all[] = {"proc", "."};
	static const char *const open_files[] = {"", "stat", "status", "cmdline"};
	const uid_t user = geteuid() == 0 ? 65534 : geteuid();
	char path[64];
	pid_t pid;
	int status;

	begin();
	tree_process(&tree, 30, tree_path(&tree, "old"));
	tree_write(tree_path(&tree, "proc/30"), "cmdline", "/bin/ocamlrun\0prog\0", 19);
	tree_process(&tree, 31, tree_path(&tree, "old"));
	tree_write(tree.base, "31.events", "x", 1);
	for (int i = 32; i <= 34; i++)
		tree_process(&tree, i, tree_path(&tree, "plain"));
	for (int i = 31; i <= 33; i++)
		tree_text(&tree, i, "cmdline", "prog");
	for (int i = 30; i <= 34; i++) {
		snprintf(path, sizeof path, "%d", i);
		tree_status(&tree, i, i, i == 32 ? user : user + 1, path);
		for (size_t k = 0; k < sizeof open_files / sizeof open_files[0]; k++) {
			snprintf(path, sizeof path, "proc/%d/%s", i, open_files[k]);
			CHECK_INT(chmod(tree_path(&tree, path), 0755), 0);
		}
		snprintf(path, sizeof path, "proc/%d/maps", i);
		CHECK_INT(chmod(tree_path(&tree, path), i == 33 ? 0644 : 0), 0);
	}
	for (size_t i = 0; i < sizeof open_to_all / sizeof open_to_all[0]; i++)
		CHECK_INT(chmod(tree_path(&tree, open_to_all[i]), 0755), 0);
	CHECK_INT(chmod(tree_path(&tree, "31.events"), 0), 0);
	pid = fork();
	CHECK(pid >= 0);
	if (pid == 0) {
		if (geteuid() == 0)
			CHECK(setresgid(65534, 65534, 65534) == 0 && setresuid(65534, 65534, 65534) == 0);
		check_inaccessible();
		exit(0);
	}
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK_INT(status, 0);
}

TEST(test_empty)
{
	struct processes_options options = {.proc_root = "/nowhere/at/all"};
	struct roster *list;

	CHECK_INT(roster_create(&list, &options), 0);
	CHECK_INT(roster_refresh(list, 1), ENOENT);
	roster_destroy(list);
	/* There is a directory, and nothing is mounted there. */
	begin();
	options.proc_root = tree.root;
	CHECK_INT(roster_create(&list, &options), 0);
	CHECK_INT(roster_refresh(list, 1), ENOENT);
	roster_destroy(list);
	/* A process that is none of OCaml's. */
	tree_process(&tree, 10, tree_path(&tree, "plain"));
	list = make(NULL);
	CHECK_INT(roster_count(list), 0);
	roster_destroy(list);
	roster_destroy(NULL);
	for (int state = PROCESS_LIVE; state <= PROCESS_UNREADABLE; state++)
		CHECK(process_state_name((enum process_state)state)[0] != '\0');
}

/* The real /proc: we are in it, and not on the list. */
TEST(test_real)
{
	struct processes_options options = {.proc_root = NULL};
	struct roster *list;

	CHECK_INT(roster_create(&list, &options), 0);
	CHECK_INT(roster_refresh(list, 1), 0);
	for (size_t i = 0; i < roster_count(list); i++)
		CHECK(roster_entry(list, i)->process.pid != getpid());
	roster_destroy(list);
}

/* Begin a process that runs this program; `ring`: it maps that file as a writer does.  It has done so when
 * this returns. */
static pid_t begin_child(const char *ring)
{
	int ready[2];
	char byte;

	CHECK_INT(pipe(ready), 0);
	pid_t pid = fork();
	CHECK(pid >= 0);
	if (pid == 0) {
		int fd = ring != NULL ? open(ring, O_RDWR) : -1;
		if (ring != NULL && mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) == MAP_FAILED)
			_exit(1);
		CHECK_INT(write(ready[1], "x", 1), 1);
		for (;;)
			pause();
	}
	CHECK_INT(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	close(ready[1]);
	return pid;
}

/* Of a program that is known to be none of OCaml's each process is glanced at; one that maps a ring is
 * found. */
TEST(test_glances)
{
	struct processes_options options = {.proc_root = NULL};
	struct process_finder *finder;
	struct process_entry entry;
	pid_t plain[2], writer;

	begin();
	put_ring("7.events");
	plain[0] = begin_child(NULL);
	plain[1] = begin_child(NULL);
	writer = begin_child(tree_path(&tree, "7.events"));
	CHECK_INT(process_finder_create(&finder, &options), 0);
	for (int i = 0; i < 4; i++)
		CHECK(!process_finder_look(finder, plain[i % 2], &entry));
	CHECK(process_finder_look(finder, writer, &entry));
	CHECK_INT(entry.pid, writer);
	CHECK_INT(entry.state, PROCESS_LIVE);
	CHECK(entry.has_ring);
	/* Ended, not yet reaped, and reaped. */
	CHECK_INT(kill(writer, SIGKILL), 0);
	siginfo_t info;
	CHECK_INT(waitid(P_PID, (id_t)writer, &info, WEXITED | WNOWAIT), 0);
	CHECK(!process_finder_look(finder, writer, &entry));
	CHECK(waitpid(writer, NULL, 0) == writer);
	CHECK(!process_finder_look(finder, writer, &entry));
	for (int i = 0; i < 2; i++)
		CHECK(kill(plain[i], SIGKILL) == 0 && waitpid(plain[i], NULL, 0) == plain[i]);
	process_finder_destroy(finder);
}
