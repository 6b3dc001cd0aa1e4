/*
 * write_destination.c - write packets, one at a time, from any thread.
 */
#include "memtrace/write_destination.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/sized.h"

enum { IDS_PER_CHUNK = 10000 };

int mt_destination_create(struct mt_destination **out, const struct rtev_memtrace_sink *sink, int fd,
    const struct rtev_memtrace_writer_options *given)
{
	struct rtev_memtrace_writer_options options = {.size = sizeof(options)};

	struct rtev_memtrace_sink known = {0};
	if (!sized_take(&options, sizeof(options), given) || !sized_take(&known, sizeof(known), sink) ||
	    (sink != NULL && known.write == NULL))
		return RTEV_E_INVALID;
	struct mt_destination *destination = calloc(1, sizeof(*destination));
	if (destination == NULL)
		return RTEV_E_NOMEM;
	if (pthread_mutex_init(&destination->lock, NULL) != 0) {
		free(destination);
		return RTEV_E_NOMEM;
	}
	destination->sink = known;
	destination->fd = fd;
	destination->ctx = options.ctx;
	destination->locate = options.locate;
	destination->getpid = options.getpid;
	destination->ids_per_chunk = options.ids_per_chunk != 0 ? options.ids_per_chunk : IDS_PER_CHUNK;
	destination->references = 1;
	*out = destination;
	return RTEV_OK;
}

void mt_destination_hold(struct mt_destination *destination)
{
	pthread_mutex_lock(&destination->lock);
	destination->references++;
	pthread_mutex_unlock(&destination->lock);
}

/* Drop a reference, and free the destination with the last one. */
void mt_destination_release(struct mt_destination *destination)
{
	pthread_mutex_lock(&destination->lock);
	bool last = --destination->references == 0;
	pthread_mutex_unlock(&destination->lock);
	if (!last)
		return;
	pthread_mutex_destroy(&destination->lock);
	free(destination);
}

int64_t mt_destination_take_ids(struct mt_destination *destination)
{
	pthread_mutex_lock(&destination->lock);
	int64_t first = destination->next_id;
	destination->next_id += destination->ids_per_chunk;
	pthread_mutex_unlock(&destination->lock);
	return first;
}

/* Write a packet to a descriptor; repeat after short writes. */
static int write_fd(int fd, const char *data, size_t size)
{
	while (size > 0) {
		ssize_t n = write(fd, data, size);
		if (n == 0 || (n < 0 && errno != EINTR))
			return RTEV_E_IO;
		if (n > 0) {
			data += n;
			size -= (size_t)n;
		}
	}
	return RTEV_OK;
}

/* Nothing is written after a failure, because a reader could not find the next packet. */
int mt_destination_write(struct mt_destination *destination, const void *data, size_t size)
{
	pthread_mutex_lock(&destination->lock);
	if (destination->status == RTEV_OK)
		destination->status = destination->fd >= 0
					  ? write_fd(destination->fd, data, size)
					  : destination->sink.write(destination->sink.ctx, data, size);
	int status = destination->status;
	pthread_mutex_unlock(&destination->lock);
	return status;
}
