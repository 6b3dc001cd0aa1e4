/*
 * folder.h - find the folder that a new file goes to, as a descriptor, without following links that others
 * may have planted, and make files there that must not exist yet.
 *
 * A *foreign link* is any symbolic link in a sticky folder such as /tmp, where anybody may create one, and
 * for root any link created by another user.  Foreign links are never followed, at any place in a path.
 * Other links are.
 */
#pragma once

#include <sys/stat.h>

#include "core/std.h"

struct folder {
	int fd; /* O_PATH, or -1 */
	char name[NAME_MAX + 1];
};

/* Open the folder that contains the last component of a path.  That component is stored in `name`; it is no link
 * and need not exist.  Returns 0, or an errno with nothing open; ELOOP also stands for a foreign link. */
int folder_of(struct folder *out, const char *path);

/* Open the folder that a path refers to.  Returns 0 or an errno as folder_of does. */
int folder_open(int *fd, const char *path);

/* Whether files can be created in `where` or, if that is no folder, in its parent.  `dir` gets the path of
 * the folder.  Returns 0 or an errno. */
int folder_usable(const char *where, char dir[PATH_MAX]);

/* Describe an errno of these functions. */
const char *folder_strerror(int error);

/* Create a file with mode 0600 and a name that does not exist yet.  Returns its descriptor, or -1 with errno
 * set. */
int folder_make_file(int folder, char name[NAME_MAX + 1]);

/* Create a file in a folder (AT_FDCWD: the working directory) with mode 0600, without following a link.
 * Returns NULL with errno set if that failed; then no file was created. */
FILE *new_file_open(int folder, const char *name);

/* Close the file.  If something could not be written, removes the file and returns false with errno set. */
bool new_file_close(FILE *file, int folder, const char *name);
