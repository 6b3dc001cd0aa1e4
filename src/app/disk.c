/*
 * disk.c - a file that a thread of its own writes.
 *
 * Invariants, under the lock: `full` holds the taken buffers in the order in which they are to be written; a
 * buffer is in `full`, in `empty`, with the thread, or with the filler; `made` counts them all.  Only the
 * thread writes to the descriptor between creation and close, and only the filler touches `current` and
 * `bytes`.
 */
#include "app/disk.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <unistd.h>

struct buffer {
	STAILQ_ENTRY(buffer) link;
	size_t used;
	unsigned char data[];
};

STAILQ_HEAD(buffers, buffer);

struct disk {
	struct disk_file file;
	size_t buffer_bytes;
	unsigned most, made;
	bool regular;
	uint64_t bytes; /* taken */
	uint64_t whole; /* written in whole buffers; the thread's until it has ended */
	struct buffer *current;

	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t taken; /* something to write, or the end */
	pthread_cond_t freed; /* a buffer is empty again, or writing failed */
	struct buffers full, empty;
	unsigned empty_count;
	const void *tail; /* set before `ending` */
	size_t tail_len;
	bool ending, ended;
	int error;
};

/* Write bytes to the descriptor; 0, or an errno. */
static int write_all(int fd, const unsigned char *data, size_t size)
{
	while (size > 0) {
		ssize_t n = write(fd, data, size);
		if (n > 0) {
			data += n;
			size -= (size_t)n;
		} else if (n < 0 && errno == EAGAIN) {
			struct pollfd pfd = {.fd = fd, .events = POLLOUT};
			poll(&pfd, 1, -1);
		} else if (n == 0 || errno != EINTR) {
			return n == 0 ? EIO : errno;
		}
	}
	return 0;
}

/* Let the file be known by its name.  0, or an errno. */
static int publish(struct disk *disk)
{
	int (*call)(void *ctx) = disk->file.publish;

	disk->file.publish = NULL;
	return call != NULL ? call(disk->file.ctx) : 0;
}

/* At the end: write the tail and close the file.  Returns the errno of the first failure ever. */
static int finish_file(struct disk *disk, int error)
{
	if (error == 0 || (disk->regular && disk->whole > 0)) {
		int last = write_all(disk->file.fd, disk->tail, disk->tail_len);
		if (error == 0)
			error = last;
	}
	if (error == 0)
		error = publish(disk);
	/* Some file systems tell only now that there was no room. */
	if (close(disk->file.fd) != 0 && error == 0)
		error = errno;
	return error;
}

/* Write a buffer; what is left of one that a regular file did not get whole is cut off.  0, or an errno. */
static int write_buffer(struct disk *disk, const struct buffer *buffer)
{
	int error = write_all(disk->file.fd, buffer->data, buffer->used);

	if (error == 0) {
		disk->whole += buffer->used;
		return publish(disk);
	}
	if (disk->regular && (ftruncate(disk->file.fd, (off_t)disk->whole) != 0 ||
				 lseek(disk->file.fd, (off_t)disk->whole, SEEK_SET) < 0))
		disk->regular = false;
	return error;
}

/* The thread: write full buffers until the end, or until a write fails. */
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
		error = disk->error;
		if (error == 0) {
			pthread_mutex_unlock(&disk->lock);
			error = write_buffer(disk, buffer);
			pthread_mutex_lock(&disk->lock);
		}
		disk->error = error;
		STAILQ_INSERT_HEAD(&disk->empty, buffer, link);
		disk->empty_count++;
		pthread_cond_signal(&disk->freed);
	}
	error = disk->error;
	pthread_mutex_unlock(&disk->lock);
	error = finish_file(disk, error);
	pthread_mutex_lock(&disk->lock);
	disk->error = error;
	disk->ended = true;
	pthread_mutex_unlock(&disk->lock);
	return NULL;
}

/* Start writing to a descriptor. */
int disk_create(struct disk **out, const struct disk_file *file, size_t buffer_bytes, unsigned buffers)
{
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
	disk->regular = S_ISREG(st.st_mode);
	STAILQ_INIT(&disk->full);
	STAILQ_INIT(&disk->empty);
	pthread_mutex_init(&disk->lock, NULL);
	pthread_cond_init(&disk->taken, NULL);
	pthread_cond_init(&disk->freed, NULL);
	error = pthread_create(&disk->thread, NULL, write_buffers, disk);
	if (error != 0) {
		free(disk);
		return error;
	}
	*out = disk;
	return 0;
}

