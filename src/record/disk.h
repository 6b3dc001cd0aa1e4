/*
 * disk.h - a file that a thread of its own writes, so that a slow disk does not hold up who fills it.
 *
 * A *buffer* is handed out, filled with whole records and taken back; the thread writes what was taken, in
 * order.  There are at most `buffers` of them: when all wait to be written, asking for another waits as well.
 * A failed write is final and is remembered, and what is taken later is dropped.  The thread blocks whatever signals its maker
 * blocks.
 *
 * The *tail* is a text that completes the file after any whole buffer.  In a regular file it is always there: each buffer is written
 * over the tail of the last one, together with another, and after a failed write the file is cut back to its last whole buffer and
 * the tail.  A *stream* gets it once, at the end.
 */
#ifndef RECORD_DISK_H
#define RECORD_DISK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "rtev/fxt.h"

struct disk;

/* Where the bytes go. */
struct disk_file {
	int fd;
	bool
	    stream; /* bytes once written stay as they are, also in a regular file; else only where there is no other way */
	const char *tail; /* static text; NULL: none */
	/* Called once by the thread when the first buffer has been written whole, or at an end without failure; 0, or an errno value,
	 * which counts as that of a failed write.  NULL: nothing is waiting for that. */
	int (*publish)(void *ctx);
	/* Called now and then, with the bytes written so far, while disk_next waits for a stream's reader: true gives up, as
	 * disk_abandon does.  NULL: never. */
	bool (*waiting)(void *ctx, uint64_t written);
	void *ctx;
};

/* How it went. */
struct disk_result {
	int error; /* errno of the first failure, 0 if there was none */
	bool torn; /* a regular file that does not end with a whole buffer and the tail */
};

/* Start writing to an empty file, pipe or the like, whose descriptor becomes the disk's only on success.  0, or an errno. */
int disk_create(struct disk **out, const struct disk_file *file, size_t buffer_bytes, unsigned buffers);

/* Hand out an empty buffer of buffer_bytes; the one handed out before must have been taken.  0, or an errno:
 * that of the failed write, or ENOMEM. */
int disk_next(struct disk *disk, void **data);

/* Take the first `used` bytes, perhaps 0, of the buffer handed out last. */
void disk_take(struct disk *disk, size_t used);

/* How many buffers can be handed out without waiting. */
unsigned disk_room(struct disk *disk);

/* Bytes taken so far. */
uint64_t disk_bytes(const struct disk *disk);

/* The errno of the first failed write; 0 while all is well. */
int disk_error(struct disk *disk);

/* Let the thread write all that was taken and close the file.  Returns at once; only disk_ended, disk_error, disk_written,
 * disk_abandon and disk_close may follow. */
void disk_end(struct disk *disk);

/* Bytes of whole buffers that the file has got. */
uint64_t disk_written(struct disk *disk);

/* Write nothing more, also where a stream's reader stands still: ECANCELED is the error. */
void disk_abandon(struct disk *disk);

/* Whether disk_close would not have to wait. */
bool disk_ended(struct disk *disk);

/* Wait until all is written, close and free.  NULL is allowed. */
struct disk_result disk_close(struct disk *disk);

/* A destination for an fxt writer that uses the disk, which stays the caller's and must outlive it.
 * RTEV_E_NOMEM. */
int disk_destination(struct rtev_fxt_destination **out, struct disk *disk);

#endif
