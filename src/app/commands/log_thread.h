/*
 * log_thread.h - a log that a thread of its own formats and writes.
 *
 * Formatting takes longer than reading a ring, and the reader of the output may be slow.  So the polling
 * thread only writes events as batches (core/batch.h) into the buffers of a disk (files/disk.h), and the
 * disk's thread prints them.
 *
 * If the reader of the output is slower than the target, the buffers fill up and the rings are not read.
 * Events that the target overwrites meanwhile are reported by lines of type "lost", like any other loss.
 */
#pragma once

#include "app/commands/log_lines.h"
#include "files/disk.h"
#include "session/session.h"

struct log_thread;

struct log_thread_options {
	struct log_options log;
	int fd; /* remains the caller's */
	/* As in struct disk_file, but also for regular files. */
	bool (*waiting)(void *ctx, uint64_t written);
	void *ctx;
};

/* The result of a log. */
struct log_result {
	int error;		  /* errno of the first failed write, ECANCELED if abandoned, or 0 */
	struct log_faults faults; /* faults of the printed events */
};

/* Start the thread.  Returns 0 or an errno. */
int log_thread_create(struct log_thread **out, const struct log_thread_options *options);

/* Fill in the sink of a session whose events are to be printed. */
void log_thread_sink(struct log_thread *t, struct session_sink *out);

/* End a turn: hand the events to the thread, unless it is busy.  When merging, the thread prints
 * events before `before` (UINT64_MAX: all). */
void log_thread_turned(struct log_thread *t, uint64_t before);

/* The disk whose thread prints; callers may use disk_look and disk_abandon.  While it has fewer than
 * LOG_ROOM_LEAST buffers, a turn has to wait: a turn reads at most 4 MiB of rings, whose batches take at most
 * half as much again, and names of user events come on top.  After an error further events are discarded. */
#define LOG_ROOM_LEAST 26
struct disk *log_thread_disk(const struct log_thread *t);

/* Let the thread print the rest.  Does not block; afterwards only log_thread_disk and log_thread_close
 * may be called. */
void log_thread_end(struct log_thread *t);

/* Wait for the end, and free. */
struct log_result log_thread_close(struct log_thread *t);
