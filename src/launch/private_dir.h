/*
 * private_dir.h - private directories for rings, and the removal of those that killed owners left behind.
 *
 * A directory is PARENT/rtevtop-XXXXXXXX with mode 0700.  Its *owner* is the process that made it.  The owner
 * holds a lock on the directory and writes its pid and start time to a file in it, the *marker*.  The kernel
 * releases the lock when the owner is killed.  A directory is a *leftover* if it has that name, mode and a
 * marker, belongs to our user, its lock is free, its owner has ended, and it holds nothing but ring files of
 * ended processes that nobody maps.  All checks use descriptors and inodes, not paths.
 */
#pragma once

#include <dirent.h>
#include <sys/stat.h>

#include "core/std.h"

struct private_dir {
	int fd;	   /* -1: none */
	int above; /* of the parent directory */
	struct stat st;
	char path[4096];
};

/* Make a directory in `above`.  With `keep` it gets no marker, so that a sweep never removes it.  Returns 0
 * or an errno value; on failure, path is that of the parent. */
int private_dir_make(struct private_dir *dir, const char *above, bool keep);

/* Remove the rings unless `keep` is set, then the directory if it is empty, and close it. */
void private_dir_remove(struct private_dir *dir, bool keep);

/* Whether a path is a directory with a marker. */
bool private_dir_marked(const char *path);

/* Remove all leftovers in `above`. */
void private_dir_sweep(const char *above);

/* The pid in the name of a ring file; 0: not a ring file's name. */
int64_t private_dir_ring_pid(const char *name);

/* Open a directory's descriptor for reading its names from the first one on; NULL if that failed.  The given
 * descriptor stays the caller's, and its position does not change. */
DIR *private_dir_names(int fd);
