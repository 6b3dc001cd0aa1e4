/*
 * answer.h - do what may never return in a process of its own.
 *
 * Files and memory can be of a file system that a program serves (FUSE) or another machine (NFS).  A process
 * that waits for such a server, while it walks along a path, opens, reads, or touches a page, can't be ended
 * by a signal.
 */
#pragma once

#include "target/proc.h"

#define ANSWER_NONE "its files do not answer" /* a clause: why a process is not looked at */

/* The work: it has `in` and `out` as descriptors 0 and 1, and no others.  Returns a result from 0 to 255. */
typedef int answer_work(const void *ctx);

/* Do the work, for at most a second, or up to three while the file `out` grows; a process that takes longer
 * is abandoned.  `in` and `out` may be -1.  Returns the result, ETIMEDOUT if it took longer, or -1 if no
 * process could be started. */
int answer_within(answer_work *work, const void *ctx, int in, int out);

/* Open a path with O_PATH, as openat2 does.  Returns a descriptor, or -1 with errno set. */
int answer_walk(int base, const char *path, uint64_t resolve);

/* Determine whether a file that is open with O_PATH is on a file system that a program serves.  Returns 0,
 * PROC_SERVED, or ETIMEDOUT. */
int answer_kind(int file);

/* Whether a descriptor was opened with O_PATH, so that it can't be read. */
bool answer_is_named(int file);

/* Replace a descriptor with O_PATH, which proc_open_regular returns for a file that a program serves, by one
 * of a copy of the file's first 64 MiB.  Any other descriptor stays.  Returns 0 or an errno value. */
int answer_copy(int *file);

/* Replace a descriptor with O_PATH by one that can be read, if the file's server answers now.  Returns 0 or
 * an errno value. */
int answer_open(int *file);
