/*
 * trail_bytes.h - open a recording that a test has in memory: as a file without a name, which the next one replaces.
 */
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include "trail/reader.h"

static inline enum trail_status trail_open_bytes(struct trail **out, const void *data, size_t size)
{
	static int fd = -1;

	if (fd < 0)
		fd = memfd_create("trail", MFD_CLOEXEC);
	if (fd < 0 || ftruncate(fd, 0) != 0 || pwrite(fd, data, size, 0) != (ssize_t)size ||
	    lseek(fd, 0, SEEK_SET) != 0)
		abort();
	return trail_open(out, fd);
}
