/*
 * test_target_locate.c - from a process to its ring, in a made-up /proc: each way there and each failure.
 */
#include "target/locate.h"

#include <linux/capability.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>

#include "support/test_target_tree.h"

static struct tree tree;
static struct located found;
static struct image_maker maker;

/* Start with a tree that has process 10, no OCaml. */
static void begin(void)
{
	tree_create(&tree);
	tree_write(tree.base, "plain", "#!/bin/sh\n", 10);
	tree_process(&tree, 10, tree_path(&tree, "plain"));
}

/* Make process 10 an OCaml program. */
static void make_ocaml(void)
{
	image_program(&maker, 3, 0);
	tree_write(tree.base, "native", maker.file, maker.file_size);
	tree_link(&tree, 10, "exe", tree_path(&tree, "native"));
}

/* Write a file below the base whose content is its own name. */
static void put(const char *name)
{
	tree_write(tree.base, name, name, strlen(name));
}

/* Write a line of maps for a file below the base, with its true numbers, under another name if given. */
static void map_line(char *line, size_t size, const char *perms, const char *file, const char *as)
{
	char path[600];
	struct stat st;

	snprintf(path, sizeof path, "%s/%s", tree.base, file);
	CHECK_INT(stat(path, &st), 0);
	snprintf(line, size, "7f8ae2a00000-7f8ae6b03000 %s 00000000 %02x:%02x %llu      %s\n", perms,
	    (unsigned)major(st.st_dev), (unsigned)minor(st.st_dev), (unsigned long long)st.st_ino,
	    as == NULL ? path : as);
}

/* Let process 10 map a file below the base. */
static void map_file(const char *perms, const char *file, const char *as)
{
	char line[1300];

	map_line(line, sizeof line, perms, file, as);
	tree_text(&tree, 10, "maps", line);
}

/* Write the environment of process 10: OCAML_RUNTIME_EVENTS_DIR as last word, without its NUL. */
static void set_dir(const char *value)
{
	char text[700], dir[400];
	int n = snprintf(text, sizeof text,
	    "PATH=/bin%cXOCAML_RUNTIME_EVENTS_DIR=/no%cOCAML_RUNTIME_EVENTS_DIR=%s", 0, 0, value);

	tree_write(tree_dir(&tree, 10, dir), "environ", text, (size_t)n);
}

/* Search for process `pid` with the directory of its ring given beyond doubt. */
static enum locate_status search_alone(int pid, const char *dir)
{
	struct locate_options options = {.proc_root = tree.root, .pid = pid, .dir = dir, .dir_alone = true};

	return locate(&options, &found);
}

/* Search for process `pid`. */
static enum locate_status search(int pid, const char *dir)
{
	struct locate_options options = {.proc_root = tree.root, .pid = pid, .dir = dir};

	return locate(&options, &found);
}

/* Check that the file found is the one whose content is this name, and close it. */
static void check_found(const char *name, enum locate_way way, enum locate_mapped mapped)
{
	char content[64] = "", again[64] = "";
	int fd;

	CHECK_INT(found.status, LOCATE_OK);
	CHECK_INT(found.way, way);
	CHECK_INT(found.mapped, mapped);
	CHECK(read(found.fd, content, sizeof content - 1) >= 0);
	CHECK_STR(content, name);
	CHECK(fcntl(found.fd, F_GETFD) & FD_CLOEXEC);
	close(found.fd);
	/* The path given opens the same. */
	fd = open(found.path, O_RDONLY);
	CHECK(fd >= 0 && read(fd, again, sizeof again - 1) >= 0);
	CHECK_STR(again, name);
	close(fd);
}

/* Check the words for a failure: a part of the message, and a part of the remedy. */
static void check_words(enum locate_status status, const char *part, const char *remedy_part)
{
	char message[5000], remedy[5000];

	CHECK_INT(found.status, status);
	CHECK_INT(found.fd, -1);
	locate_explain(&found, message, sizeof message, remedy, sizeof remedy);
	if (strstr(message, part) == NULL)
		TEST_FAIL("message is \"%s\", expected \"%s\"", message, part);
	if (strstr(remedy, remedy_part) == NULL || (remedy_part[0] == '\0' && remedy[0] != '\0'))
		TEST_FAIL("remedy is \"%s\", expected \"%s\"", remedy, remedy_part);
	CHECK(strchr(message, '\n') == NULL && strchr(remedy, '\n') == NULL);
}

