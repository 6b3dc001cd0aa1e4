/*
 * test_target_parse.c - the parsers of /proc: maps, stat, status, words.
 */
#include "target/version.h"
#include "target/maps.h"
#include "target/status.h"
#include "target/proc.h"
#include "support/test.h"

#include <fcntl.h>
#include <pwd.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* Parse a line of maps. */
static bool parse(const char *line, struct map *map)
{
	return map_parse(line, strlen(line), map);
}

TEST(test_map_lines)
{
	struct map map;
	int64_t number;

	CHECK(parse(
	    "7f8ae2a00000-7f8ae6b03000 rw-s 00001000 fe:0a 10961322                   /tmp/r/24918.events",
	    &map));
	CHECK(map.start == 0x7f8ae2a00000 && map.end == 0x7f8ae6b03000);
	CHECK_INT(map.offset, 0x1000);
	CHECK_INT(map.dev_major, 0xfe);
	CHECK_INT(map.dev_minor, 10);
	CHECK_INT(map.inode, 10961322);
	CHECK_STR(map.perms, "rw-s");
	CHECK_STR(map.path, "/tmp/r/24918.events");
	CHECK(!map.deleted);
	CHECK(map_is_ring(&map, &number));
	CHECK_INT(number, 24918);

	CHECK(parse("1000-2000 rw-s 0 00:01 7 /a/9.events (deleted)", &map));
	CHECK(map.deleted);
	CHECK_STR(map.path, "/a/9.events");
	CHECK(map_is_ring(&map, &number));

	/* Spaces in the path are its own; those before it are not. */
	CHECK(parse("1000-2000 rw-s 0 00:01 7       /a b/ 9.events", &map));
	CHECK_STR(map.path, "/a b/ 9.events");

	CHECK(parse("1000-2000 rw-p 00000000 00:00 0 ", &map));
	CHECK_STR(map.path, "");
	CHECK(parse("1000-2000 rw-p 00000000 00:00 0", &map));
	CHECK_STR(map.path, "");
	CHECK(parse(
	    "ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0                  [vsyscall]", &map));
	CHECK_STR(map.path, "[vsyscall]");
}

TEST(test_map_nonsense)
{
	static const char *const lines[] = {"", " ", "-", "1000", "1000-", "1000-2000", "1000-2000 rw-s",
	    "1000-2000 rw-s 0", "1000-2000 rw-s 0 0", "1000-2000 rw-s 0 0:0", "1000-2000 rw-s 0 0:0 x",
	    "2000-1000 rw-s 0 0:0 0", "g000-2000 rw-s 0 0:0 0", "1000-2000rw-s 0 0:0 0",
	    "10000000000000000-2000 rw-s 0 0:0 0", "1000-2000 rw-s 0 100000000:0 0",
	    "1000-2000 rw-s 0 0:0 18446744073709551616", "Rss:                 512 kB"};
	struct map map;
	char longest[PROC_PATH_SIZE + 100];

	for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
		if (parse(lines[i], &map))
			TEST_FAIL("taken for a mapping: %s", lines[i]);
	CHECK(!map_parse("1000-2000 rw-s 0 0:0 1 /a\0b", 27, &map));

	/* A path that does not fit is refused; the longest that does is kept whole. */
	memset(longest, 'x', sizeof longest);
	memcpy(longest, "1000-2000 rw-s 0 0:0 1 /", 24);
	CHECK(!map_parse(longest, 23 + PROC_PATH_SIZE, &map));
	CHECK(map_parse(longest, 22 + PROC_PATH_SIZE, &map));
	CHECK_INT(strlen(map.path), PROC_PATH_SIZE - 1);
}

