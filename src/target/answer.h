/*
 * answer.h - what may never be answered, done by a process of its own.
 *
 * Files and memory can be of a file system that a program serves (FUSE), or another machine (NFS).  Who waits for such a one,
 * in a walk along a path, an open, a read or at a page, can be ended by no signal.
 */
#pragma once

#include "target/proc.h"

#define ANSWER_NONE "its files do not answer" /* as a reason */

/* What is done: with `in` and `out` as descriptors 0 and 1, and no others.  Its result is 0 to 255. */
typedef int answer_work(const void *ctx);

/* Do it, as long as it takes a second at most, or up to three if the file `out` grows meanwhile; a process that needs longer is
 * left behind.  `in` and `out` may be -1.  The result; ETIMEDOUT if there is none in time; -1 if no process can be started. */
int answer_within(answer_work *work, const void *ctx, int in, int out);

/* Open a path as openat2 does, with O_PATH.  A descriptor, or -1 with errno set. */
int answer_walk(int base, const char *path, uint64_t resolve);

/* Whether a file that is open with O_PATH is on a file system that a program serves.  0, PROC_SERVED, or ETIMEDOUT. */
int answer_kind(int file);

/* Whether a descriptor names a file alone (O_PATH). */
bool answer_is_named(int file);

/* Make of a descriptor with O_PATH, as proc_open_regular gives for a file that a program serves, one of a copy of its first
 * 64 MiB.  Any other stays as it is.  0, or an errno value. */
int answer_copy(int *file);

/* Make of a descriptor with O_PATH one of the file itself, if it answers now.  0, or an errno value. */
int answer_open(int *file);
