/*
 * private_dir.h - a folder of our own for rings, and the removal of those that killed owners have left.
 *
 * The folder is DIR/rtevtop-XXXXXXXX, of mode 0700, with DIR of the caller's choice.  Its *owner* is the process that made it, which
 * holds a lock on it and names itself in a file there, the *marker*; the kernel takes the lock away from a process that is killed.
 * A folder is a *leftover* if it has that name, mode and a marker, is our user's, its lock is free, the process of the marker is gone,
 * and it holds nothing but ring files of processes that are gone and that nobody maps.  All goes by descriptors and inodes.
 */
#ifndef SESSION_PRIVATE_DIR_H
#define SESSION_PRIVATE_DIR_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

struct private_dir {
	int fd;	   /* -1: none */
	int above; /* the folder that it stands in */
	struct stat st;
	char path[4096];
};

/* Make it in the folder `above`.  With `keep` it gets no marker, and so is never taken for a leftover.  0, or an errno value: then path names the folder in
 * which it could not be made. */
int private_dir_make(struct private_dir *dir, const char *above, bool keep);

/* Remove the rings in it, unless they are to be kept, and the folder if nothing else is in it; close it. */
void private_dir_remove(struct private_dir *dir, bool keep);

/* Whether a path leads to a folder with a marker. */
bool private_dir_marked(const char *path);

/* Remove all leftovers in the folder `above`. */
void private_dir_sweep(const char *above);

/* The pid in a ring's file name, 0 if the name is none of a ring. */
int64_t private_dir_ring_pid(const char *name);

#endif
