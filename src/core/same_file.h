/*
 * same_file.h - remove a name, but only while it stands for a certain file.
 */
#ifndef CORE_SAME_FILE_H
#define CORE_SAME_FILE_H

#include <stdbool.h>
#include <sys/stat.h>

/* Remove a name from a folder if it stands for the file of `st` (its device and inode) or, with AT_REMOVEDIR in `flags`, for that
 * folder.  A symbolic link is not followed.  False when nothing was removed. */
bool same_file_remove(int folder, const char *name, const struct stat *st, int flags);

#endif
