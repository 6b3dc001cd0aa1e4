/*
 * new_file.h - write a small text file that must not exist yet.
 */
#ifndef RECORD_NEW_FILE_H
#define RECORD_NEW_FILE_H

#include <stdbool.h>
#include <stdio.h>

/* Create a file in a folder (AT_FDCWD: the working directory) with mode 0600, without following a link.
 * Returns NULL with errno set if that failed; then no file was created. */
FILE *new_file_open(int folder, const char *name);

/* Close it.  If something could not be written, removes the file and returns false with errno set. */
bool new_file_close(FILE *file, int folder, const char *name);

#endif
