/*
 * kept_file.c - small files of /proc and /sys that stay open.
 */
#include "target/kept_file.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

enum { REST = 15 }; /* reads between two attempts to open */

enum system_known kept_reason(int error)
{
	switch (error) {
	case EACCES:
	case EPERM:
		return SYSTEM_DENIED;
	case ENOENT:
	case ENOTDIR:
		return SYSTEM_NO_FILE;
	case ESRCH:
		return SYSTEM_ENDED;
	case EOPNOTSUPP:
	case EINVAL:
	case ENODEV:
		return SYSTEM_OTHER_KERNEL;
	default:
		return SYSTEM_NOT_READ;
	}
}

/* Read an open file from its start. */
static enum system_known read_open(int fd, char *buf, size_t size, size_t *len)
{
	ssize_t n;

	do
		n = pread(fd, buf, size - 1, 0);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return kept_reason(errno);
	buf[n] = '\0';
	*len = (size_t)n;
	return SYSTEM_KNOWN;
}

enum system_known kept_read(
    struct kept_file *file, int dir, const char *name, char *buf, size_t size, size_t *len)
{
	enum system_known known;

	*len = 0;
	buf[0] = '\0';
	if (file->fd < 0) {
		if (file->rest > 0) {
			file->rest--;
			return file->refused;
		}
		file->fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	}
	known = file->fd < 0 ? kept_reason(errno) : read_open(file->fd, buf, size, len);
	if (known != SYSTEM_KNOWN) {
		kept_close(file);
		file->rest = REST;
		file->refused = known;
	}
	return known;
}

enum system_known read_once(int dir, const char *name, char *buf, size_t size, size_t *len)
{
	struct kept_file file = KEPT_FILE_NONE;
	enum system_known known = kept_read(&file, dir, name, buf, size, len);

	kept_close(&file);
	return known;
}

void kept_close(struct kept_file *file)
{
	if (file->fd >= 0)
		close(file->fd);
	*file = KEPT_FILE_NONE;
}
