/*
 * log_thread.c - see log_thread.h.
 *
 * `log` and what follows it belong to the thread until it has ended, all else to the caller.
 */
#include "app/commands/log_thread.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/fail.h"
#include "record/disk.h"
#include "record/packed.h"

#define BUFFER ((size_t)256 << 10)
#define BUFFERS 64
/* A turn reads at most 4 MiB of rings, and events packed take no more; names of user events come on top
 * once. */
#define ROOM_LEAST 24

/* Marks between events. */
enum {
	MARK_RELEASE, /* print held events before the value */
};

struct log_thread {
	struct event_sink sink;
	bool (*waiting)(void *ctx, uint64_t written);
	void *waiting_ctx;
	struct packer packer;
	struct disk *disk;
	unsigned char *buffer; /* NULL: none */
	size_t used;
	bool merge, holds; /* merging; there may be held events that no mark has released */
	uint64_t newest;   /* while merging: latest stamp of an event so far */
	int error;	   /* of disk_next */

	struct log *log;
	struct out out;
	struct unpacker unpacker;
	bool unsorted; /* merging, memory ran out */
};

/* ---- the thread ---- */

/* Print a buffer. */
static int print(void *ctx, const void *data, size_t size)
{
	struct log_thread *t = ctx;
	const unsigned char *at = data, *end = at + size;
	const struct event_sink *sink = log_sink(t->log);
	struct unpacked next;

	while (!t->unsorted && t->out.error == 0 && packed_next(&t->unpacker, &at, end, &next)) {
		if (next.is_mark)
			t->unsorted = !log_release(t->log, next.mark_value);
		else
			sink->take(sink->ctx, &next.event);
	}
	if (t->unsorted)
		log_release(t->log, UINT64_MAX);
	int error = out_flush(&t->out);
	return error == 0 && t->unsorted ? ENOMEM : error;
}

/* ---- the caller ---- */

/* Ask whether to give up on a reader. */
static bool on_waiting(void *ctx, uint64_t written)
{
	const struct log_thread *t = ctx;

	return t->waiting != NULL && t->waiting(t->waiting_ctx, written);
}

/* Hand the buffer over, if there is one. */
static void hand_over(struct log_thread *t)
{
	if (t->buffer == NULL)
		return;
	disk_take(t->disk, t->used);
	t->buffer = NULL;
}

/* Make room for an event.  Returns NULL if that failed. */
static unsigned char *room_for_one(struct log_thread *t)
{
	void *data;

	if (t->buffer != NULL && BUFFER - t->used < PACKED_MAX)
		hand_over(t);
	if (t->buffer == NULL && t->error == 0) {
		t->error = disk_next(t->disk, &data);
		t->buffer = t->error == 0 ? data : NULL;
		t->used = 0;
	}
	return t->buffer != NULL ? t->buffer + t->used : NULL;
}

static enum rtev_next on_event(void *ctx, const struct rtev_event *event)
{
	struct log_thread *t = ctx;
	unsigned char *at = room_for_one(t);

	if (at == NULL)
		return RTEV_STOP;
	t->used += (size_t)(packed_put(&t->packer, at, event) - at);
	t->holds = t->merge;
	if (event->ts > t->newest)
		t->newest = event->ts;
	return RTEV_CONTINUE;
}

/* Have held events before a time printed. */
static void release(struct log_thread *t, uint64_t before)
{
	unsigned char *at = t->holds ? room_for_one(t) : NULL;

	if (at == NULL)
		return;
	t->used += (size_t)(packed_put_mark(at, MARK_RELEASE, before) - at);
	t->holds = before <= t->newest;
}

int log_thread_create(struct log_thread **out, const struct log_thread_options *options)
{
	struct log_thread *t = calloc(1, sizeof(*t));
	int error = ENOMEM;
	struct stat st;

	if (t == NULL)
		return ENOMEM;
	struct disk_file file = {.stream = true, .waiting = on_waiting, .convert = print, .ctx = t};
	t->sink = (struct event_sink){.take = on_event, .ctx = t};
	t->merge = options->log.merge;
	t->waiting = options->waiting;
	t->waiting_ctx = options->ctx;
	t->log = log_create(&t->out, &options->log);
	if (t->log == NULL)
		goto fail;
	file.fd = fcntl(options->fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	if (file.fd < 0) {
		error = errno;
		goto fail;
	}
	fail_output_begin(&t->out, file.fd, NULL);
	error = disk_create(&t->disk, &file, BUFFER, BUFFERS);
	if (error != 0) {
		close(file.fd);
		goto fail;
	}
	/* The thread sees this with its first buffer. */
	if (fstat(options->fd, &st) != 0 || !S_ISREG(st.st_mode))
		out_set_wait(&t->out, disk_wait_write, t->disk);
	*out = t;
	return 0;
fail:
	log_destroy(t->log);
	free(t);
	return error;
}

struct event_sink *log_thread_sink(struct log_thread *t)
{
	return &t->sink;
}

void log_thread_anew(struct log_thread *t)
{
	release(t, UINT64_MAX);
	packed_forget(&t->packer);
}

void log_thread_turned(struct log_thread *t, uint64_t before)
{
	release(t, before);
	/* Buffers that are not full are for a thread that waits for them. */
	if (t->buffer != NULL && disk_idle(t->disk))
		hand_over(t);
}

bool log_thread_room(struct log_thread *t)
{
	return disk_room(t->disk) >= ROOM_LEAST;
}

bool log_thread_failed(struct log_thread *t)
{
	return t->error != 0 || disk_error(t->disk) != 0;
}

void log_thread_end(struct log_thread *t)
{
	release(t, UINT64_MAX);
	hand_over(t);
	disk_end(t->disk);
}

bool log_thread_ended(struct log_thread *t)
{
	return disk_ended(t->disk);
}

uint64_t log_thread_written(struct log_thread *t)
{
	return disk_written(t->disk);
}

void log_thread_abandon(struct log_thread *t)
{
	disk_abandon(t->disk);
}

struct log_result log_thread_close(struct log_thread *t)
{
	int error = disk_close(t->disk).error;
	const struct log_result result = {.error = error != 0 ? error : t->error,
	    .unsorted = t->unsorted,
	    .corrupt_words = log_corrupt_words(t->log),
	    .falls = log_falls(t->log)};

	log_destroy(t->log);
	free(t);
	return result;
}
