/*
 * disk.c - a file written by its own thread.
 *
 * Invariants, under the lock: `full` holds the buffers to be written, in order.  Each buffer is in `full`, in
 * `empty`, with the thread, or with the filler; `made` counts them all.  Between creation and close only the
 * thread writes to the descriptor, and only the filler touches `current`.
 */
#include "files/disk.h"

#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/queue.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "core/files.h"

#define WAITING_NS 20000000 /* between two calls of `waiting` */

struct buffer {
	STAILQ_ENTRY(buffer) link;
	size_t used;
	unsigned char data[];
};

STAILQ_HEAD(buffers, buffer);

struct disk {
	struct disk_file file;
	size_t buffer_bytes, tail_len;
	unsigned most, made;
	bool regular;	/* a regular file that is no stream */
	size_t piece;	/* bytes of a write to a stream, at most */
	uint64_t bytes; /* taken from the filler */
	struct buffer *current;
	int wake; /* eventfd, readable once a stream is abandoned; else -1 */

	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t taken; /* a buffer to write, or the end */
	pthread_cond_t freed; /* a buffer is empty, or a write failed */
	struct buffers full, empty;
	unsigned empty_count;
	bool writing;	 /* the thread has a buffer */
	uint64_t whole;	 /* bytes written in whole buffers */
	uint64_t writes; /* writes of a converter */
	bool ending, ended;
	int error;
	int refused; /* ENOMEM once disk_next had no memory */
	bool torn;   /* owned by the thread until it has ended */
};

/* Wait until a stream can be written to.  Returns 0, or ECANCELED once the disk is abandoned, or another
 * errno. */
static int wait_writable(const struct disk *disk)
{
	for (;;) {
		struct pollfd fds[2] = {
		    {.fd = disk->file.fd, .events = POLLOUT}, {.fd = disk->wake, .events = POLLIN}};
		if (poll(fds, 2, -1) < 0 && errno != EINTR)
			return errno;
		if (fds[1].revents != 0)
			return ECANCELED;
		if (fds[0].revents != 0)
			return 0;
	}
}

bool disk_wait_write(void *ctx, int fd)
{
	struct disk *disk = ctx;

	pthread_mutex_lock(&disk->lock);
	disk->writes++;
	pthread_mutex_unlock(&disk->lock);
	return wait_writable(disk) == 0;
}

/* Write to a stream.  Returns 0 or an errno.  The descriptor may be shared with other processes, so it is not
 * set to O_NONBLOCK; a pipe that polls writable accepts PIPE_BUF bytes without blocking. */
static int write_stream(const struct disk *disk, const void *data, size_t size)
{
	const unsigned char *at = data;

	while (size > 0) {
		int error = wait_writable(disk);
		if (error != 0)
			return error;
		ssize_t n = write(disk->file.fd, at, size < disk->piece ? size : disk->piece);
		if (n > 0) {
			at += n;
			size -= (size_t)n;
		} else if (n == 0 || (errno != EINTR && errno != EAGAIN)) {
			return n == 0 ? EIO : errno;
		}
	}
	return 0;
}

/* Write bytes followed by the tail at an offset of a regular file.  Returns 0 or an errno. */
static int write_regular(const struct disk *disk, const void *data, size_t size, uint64_t to)
{
	size_t done = 0, all = size + disk->tail_len;

	while (done < all) {
		size_t left = done < size ? size - done : 0, tail = done < size ? 0 : done - size;
		const struct iovec parts[2] = {
		    {.iov_base = (void *)((uintptr_t)data + done), .iov_len = left},
		    {.iov_base = (void *)((uintptr_t)disk->file.tail + tail),
			.iov_len = disk->tail_len - tail}};
		ssize_t n = pwritev(disk->file.fd, parts, 2, (off_t)(to + done));
		if (n > 0)
			done += (size_t)n;
		else if (n == 0 || errno != EINTR)
			return n == 0 ? EIO : errno;
	}
	return 0;
}

/* Call `publish`, once.  Returns 0 or an errno. */
static int publish(struct disk *disk)
{
	int (*call)(void *ctx) = disk->file.publish;

	disk->file.publish = NULL;
	return call != NULL ? call(disk->file.ctx) : 0;
}

/* Complete and close the file.  Returns the first errno, `error` if it is set.  A file that lacks buffers is
 * completed, unless it lacks the first. */
static int finish_file(struct disk *disk, int error, int refused)
{
	if (error == 0 && disk->whole == 0)
		error = refused;
	if (error == 0 && !disk->regular)
		error = write_stream(disk, disk->file.tail, disk->tail_len);
	else if (error == 0 && disk->whole == 0)
		error = write_regular(disk, NULL, 0, 0);
	if (error == 0)
		error = publish(disk);
	/* Some file systems report a lack of space only here. */
	if (close(disk->file.fd) != 0 && error == 0)
		error = errno;
	return error != 0 ? error : refused;
}

