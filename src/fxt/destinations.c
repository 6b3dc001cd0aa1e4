/*
 * destinations.c - where traces go: memory, a callback, nothing, a file.
 *
 * A file is written a buffer at a time.  If a write stops halfway, the end may be inside a record; a regular
 * file is then truncated behind the last whole record, provided that nothing follows (the descriptor may be
 * the caller's, at any position of another file).
 */
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/files.h"
#include "core/sized.h"
#include "fxt/format.h"
#include "rtev/fxt.h"

/* All destinations of the library. */
struct destination {
	struct rtev_fxt_destination base; /* first */
	unsigned char *data;		  /* `buffer`, or the caller's memory */
	size_t size;
	size_t *used; /* NULL, or the caller's count: the buffer handed out is the rest of `data` */
	int (*write)(void *ctx, const void *data, size_t size); /* NULL: discard */
	void *ctx;
	int fd;
	bool own; /* close the descriptor at the end */
	unsigned char buffer[];
};

int rtev_fxt_destination_close(struct rtev_fxt_destination *destination)
{
	struct rtev_fxt_destination calls = {0};
	if (destination == NULL)
		return RTEV_OK;
	if (!sized_take(&calls, sizeof(calls), destination) || calls.close == NULL)
		return RTEV_E_INVALID;
	return calls.close(destination);
}

static struct destination *destination_of(struct rtev_fxt_destination *base)
{
	return (struct destination *)(void *)base;
}

/* Provide the buffer.  Of a caller's memory, the rest has to suffice; a small buffer the writer refuses itself. */
static int next(struct rtev_fxt_destination *self, size_t need, void **data, size_t *size)
{
	const struct destination *d = destination_of(self);
	size_t used = d->used != NULL ? *d->used : 0;
	if (d->used != NULL && d->size - used < need)
		return RTEV_E_FXT_NO_SPACE;
	*data = d->data + used;
	*size = d->size - used;
	return RTEV_OK;
}

static int take(struct rtev_fxt_destination *self, size_t used)
{
	const struct destination *d = destination_of(self);
	if (d->used != NULL)
		*d->used += used;
	return used > 0 && d->write != NULL ? d->write(d->ctx, d->data, used) : RTEV_OK;
}

/* Close the descriptor if it is ours, and free the destination. */
static int finish(struct rtev_fxt_destination *self)
{
	struct destination *d = destination_of(self);
	int status = RTEV_OK;
	/* After EINTR the descriptor is closed nonetheless. */
	if (d->own && close(d->fd) != 0 && errno != EINTR)
		status = status_of_write(errno);
	free(d);
	return status;
}

/* Create a destination with a buffer of its own; 0 bytes: of the default size.  NULL when memory runs out. */
static struct destination *create(size_t bytes)
{
	if (bytes == 0)
		bytes = RTEV_FXT_BUFFER_BYTES;
	if (bytes > SIZE_MAX - sizeof(struct destination))
		return NULL;
	struct destination *made = calloc(1, sizeof(*made) + bytes);
	if (made == NULL)
		return NULL;
	made->base = (struct rtev_fxt_destination){
	    .size = sizeof(made->base), .next = next, .take = take, .close = finish};
	made->data = made->buffer;
	made->size = bytes;
	return made;
}

/* Clear *out, and return whether the caller's arguments are valid. */
static bool arguments_valid(struct rtev_fxt_destination **out, bool valid)
{
	if (out != NULL)
		*out = NULL;
	return out != NULL && valid;
}

/* Give a destination to the caller.  RTEV_E_NOMEM: `made` is NULL. */
static int give(struct rtev_fxt_destination **out, struct destination *made)
{
	if (made == NULL)
		return RTEV_E_NOMEM;
	*out = &made->base;
	return RTEV_OK;
}

int rtev_fxt_memory_create(struct rtev_fxt_destination **out, void *memory, size_t size, size_t *used)
{
	if (!arguments_valid(out, memory != NULL && used != NULL))
		return RTEV_E_INVALID;
	struct destination *made = create(1); /* 0 would be the default size; the buffer is not used */
	if (made != NULL) {
		made->data = memory;
		made->size = size;
		made->used = used;
		*used = 0;
	}
	return give(out, made);
}

int rtev_fxt_callback_create(struct rtev_fxt_destination **out, size_t buffer_bytes,
    int (*write)(void *ctx, const void *data, size_t size), void *ctx)
{
	if (!arguments_valid(out, write != NULL))
		return RTEV_E_INVALID;
	struct destination *made = create(buffer_bytes);
	if (made != NULL) {
		made->write = write;
		made->ctx = ctx;
	}
	return give(out, made);
}

int rtev_fxt_discard_create(struct rtev_fxt_destination **out, size_t buffer_bytes)
{
	return arguments_valid(out, true) ? give(out, create(buffer_bytes)) : RTEV_E_INVALID;
}

/* ---- files ---- */

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
static int file_write(void *ctx, const void *data, size_t size)
{
	const unsigned char *bytes = data;
	int fd = ((struct destination *)ctx)->fd;
	size_t done = 0;
	while (done < size) {
		ssize_t n = write(fd, bytes + done, size - done);
		if (n > 0) {
			done += (size_t)n;
			continue;
		}
		int error = n == 0 ? EIO : errno;
		if (error == EINTR)
			continue;
		if (error == EAGAIN || error == EWOULDBLOCK) {
			struct pollfd ready = {.fd = fd, .events = POLLOUT};
			if (poll(&ready, 1, -1) >= 0 || errno == EINTR)
				continue;
			error = errno;
		}
		cut_back(fd, done - fxt_whole_records(bytes, done));
		return status_of_write(error);
	}
	return RTEV_OK;
}

static struct destination *file_create(int fd, bool own, size_t bytes)
{
	struct destination *made = create(bytes);
	if (made != NULL) {
		made->fd = fd;
		made->own = own;
		made->write = file_write;
		made->ctx = made;
	}
	return made;
}

int rtev_fxt_file_create(struct rtev_fxt_destination **out, const char *path, size_t buffer_bytes)
{
	if (!arguments_valid(out, path != NULL))
		return RTEV_E_INVALID;
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (fd < 0)
		return errno == ENOSPC || errno == EDQUOT ? RTEV_E_FXT_NO_SPACE : status_of_errno(errno);
	struct destination *made = file_create(fd, true, buffer_bytes);
	if (made == NULL)
		close(fd);
	return give(out, made);
}

int rtev_fxt_fd_create(struct rtev_fxt_destination **out, int fd, size_t buffer_bytes)
{
	return arguments_valid(out, fd >= 0) ? give(out, file_create(fd, false, buffer_bytes))
					     : RTEV_E_INVALID;
}
