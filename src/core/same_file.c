/*
 * same_file.c - unlink a name only if it refers to a given file.
 */
#include "core/same_file.h"

#include <fcntl.h>
#include <unistd.h>

bool same_file_remove(int folder, const char *name, const struct stat *st, int flags)
{
	struct stat now;

	return fstatat(folder, name, &now, AT_SYMLINK_NOFOLLOW) == 0 && now.st_dev == st->st_dev &&
	       now.st_ino == st->st_ino && unlinkat(folder, name, flags) == 0;
}
