/*
 * folder.h - the folder that a new file goes to, as a descriptor, found without walking into links that others may have planted.
 *
 * A *foreign link* is any symbolic link in a sticky folder such as /tmp, where anybody may put one, and for root any that another user
 * made.  It is never followed, wherever in a path it stands.  All other links are.
 */
#ifndef RECORD_FOLDER_H
#define RECORD_FOLDER_H

#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>

struct folder {
	int fd; /* O_PATH, or -1 */
	char name[NAME_MAX + 1];
};

/* Open the folder that the last component of a path stands in; `name` gets that component, which is no link when this returns, but
 * need not be there.  0, or an errno value, and then nothing is open: ELOOP stands for a foreign link as well as for too many. */
int folder_of(struct folder *out, const char *path);

/* Open a folder itself, as folder_of would reach it. */
int folder_open(int *fd, const char *path);

/* Whether files can be made in a folder, or, when it is none, in the folder of a file of that name; `dir` gets its path.  0, or an
 * errno value. */
int folder_usable(const char *where, char dir[PATH_MAX]);

/* What went wrong on the way to a file, in words. */
const char *folder_strerror(int error);

/* Make a new file of mode 0600 in a folder, under a name of its own; its descriptor, or -1 with errno set. */
int folder_make_file(int folder, char name[NAME_MAX + 1]);

#endif
