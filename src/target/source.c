/*
 * source.c - read a file by offset.
 */
#include "target/source.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool source_from_fd(struct source *source, int fd, uint64_t budget)
{
	struct stat st;

	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size < 0)
		return false;
	*source = (struct source){.fd = fd, .size = (uint64_t)st.st_size, .budget = budget};
	return true;
}

void source_from_memory(struct source *source, const void *data, size_t size, uint64_t budget)
{
	*source = (struct source){.fd = -1, .data = data, .size = size, .budget = budget};
}

static bool read_fd(int fd, uint64_t offset, uint8_t *buf, size_t n)
{
	while (n > 0) {
		ssize_t got = pread(fd, buf, n, (off_t)offset);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		buf += got;
		offset += (uint64_t)got;
		n -= (size_t)got;
	}
	return true;
}

bool source_read(struct source *source, uint64_t offset, void *buf, size_t n)
{
	if (offset > source->size || n > source->size - offset)
		return false;
	if (n > source->budget) {
		source->exhausted = true;
		return false;
	}
	source->budget -= n;
	if (source->fd >= 0)
		return read_fd(source->fd, offset, buf, n);
	if (n > 0)
		memcpy(buf, source->data + offset, n);
	return true;
}

bool source_scan(
    struct source *source, uint64_t offset, uint64_t size, size_t overlap, source_visit *visit, void *ctx)
{
	uint8_t window[SOURCE_WINDOW];
	size_t kept = 0;
	bool whole = true;

	if (offset >= source->size)
		return size == 0;
	if (size > source->size - offset) {
		size = source->size - offset;
		whole = false;
	}
	while (size > 0) {
		size_t n = sizeof window - kept;

		if (n > size)
			n = (size_t)size;
		if (!source_read(source, offset, window + kept, n))
			return false;
		if (!visit(ctx, offset - kept, window, kept + n))
			return true;
		offset += n;
		size -= n;
		/* only the first windows are shorter than the overlap */
		n += kept;
		kept = n < overlap ? n : overlap;
		memmove(window, window + n - kept, kept);
	}
	return whole;
}
