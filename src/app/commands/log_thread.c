/*
 * log_thread.c - the caller fills buffers of a disk with batches; the disk's thread converts each buffer to
 * lines.
 *
 * `log` and the members after it belong to the thread until it has ended, all others to the caller.
 */
#include "app/commands/log_thread.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/fail.h"
#include "core/batch.h"
#include "core/clock.h"

#define BUFFER ((size_t)256 << 10)
#define BUFFER_WORDS (BUFFER / sizeof(uint64_t))
#define BUFFERS 64

struct log_thread {
	struct batch_writer writer; /* the first member */
	uint64_t named[RTEV_USER_EVENTS_MAX];
	bool (*waiting)(void *ctx, uint64_t written);
	void *waiting_ctx;
	struct disk *disk;
	uint64_t *block;   /* a buffer of the disk, or the scrap */
	uint64_t *since;   /* where this turn's events begin */
	bool merge;	   /* merging, which needs the next two members */
	uint64_t newest;   /* the latest stamp so far */
	uint64_t released; /* the thread was told to print the events before this */
	int error;	   /* the errno from disk_next */
	uint64_t scrap[BATCH_EVENT_WORDS];

	struct log *log;
	struct out out;
	struct batch_reader reader;
};

/* ---- the thread ---- */

/* Handle a mark: print held events before a time. */
static enum rtev_next on_mark(void *ctx, unsigned mark, uint64_t before)
{
	struct log_thread *t = ctx;

	log_release(t->log, before);
	return t->out.error == 0 ? RTEV_CONTINUE : RTEV_STOP;
}

/* Print the events of a buffer. */
static int print(void *ctx, const void *data, size_t size)
{
	struct log_thread *t = ctx;
	struct event_sink sink = {.take = log_take, .ctx = t->log};
	struct batch_delivery d = {
	    .calls = &event_sink_calls, .ctx = &sink, .mark = on_mark, .mark_ctx = t, .left = UINT64_MAX};

	batch_deliver(&t->reader, &d, data, (const uint64_t *)data + size / sizeof(uint64_t));
	bool unsorted = log_faults(t->log)->unsorted;
	if (unsorted)
		log_release(t->log, UINT64_MAX);
	int error = out_flush(&t->out);
	return error == 0 && unsorted ? ENOMEM : error;
}

/* ---- the caller ---- */

/* Return whether to give up on the reader of the output. */
static bool on_waiting(void *ctx, uint64_t written)
{
	const struct log_thread *t = ctx;

	return t->waiting != NULL && t->waiting(t->waiting_ctx, written);
}

/* Take another buffer to write into; without any, the scrap, over and over. */
static void block_next(struct log_thread *t)
{
	void *data;

	if (t->error == 0)
		t->error = disk_next(t->disk, &data);
	t->block = t->error == 0 ? data : t->scrap;
	t->writer.at = t->block;
	t->writer.full = t->block;
	if (t->error == 0)
		t->writer.full += BUFFER_WORDS - BATCH_EVENT_WORDS - BATCH_MARK_WORDS;
}

/* Hand the buffer over. */
static void block_take(struct log_thread *t)
{
	if (t->block != t->scrap)
		disk_take(t->disk, (size_t)(t->writer.at - t->block) * sizeof(uint64_t));
}

static enum rtev_next on_filled(struct batch_writer *w)
{
	struct log_thread *t = (struct log_thread *)(void *)w;

	block_take(t);
	block_next(t);
	t->since = NULL;
	return t->error == 0 ? RTEV_CONTINUE : RTEV_STOP;
}

/* Tell the thread to print held events before a time. */
static void release(struct log_thread *t, uint64_t before)
{
	if (!t->merge)
		return;
	batch_mark(&t->writer, 0, before);
	t->released = before;
	if (t->writer.at > t->writer.full)
		on_filled(&t->writer);
}

int log_thread_create(struct log_thread **out, const struct log_thread_options *options)
{
	struct log_thread *t = calloc(1, sizeof(*t));
	int error = ENOMEM;
	struct stat st;

	if (t == NULL)
		return ENOMEM;
	struct disk_file file = {.stream = true, .waiting = on_waiting, .convert = print, .ctx = t};
	t->writer = (struct batch_writer){
	    .sink = {.take = batch_put, .ctx = &t->writer}, .filled = on_filled, .named = t->named};
	t->merge = options->log.merge;
	t->waiting = options->waiting;
	t->waiting_ctx = options->ctx;
	t->log = log_create(&t->out, &options->log);
	if (t->log == NULL)
		goto fail;
	t->reader.users = log_users(t->log);
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
	/* The thread reads this only with its first buffer. */
	if (fstat(options->fd, &st) != 0 || !S_ISREG(st.st_mode))
		out_set_wait(&t->out, disk_wait_write, t->disk);
	block_next(t);
	t->since = t->block;
	*out = t;
	return 0;
fail:
	log_destroy(t->log);
	free(t);
	return error;
}

/* The cursor is about to be closed: print held events; ids of user events start anew. */
static void on_reopening(void *ctx)
{
	struct log_thread *t = ctx;

	release(t, UINT64_MAX);
	batch_forget(&t->writer);
}

void log_thread_sink(struct log_thread *t, struct session_sink *out)
{
	*out = (struct session_sink){.ctx = &t->writer, .reopening = on_reopening};
	batch_callbacks(&out->calls);
}

void log_thread_turned(struct log_thread *t, uint64_t before)
{
	if (t->writer.at != t->since) {
		t->newest = monotonic_now();
		t->released = 0;
	}
	if (t->released <= t->newest)
		release(t, before);
	/* A buffer that is not full is handed over only when the thread has nothing to do. */
	if (t->writer.at != t->block && disk_look(t->disk).idle) {
		block_take(t);
		block_next(t);
	}
	t->since = t->writer.at;
}

struct disk *log_thread_disk(const struct log_thread *t)
{
	return t->disk;
}

void log_thread_end(struct log_thread *t)
{
	release(t, UINT64_MAX);
	block_take(t);
	disk_end(t->disk);
}

struct log_result log_thread_close(struct log_thread *t)
{
	int error = disk_close(t->disk).error;
	const struct log_result result = {error != 0 ? error : t->error, *log_faults(t->log)};

	log_destroy(t->log);
	free(t);
	return result;
}