TEST(test_map_unescape)
{
	char out[32];

	CHECK(map_unescape("/a\\012b/1.events", out, sizeof out));
	CHECK_STR(out, "/a\nb/1.events");
	CHECK(map_unescape("\\134\\040", out, sizeof out));
	CHECK_STR(out, "\\ ");
	CHECK(!map_unescape("/a/b", out, sizeof out));
	CHECK(!map_unescape("/a\\01", out, sizeof out));
	CHECK(!map_unescape("/a\\999", out, sizeof out));
	CHECK(!map_unescape("/a\\400", out, sizeof out));  /* no byte is so large */
	CHECK(!map_unescape("/a\\000b", out, sizeof out)); /* no path has a NUL */
	CHECK(!map_unescape("\\0120123456789012345678901234567890", out, sizeof out));
}

/* Whether a mapping with these permissions and path is a ring. */
static bool ring(const char *perms, const char *path)
{
	struct map map = {.inode = 1};
	int64_t number;

	strcpy(map.perms, perms);
	strcpy(map.path, path);
	return map_is_ring(&map, &number);
}

TEST(test_ring_names)
{
	struct map map = {.inode = 0, .perms = "rw-s", .path = "/1.events"};
	int64_t number;

	CHECK(ring("rw-s", "/x/1.events"));
	CHECK(ring("-w-s", "/x/2147483647.events"));
	CHECK(!ring("r--s", "/x/1.events")); /* a reader's */
	CHECK(!ring("rw-p", "/x/1.events"));
	CHECK(!ring("rw-s", "/x/.events"));
	CHECK(!ring("rw-s", "/x/a.events"));
	CHECK(!ring("rw-s", "/x/1.event"));
	CHECK(!ring("rw-s", "/x/1.events.bak"));
	CHECK(!ring("rw-s", "/x/2147483648.events"));
	CHECK(!ring("rw-s", "/x/99999999999999999999.events"));
	CHECK(!ring("rw-s", "/1.events/x"));
	CHECK(!ring("rw-s", ""));
	CHECK(!map_is_ring(&map, &number)); /* no file behind it */
}

TEST(test_stat)
{
	struct status_stat stat;
	const char *line = "42 (a) b (c) d) R 1 42 42 34816 42 4194304 5146 0 0 0 123 45 0 0 20 0 4 0 "
			   "987654 616960 300 18446744073709551615 1 1 140725 0 0 0 0 0 0 0 0 0 17 0 0 0 0\n";
	char cut[512];

	CHECK(status_parse_stat(line, strlen(line), &stat));
	CHECK_INT(stat.pid, 42);
	CHECK_STR(stat.name, "a) b (c) d");
	CHECK_INT(stat.state, 'R');
	CHECK_INT(stat.cpu_ticks, 168);
	CHECK_INT(stat.start_ticks, 987654);
	CHECK_INT(stat.stack, 140725);
	CHECK_INT(stat.flags, 4194304);
	CHECK(!status_ended(&stat));

	/* Negative fields stand before those we want. */
	line = "7 (x) Z -1 -7 -7 0 -1 0 0 0 0 0 1 2 0 0 -20 -5 1 0 55 0 0 0 0 0 0";
	CHECK(status_parse_stat(line, strlen(line), &stat));
	CHECK_INT(stat.start_ticks, 55);
	CHECK(status_ended(&stat));

	/* A line that ends after the start time is enough, a shorter one is not. */
	line = "7 (x) S 1 7 7 0 -1 0 0 0 0 0 1 2 0 0 20 0 1 0 55";
	CHECK(status_parse_stat(line, strlen(line), &stat));
	CHECK_INT(stat.stack, 0);
	for (size_t n = 0; n < strlen(line) - 2; n++) {
		memcpy(cut, line, n);
		CHECK(!status_parse_stat(cut, n, &stat));
	}
	CHECK(!status_parse_stat("7 (x) S a b", 11, &stat));
	CHECK(!status_parse_stat("99999999999999999999 (x) S", 26, &stat));
}

TEST(test_stat_long_name)
{
	struct status_stat stat;
	char line[512];

	snprintf(line, sizeof line, "7 (%0200d) S 1 7 7 0 -1 0 0 0 0 0 1 2 0 0 20 0 1 0 55\n", 1);
	CHECK(status_parse_stat(line, strlen(line), &stat));
	CHECK_INT(strlen(stat.name), STATUS_NAME_SIZE - 1);
	CHECK_INT(stat.start_ticks, 55);
}

