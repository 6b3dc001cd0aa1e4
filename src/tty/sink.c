/*
 * sink.c - collect ncurses' output and send it.
 */
#include "tty/sink.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#define ANEW (O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)

bool sink_same_terminal(int a, int b)
{
	unsigned first, second;

	/* Compare the devices, because /dev/tty is another name for any terminal. */
	return ioctl(a, TIOCGDEV, &first) == 0 && ioctl(b, TIOCGDEV, &second) == 0 && first == second;
}

/* A terminal of another user may not be accessible by its name, but it is as our controlling terminal,
 * /dev/tty. */
struct sink_out sink_out_open(int given)
{
	char path[32];
	struct stat st;

	if (fstat(given, &st) != 0 || !(S_ISCHR(st.st_mode) || S_ISFIFO(st.st_mode)))
		return (struct sink_out){given, S_ISSOCK(st.st_mode)};
	snprintf(path, sizeof(path), "/proc/self/fd/%d", given);
	int fd = open(path, ANEW);
	if (fd >= 0)
		return (struct sink_out){fd, false};
	fd = open("/dev/tty", ANEW);
	if (fd >= 0 && sink_same_terminal(fd, given))
		return (struct sink_out){fd, false};
	if (fd >= 0)
		close(fd);
	return (struct sink_out){given, true};
}

void sink_out_close(struct sink_out out, int given)
{
	if (out.fd != given)
		close(out.fd);
}

bool sink_open(struct sink *sink, int out)
{
	memset(sink, 0, sizeof(*sink));
	sink->given = out;
	sink->out = sink_out_open(out);
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
	sink_out_close(sink->out, sink->given);
	free(sink->piece);
	memset(sink, 0, sizeof(*sink));
}

static bool takes(struct sink_out out, int timeout_ms)
{
	struct pollfd poller = {out.fd, POLLOUT, 0};

	return poll(&poller, 1, timeout_ms) > 0;
}

/* Write as much as is taken without waiting.  *gone: writing has failed for good. */
static size_t push(struct sink_out out, const char *bytes, size_t len, bool *gone)
{
	size_t done = 0;

	*gone = false;
	while (done < len && (!out.blocks || takes(out, 0))) {
		ssize_t written = write(out.fd, bytes + done, out.blocks ? 1 : len - done);
		if (written > 0) {
			done += (size_t)written;
		} else if (written == 0 || errno != EINTR) {
			*gone = written == 0 || errno != EAGAIN;
			break;
		}
	}
	return done;
}

size_t sink_write(struct sink_out out, const char *bytes, size_t len, bool make_room)
{
	bool gone;
	size_t done = push(out, bytes, len, &gone);

	while (done < len && !gone) {
		if (!takes(out, SINK_PATIENCE_MS)) {
			if (!make_room || tcflush(out.fd, TCOFLUSH) != 0)
				break;
			make_room = false;
			done = 0;
		}
		done += push(out, bytes + done, len - done, &gone);
	}
	return done;
}

/* Send as much pending output as is taken without waiting. */
static void send_pending(struct sink *sink)
{
	bool gone;
	size_t sent = push(sink->out, sink->piece + sink->at, sink->len - sink->at, &gone);

	sink->bytes += sent;
	sink->at = gone ? sink->len : sink->at + sent;
}

bool sink_ready(struct sink *sink)
{
	if (sink->at < sink->len)
		send_pending(sink);
	return sink->at == sink->len && takes(sink->out, 0);
}

/* Make room for a piece.  Returns false when out of memory. */
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

bool sink_send(struct sink *sink, const char *before, const char *after)
{
	int fd = fileno(sink->stream);
	bool whole = false;
	fflush(sink->stream);
	off_t gathered = lseek(fd, 0, SEEK_CUR);
	if (gathered <= 0)
		return gathered == 0;
	size_t head = strlen(before), tail = strlen(after), body = (size_t)gathered;
	if (make_room(sink, head + body + tail)) {
		memcpy(sink->piece, before, head);
		ssize_t got = pread(fd, sink->piece + head, body, 0);
		body = got < 0 ? 0 : (size_t)got;
		memcpy(sink->piece + head + body, after, tail);
		sink->at = 0;
		sink->len = head + body + tail;
		send_pending(sink);
		sink->late = sink->at < sink->len;
		whole = got == gathered && !sink->late;
	}
	lseek(fd, 0, SEEK_SET);
	return whole;
}

void sink_drop(struct sink *sink)
{
	fflush(sink->stream);
	lseek(fileno(sink->stream), 0, SEEK_SET);
	if (sink->late)
		tcflush(sink->out.fd, TCOFLUSH);
	sink->at = sink->len = 0;
	sink->late = false;
}