/* A process that maps more than a look may cost. */
TEST(test_too_many_maps)
{
	struct effort effort = {.work = 1000};
	struct locate_options options = {.pid = 10, .effort = &effort};
	static char lines[4000];

	begin();
	for (size_t used = 0; used + 100 < sizeof lines;)
		used += (size_t)snprintf(lines + used, sizeof lines - used,
		    "%zx-%zx r--p 00000000 08:01 5 /usr/lib/some\n", used * 4096 + 4096, used * 4096 + 8192);
	tree_text(&tree, 10, "maps", lines);
	options.proc_root = tree.root;
	CHECK_INT(locate(&options, &found), LOCATE_FAILED);
	check_words(LOCATE_FAILED, "it has more mappings than can be read", "");
	CHECK(effort.over != NULL);
	/* With more there is none. */
	effort = (struct effort){.work = 1 << 24};
	CHECK(locate(&options, &found) != LOCATE_FAILED);
}

TEST(test_by_maps)
{
	char lines[4000] = "junk\n1000-2000 r-xp 00000000 08:01 5 /usr/bin/prog\n", line[1300];

	begin();
	put("10.events");
	put("11.events");
	map_file("rw-s", "10.events", NULL);
	CHECK_INT(search(10, NULL), LOCATE_OK);
	CHECK_STR(found.shown, found.path);
	CHECK(found.own_name);
	CHECK_INT(found.start_ticks, 5000);
	check_found("10.events", LOCATE_BY_MAPS, LOCATE_MAPPED);

	/* Of several, the one named after the process; readers' mappings don't count. */
	map_line(line, sizeof line, "rw-s", "11.events", NULL);
	strcat(lines, line);
	map_line(line, sizeof line, "rw-s", "10.events", NULL);
	strcat(lines, line);
	tree_text(&tree, 10, "maps", lines);
	search(10, NULL);
	check_found("10.events", LOCATE_BY_MAPS, LOCATE_MAPPED);
	tree_status(&tree, 10, 10, 0, "10\t11");
	search(10, NULL);
	CHECK_INT(found.ns_pid, 11);
	check_found("11.events", LOCATE_BY_MAPS, LOCATE_MAPPED);
	/* None is: a copy of its writer. */
	tree_status(&tree, 10, 10, 0, "10\t12");
	search(10, NULL);
	CHECK(!found.own_name);
	check_found("11.events", LOCATE_BY_MAPS, LOCATE_MAPPED);
	map_file("r--s", "10.events", NULL);
	CHECK_INT(search(10, NULL), LOCATE_NOT_OCAML);
}

TEST(test_odd_paths)
{
	char escaped[700];

	begin();
	/* A newline in a path, as the kernel writes it; the same characters as a name of their own. */
	tree_mkdir(tree.base, "a\nb");
	put("a\nb/10.events");
	snprintf(escaped, sizeof escaped, "%s/a\\012b/10.events", tree.base);
	map_file("rw-s", "a\nb/10.events", escaped);
	search(10, NULL);
	check_found("a\nb/10.events", LOCATE_BY_MAPS, LOCATE_MAPPED);
	tree_mkdir(tree.base, "a\\012b");
	put("a\\012b/10.events");
	map_file("rw-s", "a\\012b/10.events", NULL);
	search(10, NULL);
	check_found("a\\012b/10.events", LOCATE_BY_MAPS, LOCATE_MAPPED);
	/* Both in one path: the link in map_files knows. */
	tree_mkdir(tree.base, "a\nb\\012");
	put("a\nb\\012/10.events");
	snprintf(escaped, sizeof escaped, "%s/a\\012b\\012/10.events", tree.base);
	map_file("rw-s", "a\nb\\012/10.events", escaped);
	tree_mkdir(tree_path(&tree, "proc/10"), "map_files");
	tree_link(&tree, 10, "map_files/7f8ae2a00000-7f8ae6b03000", tree_path(&tree, "a\nb\\012/10.events"));
	search(10, NULL);
	check_found("a\nb\\012/10.events", LOCATE_BY_MAPS, LOCATE_MAPPED);
	tree_mkdir(tree.base, "c (deleted) d");
	put("c (deleted) d/10.events");
	map_file("rw-s", "c (deleted) d/10.events", NULL);
	search(10, NULL);
	check_found("c (deleted) d/10.events", LOCATE_BY_MAPS, LOCATE_MAPPED);
}

