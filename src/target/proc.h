/*
 * proc.h - the directory of one process under /proc, and bounded reads from it.
 *
 * A struct proc holds a descriptor of the directory, so everything read through it is of the same process:
 * once that has ended, reads fail, also when its number has been given to another process since.  The
 * directory normally stands under /proc; tests put a made-up tree in its place, and then no system call is
 * given the pid.
 *
 * Functions return 0 or an errno value.  ESRCH stands for a process that has ended.
 */
#ifndef TARGET_PROC_H
#define TARGET_PROC_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>

#define PROC_PATH_SIZE 4096
#define PROC_USER_SIZE 40

/* The most of an environment that is looked at: the kernel's own limit for one string and more. */
#define PROC_ENVIRON_MAX ((size_t)8 << 20)

/* Returned by proc_open_regular for a FIFO, a directory, a device or a socket. */
#define PROC_NOT_REGULAR (-1)

struct proc {
	int dir; /* the process's directory, or -1 */
	pid_t pid;
	bool real;		   /* the tree is /proc itself */
	const char *root;	   /* of the tree; the caller's, or static */
	char path[PROC_PATH_SIZE]; /* of the directory */
};

/* Open the directory of a process in the tree at `root` (NULL: /proc).  ESRCH when there is none. */
int proc_open(struct proc *proc, const char *root, pid_t pid);

/* Close it; a proc that was never opened must have dir -1. */
void proc_close(struct proc *proc);

/* Read a file of the directory, at most size - 1 bytes, and end it with a NUL. */
int proc_read(const struct proc *proc, const char *name, char *buf, size_t size, size_t *len);

/* The same into memory that the caller frees, at most `limit` bytes. */
int proc_slurp(const struct proc *proc, const char *name, size_t limit, char **out, size_t *len);

/* Read a link of the directory.  ENAMETOOLONG when it does not fit. */
int proc_link(const struct proc *proc, const char *name, char *buf, size_t size);

/* Whether the process sees other mounts than we do, so that its paths must go through its root. */
bool proc_foreign_mounts(const struct proc *proc);

/* Whether its root directory is another than ours. */
bool proc_foreign_root(const struct proc *proc);

/*
 * Open a file for reading if it is a regular one.  Never blocks, and never opens anything else.  `base` is a
 * directory or AT_FDCWD; with `confined` the path and its links are resolved as if base were the root.  *st
 * (may be NULL) is filled whenever the file exists.  The caller closes *fd.
 */
int proc_open_regular(int base, const char *path, bool confined, struct stat *st, int *fd);

/* Get a descriptor, which names it only, of a directory that the process's own directory links to: "root", "cwd". */
int proc_open_dir(const struct proc *proc, const char *name, int *fd);

/* Open a path as the process sees it: through its root directory. */
int proc_open_in_root(const struct proc *proc, const char *path, struct stat *st, int *fd);

/* The name of a user, or its number. */
void proc_user(uid_t uid, char name[PROC_USER_SIZE]);

#endif