TEST(test_status)
{
	struct status_ids ids;
	const char *text = "Name:\tNSpid:\t99\nTgid:\t300\nPid:\t301\nUid:\t1000\t1001\t1002\t1003\n"
			   "NSpid:\t301\t12\t1\nVmRSS:\t 512 kB";

	status_parse_ids(text, strlen(text), &ids);
	CHECK_INT(ids.tgid, 300);
	CHECK_INT(ids.ns_pid, 1);
	CHECK(ids.has_uid);
	CHECK_INT(ids.uid, 1001);
	CHECK_INT(ids.real_uid, 1000);
	CHECK(ids.gid == STATUS_NOBODY && ids.real_gid == STATUS_NOBODY && ids.group_count == 0);

	/* Kernels without namespaces tell no NSpid; the last line may lack its end. */
	text = "Tgid:\t5";
	status_parse_ids(text, strlen(text), &ids);
	CHECK_INT(ids.tgid, 5);
	CHECK_INT(ids.ns_pid, 0);
	CHECK(!ids.has_uid);
	text = "Tgid:\t99999999999\nUid:\nUid:\t5\nNSpid:\t\nTgid\n:\n\n";
	status_parse_ids(text, strlen(text), &ids);
	CHECK(ids.tgid == 0 && ids.ns_pid == 0 && !ids.has_uid);

	text = "Uid:\t1\t2\t3\t4\nGid:\t5\t6\t7\t8\nGroups:\t9 10 4294967295 4294967296 11\n";
	status_parse_ids(text, strlen(text), &ids);
	CHECK(ids.has_uid && ids.real_uid == 1 && ids.uid == 2 && ids.real_gid == 5 && ids.gid == 6);
	CHECK_INT(ids.group_count, 3);
	CHECK(ids.groups[0] == 9 && ids.groups[1] == 10 && ids.groups[2] == UINT32_MAX);
	static char many[8192] = "Groups:\t";
	for (size_t used = strlen(many); used < sizeof many - 4; used += 3)
		strcpy(many + used, "77 ");
	status_parse_ids(many, strlen(many), &ids);
	CHECK_INT(ids.group_count, STATUS_GROUPS_MAX);
}

TEST(test_words)
{
	static const char text[] = "A=1\0OCAML=no\0DIR=/x y\0EMPTY=\0DIR=/second\0LAST=end";
	char buf[8];

	CHECK_STR(words_get(text, sizeof text - 1, 0).text, "A=1");
	CHECK_INT(words_get(text, sizeof text - 1, 5).len, 8);
	CHECK(words_get(text, sizeof text - 1, 6).text == NULL);
	CHECK(words_get("", 0, 0).text == NULL);

	CHECK_INT(words_value(text, sizeof text - 1, "DIR").len, 4);
	CHECK(memcmp(words_value(text, sizeof text - 1, "DIR").text, "/x y", 4) == 0);
	CHECK(words_value(text, sizeof text - 1, "EMPTY").text != NULL);
	CHECK_INT(words_value(text, sizeof text - 1, "EMPTY").len, 0);
	CHECK(words_value(text, sizeof text - 1, "OCAM").text == NULL);
	CHECK(words_value(text, sizeof text - 1, "NONE").text == NULL);
	CHECK_INT(words_value(text, sizeof text - 1, "LAST").len, 3);
	/* Cut right behind a name: the '=' there is no part of the text. */
	CHECK(words_value(text, sizeof text - 5, "LAST").text == NULL);

	CHECK_INT(word_copy(words_value(text, sizeof text - 1, "LAST"), buf, sizeof buf), 4);
	CHECK_STR(buf, "end");
	CHECK_INT(word_copy(words_get(text, sizeof text - 1, 4), buf, sizeof buf), 12);
	CHECK_STR(buf, "DIR=/se");

	words_join("ls\0-l\0/x\0\0", 10, buf, sizeof buf);
	CHECK_STR(buf, "ls -l /");
	words_join("", 0, buf, sizeof buf);
	CHECK_STR(buf, "");
}