/* File systems that show other numbers to maps than to stat: the path of a file that is not deleted
 * decides. */
TEST(test_other_numbers)
{
	char line[800];

	begin();
	put("10.events");
	snprintf(line, sizeof line, "1000-2000 rw-s 00000000 ffff:ff 123456789 %s/10.events\n", tree.base);
	tree_text(&tree, 10, "maps", line);
	search(10, NULL);
	check_found("10.events", LOCATE_BY_MAPS, LOCATE_MAPPED);
	snprintf(line, sizeof line, "1000-2000 rw-s 00000000 ffff:ff 123456789 %s/10.events (deleted)\n",
	    tree.base);
	tree_text(&tree, 10, "maps", line);
	CHECK_INT(search(10, NULL), LOCATE_DELETED);
}

TEST(test_deleted)
{
	char marked[700], dir[400];

	begin();
	put("ring");
	snprintf(marked, sizeof marked, "%s/10.events (deleted)", tree.base);
	map_file("rw-s", "ring", marked);
	search(10, NULL);
	check_words(LOCATE_DELETED, "was deleted", "root");
	/* Another file has got the name since: not the ring. */
	put("10.events");
	CHECK_INT(search(10, tree.base), LOCATE_DELETED);
	/* What the kernel offers to those who may. */
	tree_mkdir(tree_dir(&tree, 10, dir), "map_files");
	tree_write(dir, "map_files/7f8ae2a00000-7f8ae6b03000", "kept", 4);
	search(10, NULL);
	CHECK(strstr(found.path, "map_files/") != NULL);
	check_found("kept", LOCATE_BY_MAP_FILES, LOCATE_MAPPED);
}

TEST(test_other_namespace)
{
	char path[700];

	begin();
	tree_mkdir(tree.base, "container");
	tree_mkdir(tree.base, "container/tmp");
	put("container/tmp/1.events");
	tree_link(&tree, 10, "ns/mnt", "mnt:[2]");
	snprintf(path, sizeof path, "%s/container", tree.base);
	tree_link(&tree, 10, "root", path);
	tree_status(&tree, 10, 10, 0, "10\t1");
	map_file("rw-s", "container/tmp/1.events", "/tmp/1.events");
	search(10, NULL);
	CHECK_STR(found.shown, "/tmp/1.events");
	snprintf(path, sizeof path, "%s/10/root/tmp/1.events", tree.root);
	CHECK_STR(found.path, path);
	check_found("container/tmp/1.events", LOCATE_BY_MAPS, LOCATE_MAPPED);

	/* Of a namespace in which its root is a directory the kernel tells the path from that of the namespace. */
	map_file("rw-s", "container/tmp/1.events", NULL);
	search(10, NULL);
	CHECK_STR(found.path, path);
	check_found("container/tmp/1.events", LOCATE_BY_MAPS, LOCATE_MAPPED);

	/* By its environment, through links that mean its own root. */
	snprintf(path, sizeof path, "%s/container", tree.base);
	tree_symlink(path, "rings", "/tmp");
	set_dir("/rings");
	tree_text(&tree, 10, "maps", "");
	search(10, NULL);
	CHECK_INT(found.status, LOCATE_OK);
	CHECK_INT(found.way, LOCATE_BY_ENVIRONMENT);
	CHECK_STR(found.shown, "/rings/1.events");
	close(found.fd);

	/* Set but empty: its root directory. */
	put("container/1.events");
	set_dir("");
	search(10, NULL);
	CHECK_STR(found.shown, "/1.events");
	check_found("container/1.events", LOCATE_BY_ENVIRONMENT, LOCATE_UNMAPPED);

	/* A link out of the container leads nowhere. */
	put("1.events");
	tree_symlink(path, "out", tree.base);
	set_dir("/out");
	CHECK_INT(search(10, NULL), LOCATE_NOT_OCAML);
}

