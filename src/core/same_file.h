/*
 * same_file.h - unlink a name only if it refers to a given file.
 */
#ifndef CORE_SAME_FILE_H
#define CORE_SAME_FILE_H

#include <stdbool.h>
#include <sys/stat.h>

/* Unlink a name in a folder if it refers to the file with the device and inode of `st`, or, with AT_REMOVEDIR
 * in `flags`, to that folder. Symbolic links are not followed.  Returns false if nothing was removed. */
bool same_file_remove(int folder, const char *name, const struct stat *st, int flags);

#endif
