/*
 * new_file.h - a small text file that must not be there yet, written by stdio.
 */
#ifndef RECORD_NEW_FILE_H
#define RECORD_NEW_FILE_H

#include <stdbool.h>
#include <stdio.h>

/* Make it in a folder (AT_FDCWD: the working directory), readable by us alone; a symbolic link is not followed.  NULL with errno
 * set, and then there is no such file of ours. */
FILE *new_file_open(int folder, const char *name);

/* Close it.  False with errno set, and the file removed, when something of it could not be written. */
bool new_file_close(FILE *file, int folder, const char *name);

#endif
