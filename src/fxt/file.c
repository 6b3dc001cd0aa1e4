/*
 * file.c - destinations that write to a file descriptor.
 *
 * Each buffer is written as a whole.  If a write stops halfway, the end may be inside a record; a regular
 * file is then truncated behind the last whole record, provided that nothing follows (the descriptor may be
 * the caller's, at any position of another file).
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/errors.h"
#include "fxt/format.h"
#include "rtev/fxt.h"

struct file_destination {
	struct rtev_fxt_destination base; /* first */
	int fd;
	bool own; /* close it at the end */
	size_t size;
	unsigned char buffer[];
};

/* Remove the last `surplus` bytes of a regular file, if possible. */
static void cut_back(int fd, size_t surplus)
{
	struct stat info;
	off_t at = lseek(fd, 0, SEEK_CUR);
	if (surplus == 0 || at < 0 || fstat(fd, &info) != 0 || !S_ISREG(info.st_mode) || info.st_size != at ||
	    (uintmax_t)at < surplus)
		return;
	off_t end = at - (off_t)surplus;
	if (ftruncate(fd, end) == 0)
		(void)lseek(fd, end, SEEK_SET);
}

/* Write a buffer; wait if the descriptor is non-blocking. */
static int file_take(struct rtev_fxt_destination *self, size_t used)
{
	const struct file_destination *file = (struct file_destination *)(void *)self;
	size_t done = 0;
	while (done < used) {
		ssize_t n = write(file->fd, file->buffer + done, used - done);
		if (n > 0) {
			done += (size_t)n;
			continue;
		}
		int error = n == 0 ? EIO : errno;
		if (error == EINTR)
			continue;
		if (error == EAGAIN || error == EWOULDBLOCK) {
			struct pollfd ready = {.fd = file->fd, .events = POLLOUT};
			if (poll(&ready, 1, -1) >= 0 || errno == EINTR)
				continue;
			error = errno;
		}
		cut_back(file->fd, done - fxt_whole_records(file->buffer, done));
		return status_of_write(error);
	}
	return RTEV_OK;
}

/* Provide the buffer. */
static int file_next(struct rtev_fxt_destination *self, size_t need, void **data, size_t *size)
{
	struct file_destination *file = (struct file_destination *)(void *)self;
	(void)need; /* the writer refuses a buffer that is too small */
	*data = file->buffer;
	*size = file->size;
	return RTEV_OK;
}

/* Close the descriptor if it is ours, and free the destination. */
static int file_close(struct rtev_fxt_destination *self)
{
	struct file_destination *file = (struct file_destination *)(void *)self;
	int status = RTEV_OK;
	/* After EINTR the descriptor is closed nonetheless. */
	if (file->own && close(file->fd) != 0 && errno != EINTR)
		status = status_of_write(errno);
	free(file);
	return status;
}

/* Create a destination for a descriptor. */
static int create(struct rtev_fxt_destination **out, int fd, bool own, size_t size)
{
	if (size == 0)
		size = RTEV_FXT_BUFFER_BYTES;
	if (size > SIZE_MAX - sizeof(struct file_destination))
		return RTEV_E_NOMEM;
	struct file_destination *made = calloc(1, sizeof(*made) + size);
	if (made == NULL)
		return RTEV_E_NOMEM;
	made->base = (struct rtev_fxt_destination){
	    .size = sizeof(made->base), .next = file_next, .take = file_take, .close = file_close};
	made->fd = fd;
	made->own = own;
	made->size = size;
	*out = &made->base;
	return RTEV_OK;
}

/* Status of a failed open. */
static int open_status(int error)
{
	return error == ENOSPC || error == EDQUOT ? RTEV_E_FXT_NO_SPACE : status_of_errno(error);
}

int rtev_fxt_file_create(struct rtev_fxt_destination **out, const char *path, size_t buffer_bytes)
{
	if (out == NULL)
		return RTEV_E_INVALID;
	*out = NULL;
	if (path == NULL)
		return RTEV_E_INVALID;
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (fd < 0)
		return open_status(errno);
	int status = create(out, fd, true, buffer_bytes);
	if (status != RTEV_OK)
		close(fd);
	return status;
}

int rtev_fxt_fd_create(struct rtev_fxt_destination **out, int fd, size_t buffer_bytes)
{
	if (out == NULL)
		return RTEV_E_INVALID;
	*out = NULL;
	if (fd < 0)
		return RTEV_E_INVALID;
	return create(out, fd, false, buffer_bytes);
}
