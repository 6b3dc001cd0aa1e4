/*
 * disk.h - a file written by its own thread, so that a slow disk does not block the thread that fills it.
 *
 * disk_next provides an empty *buffer*; the caller fills it with whole records and returns it with disk_take.
 * The thread writes buffers in order.  There are at most `buffers` of them: if all are waiting to be written,
 * disk_next blocks.  A failed write is final: its errno is kept and later buffers are discarded.  Without
 * memory for another buffer, disk_next fails, the buffers taken before are still written, and the result is
 * ENOMEM.  The thread has the signal mask of its creator.
 *
 * A *converter* writes the buffers of a stream in another form, in the thread, so that the caller spends no
 * time on it.
 *
 * The *tail* is a text that completes the file after any whole buffer.  A regular file always ends with it:
 * each buffer overwrites the previous tail and is followed by another, and after a failed write the file is
 * truncated behind its last whole buffer and the tail.  A *stream* gets the tail once, at the end.
 *
 * SIGKILL makes the kernel end a write at a page boundary: the file may then end inside a record, without the
 * tail.  Everything before that record is whole.
 */
#pragma once

#include <sys/stat.h>

#include "core/std.h"
#include "rtev/fxt.h"

struct disk;

/* Where to write. */
struct disk_file {
	int fd;
	bool stream; /* never rewrite bytes, even of a regular file; else only if it can't be rewritten */
	const char *tail; /* static; NULL: none */
	/* Called once by the thread, after the first whole buffer or at an end without failure.  Returns 0,
	 * or an errno that counts as that of a failed write.  May be NULL. */
	int (*publish)(void *ctx);
	/* Called repeatedly, with `written` of disk_look, while disk_next waits for a stream's reader.
	 * Returns true to give up, as disk_abandon does.  May be NULL. */
	bool (*waiting)(void *ctx, uint64_t written);
	/* Called by the thread with each buffer of a stream, which it writes to the descriptor in a form of
	 * its own, calling disk_wait_write before each write.  Returns 0, or an errno that counts as that of
	 * a failed write.  NULL: buffers are written as they are. */
	int (*convert)(void *ctx, const void *data, size_t size);
	void *ctx;
};

/* The result. */
struct disk_result {
	int error; /* first errno, or 0 */
	bool torn; /* a regular file that does not end with a whole buffer and the tail */
};

/* Start writing to an empty file, pipe or similar.  On success the descriptor belongs to the disk.  Returns 0
 * or an errno. */
int disk_create(struct disk **out, const struct disk_file *file, size_t buffer_bytes, unsigned buffers);

/* Provide an empty buffer of buffer_bytes, after the previous one was taken.  Returns 0, the errno of a
 * failed write, or ENOMEM. */
int disk_next(struct disk *disk, void **data);

/* Take the first `used` bytes, possibly none, of the current buffer. */
void disk_take(struct disk *disk, size_t used);

/* Progress of the thread. */
struct disk_state {
	unsigned room;	/* buffers that disk_next can provide without blocking */
	bool idle;	/* the thread has nothing to write */
	uint64_t bytes; /* taken */
	/* bytes in whole buffers; with a converter, a number that grows with each of its writes */
	uint64_t written;
	int error;  /* errno of the first failed write, ENOMEM after a lack of memory for a buffer, or 0 */
	bool ended; /* disk_close would return without waiting */
};
struct disk_state disk_look(struct disk *disk);

/* For a converter, in the thread: wait until the descriptor accepts PIPE_BUF bytes.  `ctx` is the disk.
 * Returns false if the disk is abandoned. */
bool disk_wait_write(void *ctx, int fd);

/* Let the thread write what was taken and close the file.  Does not block; afterwards only disk_look,
 * disk_abandon and disk_close may be called. */
void disk_end(struct disk *disk);

/* Stop writing, even if a stream's reader is stuck.  The error is ECANCELED. */
void disk_abandon(struct disk *disk);

/* Wait until everything is written, close and free.  NULL is allowed. */
struct disk_result disk_close(struct disk *disk);

/* A destination that makes an fxt writer write to the disk, which stays the caller's and must outlive it.
 * Returns RTEV_OK or RTEV_E_NOMEM. */
int disk_destination(struct rtev_fxt_destination **out, struct disk *disk);
