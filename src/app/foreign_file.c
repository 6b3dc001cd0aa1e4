/*
 * foreign_file.c - see foreign_file.h.
 */
#include "app/foreign_file.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "app/commands/commands.h"
#include "app/fail.h"
#include "session/target_name.h"

/* A ring is given its size right after it was made; this long is no moment any more. */
#define EMPTY_S 2

/* Refuse a memtrace file, by how each of its packets begins. */
static bool refuse_memtrace(const char *path, int fd)
{
	static const unsigned char magic[4] = {0xc1, 0x1f, 0xfc, 0xc1};
	unsigned char first[sizeof(magic)];

	if (pread(fd, first, sizeof(first), 0) != (ssize_t)sizeof(first) ||
	    memcmp(first, magic, sizeof(magic)) != 0)
		return false;
	fail_message("`rtevtop memtrace FILE` shows it, and --memtrace FILE does beside a TARGET.",
	    "could not open %s: it is a memtrace file, no ring", path);
	return true;
}

/* Refuse a file that has been empty for a while. */
static bool refuse_empty(const char *path, const struct stat *st)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	if (st->st_size != 0 || now.tv_sec - st->st_mtim.tv_sec < EMPTY_S)
		return false;
	fail_message(
	    "the program that made it may have died while starting", "could not open %s: it is empty", path);
	return true;
}

/* Refuse a file that could be no target. */
bool foreign_file_refuse(const struct options *options)
{
	struct target_name name;
	struct stat st;

	if (options->command->memtrace || options->target == NULL ||
	    !target_name_parse(&name, options->target) || name.kind != TARGET_FILE)
		return false;
	/* Whatever it is, opening it must not wait. */
	int fd = open(name.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return false;
	bool refused =
	    fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	    (refuse_memtrace(name.path, fd) || (options->wait_ns == 0 && refuse_empty(name.path, &st)));
	close(fd);
	return refused;
}
