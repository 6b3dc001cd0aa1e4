/*
 * files.h - the last part of a path, status codes for errno values, and how to unlink a name only if it refers to a given file.
 */
#pragma once

#include <sys/stat.h>

#include "core/std.h"

/* The last part of a path. */
static inline const char *path_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? slash + 1 : path;
}

/* Status for the errno of a failed write to a trace. */
int status_of_write(int error);

/* Status for the errno of opening, creating, examining or mapping a file. */
int status_of_errno(int error);

/* Unlink a name in a folder if it refers to the file with the device and inode of `st`, or, with AT_REMOVEDIR
 * in `flags`, to that folder. Symbolic links are not followed.  Returns false if nothing was removed. */
bool same_file_remove(int folder, const char *name, const struct stat *st, int flags);