TEST(test_by_environment)
{
	char dir[600];

	begin();
	tree_mkdir(tree.base, "rings");
	put("rings/10.events");
	snprintf(dir, sizeof dir, "%s/rings", tree.base);
	set_dir(dir);
	search(10, NULL);
	check_found("rings/10.events", LOCATE_BY_ENVIRONMENT, LOCATE_UNMAPPED);
	/* Relative to its working directory. */
	set_dir("../rings");
	search(10, NULL);
	CHECK_STR(found.shown, "../rings/10.events");
	check_found("rings/10.events", LOCATE_BY_ENVIRONMENT, LOCATE_UNMAPPED);
	/* With it set, the working directory is not looked at. */
	put("srv/10.events");
	set_dir("/nowhere");
	CHECK_INT(search(10, NULL), LOCATE_NOT_OCAML);
	tree_text(&tree, 10, "environ", "");
	search(10, NULL);
	check_found("srv/10.events", LOCATE_BY_CWD, LOCATE_UNMAPPED);
}

TEST(test_by_dir)
{
	char dir[600];

	begin();
	tree_mkdir(tree.base, "rings");
	snprintf(dir, sizeof dir, "%s/rings", tree.base);
	CHECK_INT(search(10, dir), LOCATE_NOT_OCAML);
	put("rings/10.events");
	search(10, dir);
	check_found("rings/10.events", LOCATE_BY_DIR, LOCATE_UNMAPPED);
	/* Its own number first. */
	put("rings/3.events");
	tree_status(&tree, 10, 10, 0, "10\t3");
	search(10, dir);
	check_found("rings/3.events", LOCATE_BY_DIR, LOCATE_UNMAPPED);
	/* The mapping comes before all. */
	put("3.events");
	map_file("rw-s", "3.events", NULL);
	search(10, dir);
	check_found("3.events", LOCATE_BY_MAPS, LOCATE_MAPPED);
}

/* A directory that is given as the ring's own is no hint: a ring that is elsewhere is not read in its
 * place. */
TEST(test_dir_alone)
{
	char dir[600], rings[600];

	begin();
	tree_mkdir(tree.base, "rings");
	snprintf(rings, sizeof rings, "%s/rings", tree.base);
	snprintf(dir, sizeof dir, "%s", tree.base);
	put("10.events");
	map_file("rw-s", "10.events", NULL);
	search_alone(10, dir);
	check_found("10.events", LOCATE_BY_MAPS, LOCATE_MAPPED);
	CHECK_INT(search_alone(10, rings), LOCATE_ELSEWHERE);
	check_words(LOCATE_ELSEWHERE, "/10.events, not in", "rtevtop 10");
	/* Nor one that another process has left there. */
	put("rings/10.events");
	CHECK_INT(search_alone(10, rings), LOCATE_ELSEWHERE);
	CHECK_INT(search(10, rings), LOCATE_OK);
	check_found("10.events", LOCATE_BY_MAPS, LOCATE_MAPPED);

	/* The same file under another name, and under the number that it has here. */
	CHECK_INT(link(tree_path(&tree, "10.events"), tree_path(&tree, "rings/3.events")), 0);
	tree_status(&tree, 10, 10, 0, "10\t3");
	search_alone(10, rings);
	check_found("10.events", LOCATE_BY_MAPS, LOCATE_MAPPED);

	/* Its environment names another one, too. */
	tree_text(&tree, 10, "maps", "");
	tree_status(&tree, 10, 10, 0, "10\t10");
	set_dir(dir);
	search_alone(10, rings);
	check_found("rings/10.events", LOCATE_BY_DIR, LOCATE_UNMAPPED);
	CHECK_INT(unlink(tree_path(&tree, "rings/10.events")), 0);
	CHECK_INT(search_alone(10, rings), LOCATE_NOT_OCAML);
}

