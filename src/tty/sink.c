/*
 * sink.c - gather and send.
 */
#include "tty/sink.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

bool sink_open(struct sink *sink, int out)
{
	memset(sink, 0, sizeof(*sink));
	sink->out = out;
	int fd = memfd_create("screen", MFD_CLOEXEC);
	sink->stream = fd < 0 ? NULL : fdopen(fd, "w");
	if (sink->stream == NULL && fd >= 0)
		close(fd);
	return sink->stream != NULL;
}

void sink_close(struct sink *sink)
{
	if (sink->stream != NULL)
		fclose(sink->stream);
	free(sink->piece);
	memset(sink, 0, sizeof(*sink));
}

bool sink_ready(const struct sink *sink)
{
	struct pollfd poller = {sink->out, POLLOUT, 0};
	return poll(&poller, 1, 0) != 0;
}

/* Write everything; gives up on an error, since the terminal is gone then. */
static void write_all(struct sink *sink, const char *bytes, size_t len)
{
	while (len > 0) {
		ssize_t written = write(sink->out, bytes, len);
		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return;
		sink->bytes += (uint64_t)written;
		bytes += written;
		len -= (size_t)written;
	}
}

/* Make room for a piece; false when memory is short. */
static bool make_room(struct sink *sink, size_t len)
{
	if (len <= sink->room)
		return true;
	char *piece = realloc(sink->piece, len * 2);
	if (piece == NULL)
		return false;
	sink->piece = piece;
	sink->room = len * 2;
	return true;
}

void sink_send(struct sink *sink, const char *before, const char *after)
{
	int fd = fileno(sink->stream);
	fflush(sink->stream);
	off_t gathered = lseek(fd, 0, SEEK_CUR);
	if (gathered <= 0)
		return;
	size_t head = strlen(before), tail = strlen(after), body = (size_t)gathered;
	if (make_room(sink, head + body + tail)) {
		memcpy(sink->piece, before, head);
		ssize_t got = pread(fd, sink->piece + head, body, 0);
		body = got < 0 ? 0 : (size_t)got;
		memcpy(sink->piece + head + body, after, tail);
		write_all(sink, sink->piece, head + body + tail);
	}
	lseek(fd, 0, SEEK_SET);
}
