/*
 * read_source.c - read a trace's bytes from a descriptor or memory.
 */
#include "memtrace/read_source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/errors.h"
#include "rtev/rtev.h"

int mt_source_fd(struct mt_source *source, int fd)
{
	struct stat st;

	*source = (struct mt_source){.fd = fd};
	if (fstat(fd, &st) != 0)
		return RTEV_E_IO;
	if (S_ISDIR(st.st_mode))
		return RTEV_E_NOT_REGULAR;
	off_t place = lseek(fd, 0, SEEK_CUR);
	source->seeks = place >= 0;
	source->start = source->seeks ? (uint64_t)place : 0;
	source->buffer = malloc(MT_SOURCE_WINDOW);
	source->data = source->buffer;
	return source->buffer == NULL ? RTEV_E_NOMEM : RTEV_OK;
}

int mt_source_path(struct mt_source *source, const char *path)
{
	*source = (struct mt_source){.fd = -1};
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return status_of_errno(errno);
	int status = mt_source_fd(source, fd);
	source->owned = true;
	return status;
}

void mt_source_memory(struct mt_source *source, const void *data, size_t size)
{
	*source = (struct mt_source){.data = data, .size = size, .fd = -1};
}

void mt_source_fini(struct mt_source *source)
{
	if (source->owned)
		close(source->fd);
	free(source->buffer);
}

/* Check whether a file is now shorter than the part already read. */
static bool was_cut(const struct mt_source *source)
{
	struct stat st;

	return source->seeks && fstat(source->fd, &st) == 0 && S_ISREG(st.st_mode) &&
	       (uint64_t)st.st_size < source->start + source->base + source->size;
}

/* Append the data of one read to the buffer.  *n is 0 when there is no more data now. */
static int read_more(struct mt_source *source, size_t *n)
{
	uint8_t *place = source->buffer + source->size;
	size_t room = MT_SOURCE_WINDOW - source->size;
	ssize_t got;

	do {
		got = source->seeks ? pread(source->fd, place, room,
					  (off_t)(source->start + source->base + source->size))
				    : read(source->fd, place, room);
	} while (got < 0 && errno == EINTR);
	*n = 0;
	if (got < 0) /* EAGAIN: a pipe without data */
		return errno == EAGAIN ? RTEV_OK : RTEV_E_IO;
	if (got == 0 && was_cut(source))
		return RTEV_E_MEMTRACE_CHANGED;
	*n = (size_t)got;
	source->size += *n;
	return RTEV_OK;
}

int mt_source_need(struct mt_source *source, size_t want, size_t *got)
{
	size_t n = 1;

	if (source->size - source->at < want && source->buffer != NULL) {
		/* Move the window to the front of the buffer, so that `want` bytes fit. */
		memmove(source->buffer, source->buffer + source->at, source->size - source->at);
		source->base += source->at;
		source->size -= source->at;
		source->at = 0;
		while (source->size < want && n > 0) {
			int status = read_more(source, &n);
			if (status != RTEV_OK)
				return status;
		}
	}
	*got = source->size - source->at;
	return RTEV_OK;
}

bool mt_source_size(const struct mt_source *source, uint64_t *bytes)
{
	struct stat st;

	if (source->fd < 0) {
		*bytes = source->size;
		return true;
	}
	if (fstat(source->fd, &st) != 0 || !S_ISREG(st.st_mode))
		return false;
	*bytes = (uint64_t)st.st_size;
	return true;
}
