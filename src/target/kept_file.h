/*
 * kept_file.h - small files of /proc and /sys that are read repeatedly: the descriptor stays open.
 *
 * Reading allocates nothing.  A missing file is tried again, but not at every read: control groups may get
 * files late.
 */
#ifndef TARGET_KEPT_FILE_H
#define TARGET_KEPT_FILE_H

#include <stddef.h>

#include "target/system.h"

#define KEPT_TEXT 8192 /* bytes read of a file, at most */

struct kept_file {
	int fd;	       /* -1: not open */
	unsigned rest; /* reads to answer with `refused` before the next attempt to open */
	enum system_known refused;
};

#define KEPT_FILE_NONE ((struct kept_file){.fd = -1})

/* Read a file from its start, at most size - 1 bytes, NUL-terminated.  `name` is relative to `dir`.  Returns
 * SYSTEM_KNOWN, or why it can't be read. */
enum system_known kept_read(
    struct kept_file *file, int dir, const char *name, char *buf, size_t size, size_t *len);

/* Read a file once. */
enum system_known read_once(int dir, const char *name, char *buf, size_t size, size_t *len);

/* The reason that an errno value stands for. */
enum system_known kept_reason(int error);

void kept_close(struct kept_file *file);

#endif
