/*
 * proc.h - bounded reads from the directory of a process in /proc.
 *
 * A struct proc holds a descriptor of the directory, so that everything read is of the same process: once it
 * has ended, reads fail, even if its pid has been reused.  The directory is in /proc; tests use a made-up
 * tree, and then no system call gets the pid.
 *
 * Functions return 0 or an errno value.  ESRCH means that the process has ended.
 */
#ifndef TARGET_PROC_H
#define TARGET_PROC_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>

#define PROC_PATH_SIZE 4096
#define PROC_USER_SIZE 40

/* Bytes of an environment that are read, at most: above the kernel's limit for one string. */
#define PROC_ENVIRON_MAX ((size_t)8 << 20)

/* From proc_open_regular, for a FIFO, a directory, a device or a socket. */
#define PROC_NOT_REGULAR (-1)

struct proc {
	int dir; /* -1: not open */
	pid_t pid;
	bool real;		   /* the tree is /proc itself */
	const char *root;	   /* of the tree; owned by the caller, or static */
	char path[PROC_PATH_SIZE]; /* of the directory */
};

/* Open the directory of a process in the tree `root` (NULL: /proc).  ESRCH if there is none. */
int proc_open(struct proc *proc, const char *root, pid_t pid);

/* Close it.  `dir` must be -1 if it was never opened. */
void proc_close(struct proc *proc);

/* Whether the kernel hides an open process from us (hidepid): its files then look as those of one that has
 * ended. */
bool proc_hidden(const struct proc *proc);

/* Read a file of the directory, at most size - 1 bytes, NUL-terminated. */
int proc_read(const struct proc *proc, const char *name, char *buf, size_t size, size_t *len);

/* The same into allocated memory that the caller frees, at most `limit` bytes. */
int proc_slurp(const struct proc *proc, const char *name, size_t limit, char **out, size_t *len);

/* Read a link of the directory.  ENAMETOOLONG if it does not fit. */
int proc_link(const struct proc *proc, const char *name, char *buf, size_t size);

/* Whether the process has other mounts, so that its paths must be resolved through its root. */
bool proc_foreign_mounts(const struct proc *proc);

/* Whether its root directory differs from ours. */
bool proc_foreign_root(const struct proc *proc);

/*
 * Open a file for reading if it is a regular one.  Never blocks and never opens anything else.  `base` is a
 * directory or AT_FDCWD.  With `confined`, the path and its links are resolved as if base were the root.  *st
 * (may be NULL) is filled in if the file exists.  The caller closes *fd.
 */
int proc_open_regular(int base, const char *path, bool confined, struct stat *st, int *fd);

/* Open (with O_PATH) a directory that the process's directory links to: "root" or "cwd". */
int proc_open_dir(const struct proc *proc, const char *name, int *fd);

/* Open a path as the process sees it, through its root directory. */
int proc_open_in_root(const struct proc *proc, const char *path, struct stat *st, int *fd);

/* The name of a user, or its number. */
void proc_user(uid_t uid, char name[PROC_USER_SIZE]);

#endif