TEST(test_no_ring)
{
	struct locate_options options = {.proc_root = tree.root, .pid = 10, .skip_program = true};
	char dir[600];

	begin();
	search(10, NULL);
	check_words(LOCATE_NOT_OCAML, "10 (prog): not an OCaml 5 process", "rtevtop list");
	CHECK_INT(locate(&options, &found), LOCATE_NO_RING);
	make_ocaml();
	search(10, NULL);
	check_words(LOCATE_NO_RING, "this OCaml 5.3.0 process has no ring", "Runtime_events.start ()");
	check_words(LOCATE_NO_RING, "10 (prog)", "OCAML_RUNTIME_EVENTS_START=1");
	/* What an earlier process of the same number left is not the ring of one that has none yet. */
	put("srv/10.events");
	snprintf(dir, sizeof dir, "%s/srv", tree.base);
	CHECK_INT(search(10, dir), LOCATE_NO_RING);
	CHECK_STR(found.path, "");
	CHECK_INT(locate(&options, &found), LOCATE_NO_RING);
}

TEST(test_no_process)
{
	char dir[600], path[700];

	begin();
	search(99, NULL);
	check_words(LOCATE_NO_PROCESS, "cannot attach to 99: no such process", "rtevtop list");
	put("99.events");
	snprintf(dir, sizeof dir, "%s", tree.base);
	snprintf(path, sizeof path, "rtevtop %s/99.events", tree.base);
	search(99, dir);
	check_words(LOCATE_STALE, "no such process, but it left", path);
	/* Ended, but not yet collected by its parent. */
	tree_stat(&tree, 10, "prog", 'Z', 5000, 0);
	search(10, NULL);
	check_words(LOCATE_NO_PROCESS, "no such process", "rtevtop list");
	/* The real one: no process has this number. */
	found.status = LOCATE_OK;
	CHECK_INT(locate(&(struct locate_options){.pid = INT32_MAX, .dir = "/"}, &found), LOCATE_NO_PROCESS);
}

TEST(test_thread)
{
	begin();
	put("10.events");
	map_file("rw-s", "10.events", NULL);
	tree_process(&tree, 15, "/nowhere");
	tree_status(&tree, 15, 10, 0, "15");
	search(15, NULL);
	CHECK_INT(found.pid, 10);
	check_found("10.events", LOCATE_BY_MAPS, LOCATE_MAPPED);
}

TEST(test_not_regular)
{
	char path[700];

	begin();
	/* Opening a FIFO for reading would wait for a writer. */
	snprintf(path, sizeof path, "%s/10.events", tree.base);
	CHECK_INT(mkfifo(path, 0600), 0);
	map_file("rw-s", "10.events", NULL);
	search(10, NULL);
	check_words(LOCATE_NOT_REGULAR, "10.events: not a regular file", "");
	tree_text(&tree, 10, "maps", "");
	search(10, tree.base);
	check_words(LOCATE_NOT_REGULAR, "not a regular file", "");
	search(99, tree.base);
	check_words(LOCATE_NO_PROCESS, "no such process", "rtevtop list");
	snprintf(path, sizeof path, "%s/99.events", tree.base);
	CHECK_INT(mkdir(path, 0700), 0);
	search(99, tree.base);
	check_words(LOCATE_NOT_REGULAR, "not a regular file", "");
	CHECK_INT(rmdir(path), 0);
	CHECK_INT(symlink("/dev/null", path), 0);
	search(99, tree.base);
	check_words(LOCATE_NOT_REGULAR, "not a regular file", "");
	unlink(path);
	CHECK_INT(symlink("/nowhere/at/all", path), 0);
	search(99, tree.base);
	check_words(LOCATE_NO_PROCESS, "no such process", "rtevtop list");
}

static void become_nobody(void)
{
	CHECK(setresgid(65534, 65534, 65534) == 0 && setresuid(65534, 65534, 65534) == 0);
}

/* Stay root, but without capabilities, as in a container. */
static void drop_capabilities(void)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {0};

	CHECK_INT(syscall(SYS_capset, &header, none), 0);
}

