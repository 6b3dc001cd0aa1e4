/*
 * fxt_file.h - tell a Fuchsia trace from a ring, by its first bytes.
 */
#ifndef SESSION_FXT_FILE_H
#define SESSION_FXT_FILE_H

#include <stdbool.h>

/* Open a regular file that begins as a trace does.  The caller's descriptor, or -1. */
int fxt_file_open(const char *path);

/* Whether a path names such a file. */
bool fxt_file_is(const char *path);

#endif
