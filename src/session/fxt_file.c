/*
 * fxt_file.c - tell a Fuchsia trace from a ring.
 */
#include "session/fxt_file.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int fxt_file_open(const char *path)
{
	static const unsigned char magic[8] = {0x10, 0x00, 0x04, 0x46, 0x78, 0x54, 0x16, 0x00};
	unsigned char first[sizeof(magic)];
	struct stat st;

	/* Whatever it is, opening it must not wait. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return -1;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	    pread(fd, first, sizeof(first), 0) == (ssize_t)sizeof(first) &&
	    memcmp(first, magic, sizeof(magic)) == 0)
		return fd;
	close(fd);
	return -1;
}

/* Tell whether a path names one. */
bool fxt_file_is(const char *path)
{
	int fd = fxt_file_open(path);

	if (fd < 0)
		return false;
	close(fd);
	return true;
}
