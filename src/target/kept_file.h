/*
 * kept_file.h - a small file of /proc or /sys that is read again and again: its descriptor stays open.
 *
 * Reading allocates nothing.  A file that was not there is tried again, but not each time: control groups get files late, if
 * ever.
 */
#ifndef TARGET_KEPT_FILE_H
#define TARGET_KEPT_FILE_H

#include <stddef.h>

#include "target/system.h"

#define KEPT_TEXT 8192 /* of a file so much is read */

struct kept_file {
	int fd;	       /* -1: not open */
	unsigned rest; /* so many reads are answered with `refused` before it is tried again */
	enum system_known refused;
};

#define KEPT_FILE_NONE ((struct kept_file){.fd = -1})

/* Read a file from its start, at most size - 1 bytes, and end it with a NUL.  `name` counts from the directory `dir`.  SYSTEM_KNOWN, or why
 * not. */
enum system_known kept_read(
    struct kept_file *file, int dir, const char *name, char *buf, size_t size, size_t *len);

/* Read a file once. */
enum system_known read_once(int dir, const char *name, char *buf, size_t size, size_t *len);

/* What an errno value means. */
enum system_known kept_reason(int error);

void kept_close(struct kept_file *file);

#endif