/* Run a check in a process without rights; root gives up its own for it. */
static void run_unprivileged(void (*check)(void), void (*give_up)(void))
{
	pid_t pid = fork();
	int status;

	CHECK(pid >= 0);
	if (pid == 0) {
		if (geteuid() == 0)
			give_up();
		check();
		exit(0);
	}
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK_INT(status, 0);
}

/* The ring can't be read: another user's when the test may arrange that, else a protected one of our own. */
static void check_ring_denied(void)
{
	char user[PROC_USER_SIZE], remedy[128] = "run rtevtop as root";

	search(10, NULL);
	if (found.uid != geteuid()) {
		proc_user(found.uid, user);
		snprintf(remedy, sizeof remedy, "run rtevtop as %s or as root", user);
		check_words(LOCATE_RING_DENIED, user, remedy);
	}
	check_words(LOCATE_RING_DENIED, "cannot open", remedy);
}

/* The process can't be looked at. */
static void check_process_denied(void)
{
	search(10, NULL);
	check_words(LOCATE_PROCESS_DENIED, "cannot look into process 10 (prog)", "run rtevtop as ");
}

/* Root that lacks a capability is told which one: it can't "run rtevtop as root". */
static void check_ring_denied_to_root(void)
{
	search(10, NULL);
	check_words(LOCATE_RING_DENIED, "it belongs to user", "rtevtop needs the capability DAC_READ_SEARCH");
}

static void check_process_denied_to_root(void)
{
	search(10, NULL);
	check_words(LOCATE_PROCESS_DENIED, "it belongs to user", "rtevtop needs the capability SYS_PTRACE");
}

/* Its maps can't be read, but the directory where its ring is was given. */
static void check_dir_only(void)
{
	search(10, tree.base);
	check_found("10.events", LOCATE_BY_DIR, LOCATE_MAPS_UNKNOWN);
}

TEST(test_denied)
{
	char path[700];

	begin();
	put("10.events");
	map_file("rw-s", "10.events", NULL);
	snprintf(path, sizeof path, "%s/10.events", tree.base);
	if (geteuid() == 0) {
		/* Everything is nobody's but the ring. */
		CHECK_INT(chmod(tree.base, 0755), 0);
		CHECK_INT(chmod(tree.root, 0755), 0);
		CHECK_INT(chmod(tree_path(&tree, "proc/self"), 0755), 0);
		CHECK_INT(chmod(tree_path(&tree, "proc/self/ns"), 0755), 0);
		CHECK_INT(chmod(tree_path(&tree, "proc/10"), 0755), 0);
		CHECK_INT(chmod(tree_path(&tree, "proc/10/stat"), 0644), 0);
		CHECK_INT(chmod(tree_path(&tree, "proc/10/status"), 0644), 0);
		CHECK_INT(chmod(tree_path(&tree, "proc/10/maps"), 0644), 0);
		CHECK_INT(chown(path, 4, 4), 0);
		run_unprivileged(check_ring_denied_to_root, drop_capabilities);
	} else {
		CHECK_INT(chmod(path, 0), 0);
	}
	run_unprivileged(check_ring_denied, become_nobody);
	CHECK_INT(chmod(tree_path(&tree, "proc/10/maps"), 0), 0);
	run_unprivileged(check_process_denied, become_nobody);
	CHECK_INT(chmod(path, 0644), 0);
	run_unprivileged(check_dir_only, become_nobody);
	if (geteuid() == 0) {
		CHECK_INT(chown(tree_path(&tree, "proc/10/maps"), 4, 4), 0);
		tree_status(&tree, 10, 10, 4, "10");
		run_unprivileged(check_process_denied_to_root, drop_capabilities);
	}
}

/* Words fit any buffer. */
TEST(test_words_cut)
{
	char message[20], remedy[20];

	memset(&found, 0, sizeof found);
	found.fd = -1;
	memset(found.path, 'x', sizeof found.path - 1);
	memset(found.name, 'y', sizeof found.name - 1);
	for (int status = LOCATE_OK; status <= LOCATE_FAILED; status++) {
		found.status = (enum locate_status)status;
		locate_explain(&found, message, sizeof message, remedy, sizeof remedy);
		CHECK(strlen(message) == sizeof message - 1);
		CHECK(strlen(remedy) < sizeof remedy);
	}
}