/* Hand out an empty buffer. */
int disk_next(struct disk *disk, void **data)
{
	int error = 0;

	pthread_mutex_lock(&disk->lock);
	while (disk->error == 0 && disk->empty_count == 0 && disk->made == disk->most)
		pthread_cond_wait(&disk->freed, &disk->lock);
	struct buffer *buffer = STAILQ_FIRST(&disk->empty);
	if (disk->error != 0) {
		error = disk->error;
	} else if (buffer != NULL) {
		STAILQ_REMOVE_HEAD(&disk->empty, link);
		disk->empty_count--;
	} else {
		buffer = malloc(sizeof(*buffer) + disk->buffer_bytes);
		if (buffer == NULL)
			error = ENOMEM;
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

/* Take the buffer handed out last. */
void disk_take(struct disk *disk, size_t used)
{
	struct buffer *buffer = disk->current;

	if (buffer == NULL)
		return;
	disk->current = NULL;
	disk->bytes += used;
	buffer->used = used;
	pthread_mutex_lock(&disk->lock);
	if (used == 0) {
		STAILQ_INSERT_HEAD(&disk->empty, buffer, link);
		disk->empty_count++;
	} else {
		STAILQ_INSERT_TAIL(&disk->full, buffer, link);
		pthread_cond_signal(&disk->taken);
	}
	pthread_mutex_unlock(&disk->lock);
}

/* Return how many buffers can be handed out without waiting. */
unsigned disk_room(struct disk *disk)
{
	pthread_mutex_lock(&disk->lock);
	unsigned room = disk->empty_count + disk->most - disk->made;
	pthread_mutex_unlock(&disk->lock);
	return room;
}

/* Return the bytes taken so far. */
uint64_t disk_bytes(const struct disk *disk)
{
	return disk->bytes;
}

/* Return the errno of the first failed write. */
int disk_error(struct disk *disk)
{
	pthread_mutex_lock(&disk->lock);
	int error = disk->error;
	pthread_mutex_unlock(&disk->lock);
	return error;
}

/* Free all buffers of a list. */
static void buffers_free(struct buffers *list)
{
	struct buffer *buffer;

	while ((buffer = STAILQ_FIRST(list)) != NULL) {
		STAILQ_REMOVE_HEAD(list, link);
		free(buffer);
	}
}

/* Let the thread come to its end. */
void disk_end(struct disk *disk, const void *tail, size_t len)
{
	pthread_mutex_lock(&disk->lock);
	if (!disk->ending) {
		disk->tail = tail;
		disk->tail_len = len;
		disk->ending = true;
		pthread_cond_signal(&disk->taken);
	}
	pthread_mutex_unlock(&disk->lock);
}

/* Say whether it has. */
bool disk_ended(struct disk *disk)
{
	pthread_mutex_lock(&disk->lock);
	bool ended = disk->ended;
	pthread_mutex_unlock(&disk->lock);
	return ended;
}

/* Wait, close, free. */
int disk_close(struct disk *disk, const void *tail, size_t len)
{
	if (disk == NULL)
		return 0;
	disk_end(disk, tail, len);
	pthread_join(disk->thread, NULL);
	int error = disk->error;
	buffers_free(&disk->full);
	buffers_free(&disk->empty);
	free(disk->current);
	pthread_mutex_destroy(&disk->lock);
	pthread_cond_destroy(&disk->taken);
	pthread_cond_destroy(&disk->freed);
	free(disk);
	return error;
}

/* ---- as the destination of an fxt writer ---- */

struct disk_destination {
	struct rtev_fxt_destination base;
	struct disk *disk;
};

/* Return the status that stands for an errno. */
static int status_of(int error)
{
	switch (error) {
	case 0:
		return RTEV_OK;
	case ENOMEM:
		return RTEV_E_NOMEM;
	case ENOSPC:
	case EDQUOT:
	case EFBIG:
		return RTEV_E_FXT_NO_SPACE;
	case EPIPE:
		return RTEV_E_FXT_PIPE;
	default:
		return RTEV_E_IO;
	}
}

/* Hand the writer a buffer. */
static int destination_next(struct rtev_fxt_destination *self, size_t need, void **data, size_t *size)
{
	struct disk *disk = ((struct disk_destination *)(void *)self)->disk;

	(void)need;
	*size = disk->buffer_bytes;
	return status_of(disk_next(disk, data));
}

/* Take it back. */
static int destination_take(struct rtev_fxt_destination *self, size_t used)
{
	disk_take(((struct disk_destination *)(void *)self)->disk, used);
	return RTEV_OK;
}

/* Free the destination; the disk stays. */
static int destination_close(struct rtev_fxt_destination *self)
{
	free((struct disk_destination *)(void *)self);
	return RTEV_OK;
}

/* Make a destination that uses the disk. */
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