/* The guess for a command line, as a string. */
static const char *guess(const char *cmdline, size_t len, unsigned index)
{
	static char buf[64];
	struct word word = bytecode_guess(cmdline, len, index);

	if (word.text == NULL)
		return NULL;
	word_copy(word, buf, sizeof buf);
	return buf;
}

#define GUESS(line, index) guess(line, sizeof(line) - 1, index)

TEST(test_bytecode_guess)
{
	CHECK_STR(GUESS("ocamlrun\0./prog\0-x\0", 0), "ocamlrun");
	CHECK_STR(GUESS("ocamlrun\0./prog\0-x\0", 1), "./prog");
	CHECK_STR(GUESS("/bin/ocamlrun\0-b\0-I\0/lib\0-v\0prog\0", 1), "prog");
	CHECK(GUESS("ocamlrun\0-I\0", 1) == NULL);
	CHECK(GUESS("ocamlrun\0prog\0", 2) == NULL);
	CHECK(GUESS("ocamlrun", 1) == NULL);
}

/* The names of users are those that the C library knows, and a number else. */
TEST(test_users)
{
	char name[PROC_USER_SIZE], number[PROC_USER_SIZE];
	uid_t unknown = 4000000000u;
	struct passwd *entry;

	setpwent();
	for (int i = 0; i < 1000 && (entry = getpwent()) != NULL; i++) {
		uid_t uid = entry->pw_uid;
		proc_user(uid, name);
		entry = getpwuid(uid);
		CHECK(entry != NULL);
		CHECK_INT(strncmp(name, entry->pw_name, sizeof(name) - 1), 0);
	}
	endpwent();
	while (getpwuid(unknown) != NULL)
		unknown--;
	proc_user(unknown, name);
	snprintf(number, sizeof(number), "%lu", (unsigned long)unknown);
	CHECK_STR(name, number);
}

/* Map a new file of a folder into this process, and ask the kernel whether it could be of OCaml. */
static bool lacks_with(const char *dir, const char *name, int protection, int flags)
{
	struct proc proc;
	char path[512];

	snprintf(path, sizeof path, "%s/%s", dir, name);
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0700);
	CHECK(fd >= 0);
	CHECK_INT(ftruncate(fd, 4096), 0);
	void *mapped = mmap(NULL, 4096, protection, flags, fd, 0);
	CHECK(mapped != MAP_FAILED);
	CHECK_INT(proc_open(&proc, NULL, getpid()), 0);
	bool lacks = maps_lack_ocaml(&proc);
	proc_close(&proc);
	munmap(mapped, 4096);
	close(fd);
	unlink(path);
	return lacks;
}

/* What the kernel says without a text of all mappings. */
TEST(test_lacks)
{
	char dir[] = "/tmp/rtev-maps-XXXXXX";

	CHECK(mkdtemp(dir) != NULL);
	if (!lacks_with(dir, "any", PROT_READ, MAP_PRIVATE))
		printf("not tried: this kernel can't be asked about mappings\n");
	else
		CHECK(lacks_with(dir, "any", PROT_READ | PROT_WRITE, MAP_PRIVATE) &&
		      lacks_with(dir, "4242.events", PROT_READ, MAP_SHARED) &&
		      lacks_with(dir, "any", PROT_READ | PROT_EXEC, MAP_PRIVATE));
	CHECK(!lacks_with(dir, "4242.events", PROT_READ | PROT_WRITE, MAP_SHARED));
	CHECK(!lacks_with(dir, "libasmrun_shared.so", PROT_READ | PROT_EXEC, MAP_PRIVATE));
	CHECK(!lacks_with(dir, "libcamlrun_shared.so", PROT_READ | PROT_EXEC, MAP_PRIVATE));
	rmdir(dir);
}
