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

size_t sink_write(int fd, const char *bytes, size_t len)
{
	struct pollfd poller = {fd, POLLOUT, 0};
	size_t done = 0;

	while (done < len) {
		ssize_t written = write(fd, bytes + done, len - done);
		if (written > 0)
			done += (size_t)written;
		else if (written < 0 && errno == EAGAIN) /* another program left it so */
			poll(&poller, 1, -1);
		else if (written == 0 || errno != EINTR)
			break;
	}
	return done;
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
		sink->bytes += sink_write(sink->out, sink->piece, head + body + tail);
	}
	lseek(fd, 0, SEEK_SET);
}