/* After a failed write, truncate a regular file behind its last whole buffer and the tail.  The tail is
 * written first, over blocks that the file still owns: truncation may free them for other files. */
static void cut_back(struct disk *disk)
{
	bool any = disk->whole > 0;

	if (any && write_regular(disk, NULL, 0, disk->whole) != 0)
		disk->torn = true;
	if (ftruncate(disk->file.fd, (off_t)(disk->whole + (any && !disk->torn ? disk->tail_len : 0))) != 0)
		disk->torn = true;
}

/* Write a buffer.  Returns 0 or an errno. */
static int write_buffer(struct disk *disk, const struct buffer *buffer)
{
	int error;

	if (disk->regular)
		error = write_regular(disk, buffer->data, buffer->used, disk->whole);
	else if (disk->file.convert != NULL)
		error = disk->file.convert(disk->file.ctx, buffer->data, buffer->used);
	else
		error = write_stream(disk, buffer->data, buffer->used);
	if (error != 0 && disk->regular)
		cut_back(disk);
	return error;
}

/* The thread: write full buffers until the end or a failed write. */
static void *write_buffers(void *ctx)
{
	struct disk *disk = ctx;
	int error;

	pthread_mutex_lock(&disk->lock);
	for (;;) {
		struct buffer *buffer = STAILQ_FIRST(&disk->full);
		if (buffer == NULL && disk->ending)
			break;
		if (buffer == NULL) {
			pthread_cond_wait(&disk->taken, &disk->lock);
			continue;
		}
		STAILQ_REMOVE_HEAD(&disk->full, link);
		disk->writing = true;
		error = disk->error;
		if (error == 0) {
			pthread_mutex_unlock(&disk->lock);
			error = write_buffer(disk, buffer);
			pthread_mutex_lock(&disk->lock);
		}
		if (error == 0)
			disk->whole += buffer->used;
		if (error == 0 && disk->file.publish != NULL) {
			pthread_mutex_unlock(&disk->lock);
			error = publish(disk);
			pthread_mutex_lock(&disk->lock);
		}
		if (disk->error == 0)
			disk->error = error;
		disk->writing = false;
		STAILQ_INSERT_HEAD(&disk->empty, buffer, link);
		disk->empty_count++;
		pthread_cond_signal(&disk->freed);
	}
	error = disk->error;
	int refused = disk->refused;
	pthread_mutex_unlock(&disk->lock);
	error = finish_file(disk, error, refused);
	pthread_mutex_lock(&disk->lock);
	disk->error = error;
	disk->ended = true;
	pthread_mutex_unlock(&disk->lock);
	return NULL;
}

int disk_create(struct disk **out, const struct disk_file *file, size_t buffer_bytes, unsigned buffers)
{
	pthread_condattr_t monotonic;
	struct stat st;
	int error;

	if (fstat(file->fd, &st) != 0)
		return errno;
	struct disk *disk = calloc(1, sizeof(*disk));
	if (disk == NULL)
		return ENOMEM;
	disk->file = *file;
	disk->buffer_bytes = buffer_bytes;
	disk->most = buffers;
	disk->regular = S_ISREG(st.st_mode) && !file->stream;
	disk->piece = S_ISREG(st.st_mode) ? buffer_bytes : PIPE_BUF;
	disk->tail_len = file->tail != NULL ? strlen(file->tail) : 0;
	disk->wake = disk->regular ? -1 : eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (!disk->regular && disk->wake < 0) {
		error = errno;
		free(disk);
		return error;
	}
	STAILQ_INIT(&disk->full);
	STAILQ_INIT(&disk->empty);
	pthread_mutex_init(&disk->lock, NULL);
	pthread_cond_init(&disk->taken, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&disk->freed, &monotonic);
	pthread_condattr_destroy(&monotonic);
	error = pthread_create(&disk->thread, NULL, write_buffers, disk);
	if (error != 0) {
		if (disk->wake >= 0)
			close(disk->wake);
		free(disk);
		return error;
	}
	*out = disk;
	return 0;
}

/* Make the thread give up.  The lock is held. */
static void abandon(struct disk *disk)
{
	const uint64_t one = 1;

	if (disk->error != 0)
		return;
	disk->error = ECANCELED;
	/* The counter can't overflow, so this does not block. */
	while (disk->wake >= 0 && write(disk->wake, &one, sizeof(one)) < 0 && errno == EINTR)
		continue;
	pthread_cond_signal(&disk->freed);
}

/* Wait for a buffer of a stream for a while, then ask `waiting` whether to go on.  The lock is held. */
static void wait_for_reader(struct disk *disk)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += WAITING_NS;
	if (until.tv_nsec >= 1000000000) {
		until.tv_nsec -= 1000000000;
		until.tv_sec++;
	}
	if (pthread_cond_timedwait(&disk->freed, &disk->lock, &until) != ETIMEDOUT)
		return;
	uint64_t written = disk->whole + disk->writes;
	pthread_mutex_unlock(&disk->lock);
	bool give_up = disk->file.waiting(disk->file.ctx, written);
	pthread_mutex_lock(&disk->lock);
	if (give_up)
		abandon(disk);
}

int disk_next(struct disk *disk, void **data)
{
	int error = 0;

	pthread_mutex_lock(&disk->lock);
	while (disk->error == 0 && disk->refused == 0 && disk->empty_count == 0 && disk->made == disk->most)
		if (disk->file.waiting != NULL && !disk->regular)
			wait_for_reader(disk);
		else
			pthread_cond_wait(&disk->freed, &disk->lock);
	struct buffer *buffer = STAILQ_FIRST(&disk->empty);
	if (disk->error != 0 || disk->refused != 0) {
		error = disk->error != 0 ? disk->error : disk->refused;
	} else if (buffer != NULL) {
		STAILQ_REMOVE_HEAD(&disk->empty, link);
		disk->empty_count--;
	} else {
		buffer = malloc(sizeof(*buffer) + disk->buffer_bytes);
		if (buffer == NULL)
			error = disk->refused = ENOMEM;
		else
			disk->made++;
	}
	pthread_mutex_unlock(&disk->lock);
	if (error != 0)
		return error;
	disk->current = buffer;
	*data = buffer->data;
	return 0;
}

void disk_take(struct disk *disk, size_t used)
{
	struct buffer *buffer = disk->current;

	if (buffer == NULL)
		return;
	disk->current = NULL;
	buffer->used = used;
	pthread_mutex_lock(&disk->lock);
	disk->bytes += used;
	if (used == 0) {
		STAILQ_INSERT_HEAD(&disk->empty, buffer, link);
		disk->empty_count++;
	} else {
		STAILQ_INSERT_TAIL(&disk->full, buffer, link);
		pthread_cond_signal(&disk->taken);
	}
	pthread_mutex_unlock(&disk->lock);
}

struct disk_state disk_look(struct disk *disk)
{
	pthread_mutex_lock(&disk->lock);
	const struct disk_state state = {.room = disk->empty_count + disk->most - disk->made,
	    .idle = !disk->writing && STAILQ_EMPTY(&disk->full),
	    .bytes = disk->bytes,
	    .written = disk->whole + disk->writes,
	    .error = disk->error != 0 ? disk->error : disk->refused,
	    .ended = disk->ended};
	pthread_mutex_unlock(&disk->lock);
	return state;
}

static void buffers_free(struct buffers *list)
{
	struct buffer *buffer;

	while ((buffer = STAILQ_FIRST(list)) != NULL) {
		STAILQ_REMOVE_HEAD(list, link);
		free(buffer);
	}
}

void disk_end(struct disk *disk)
{
	pthread_mutex_lock(&disk->lock);
	disk->ending = true;
	pthread_cond_signal(&disk->taken);
	pthread_mutex_unlock(&disk->lock);
}

void disk_abandon(struct disk *disk)
{
	pthread_mutex_lock(&disk->lock);
	abandon(disk);
	pthread_mutex_unlock(&disk->lock);
}

struct disk_result disk_close(struct disk *disk)
{
	if (disk == NULL)
		return (struct disk_result){0};
	disk_end(disk);
	pthread_join(disk->thread, NULL);
	const struct disk_result result = {disk->error, disk->torn};
	buffers_free(&disk->full);
	buffers_free(&disk->empty);
	free(disk->current);
	pthread_mutex_destroy(&disk->lock);
	pthread_cond_destroy(&disk->taken);
	pthread_cond_destroy(&disk->freed);
	if (disk->wake >= 0)
		close(disk->wake);
	free(disk);
	return result;
}

/* ---- as the destination of an fxt writer ---- */

struct disk_destination {
	struct rtev_fxt_destination base;
	struct disk *disk;
};

/* Provide a buffer for the fxt writer. */
static int destination_next(struct rtev_fxt_destination *self, size_t need, void **data, size_t *size)
{
	struct disk *disk = ((struct disk_destination *)(void *)self)->disk;

	*size = disk->buffer_bytes;
	int error = disk_next(disk, data);
	return error == 0 ? RTEV_OK : status_of_write(error);
}

/* Take the buffer back from the fxt writer. */
static int destination_take(struct rtev_fxt_destination *self, size_t used)
{
	disk_take(((struct disk_destination *)(void *)self)->disk, used);
	return RTEV_OK;
}

static int destination_close(struct rtev_fxt_destination *self)
{
	free((struct disk_destination *)(void *)self);
	return RTEV_OK;
}

int disk_destination(struct rtev_fxt_destination **out, struct disk *disk)
{
	struct disk_destination *made = calloc(1, sizeof(*made));

	if (made == NULL)
		return RTEV_E_NOMEM;
	made->base = (struct rtev_fxt_destination){.size = sizeof(made->base),
	    .next = destination_next,
	    .take = destination_take,
	    .close = destination_close};
	made->disk = disk;
	*out = &made->base;
	return RTEV_OK;
}
