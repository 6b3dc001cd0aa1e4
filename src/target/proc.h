/*
 * proc.h - bounded reads from the directory of a process in /proc.
 *
 * A struct proc holds a descriptor of the directory, so that everything read is of the same process: once it
 * has ended, reads fail, even if its pid has been reused.  The directory is in /proc; tests use a made-up
 * tree, and then no system call gets the pid.
 *
 * Functions return 0 or an errno value.  ESRCH means that the process has ended.
 */
#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include "samples/system.h"

#define PROC_PATH_SIZE 4096
#define PROC_USER_SIZE 40

/* Maximum size of an environment that is read: above the kernel's limit for one string. */
#define PROC_ENVIRON_MAX ((size_t)8 << 20)

/* From proc_open_regular, for a FIFO, a directory, a device or a socket. */
#define PROC_NOT_REGULAR (-1)

/* From functions that refuse a file that a program serves (FUSE). */
#define PROC_SERVED (-2)

struct proc {
	int dir; /* descriptor; -1: not open */
	pid_t pid;
	bool real;		   /* the tree is /proc itself */
	const char *root;	   /* root of the tree; owned by the caller, or static */
	char path[PROC_PATH_SIZE]; /* path of the directory */
};

/* Open the directory of a process in the tree `root` (NULL: /proc).  ESRCH if there is none. */
int proc_open(struct proc *proc, const char *root, pid_t pid);

/* Close it.  `dir` must be -1 if it was never opened. */
void proc_close(struct proc *proc);

/* Whether an open process is still there. */
bool proc_lives(const struct proc *proc);

/* Whether the kernel hides an open process from us (hidepid): its files then look like those of an ended
 * process. */
bool proc_hidden(const struct proc *proc);

/* Open a file of the directory for reading.  Returns -1, with errno set, if that fails. */
int proc_descriptor(const struct proc *proc, const char *name);

/* Read a file of the directory, at most size - 1 bytes, NUL-terminated. */
int proc_read(const struct proc *proc, const char *name, char *buf, size_t size, size_t *len);

/* Read a file of the directory into allocated memory, which the caller frees; at most `limit` bytes. */
int proc_slurp(const struct proc *proc, const char *name, size_t limit, char **out, size_t *len);

/* Read a number below sys in the tree `root` (NULL: /proc), such as "vm/max_map_count".  Returns `unknown` if
 * it can't be read. */
long proc_setting(const char *root, const char *name, long unknown);

/* Read the cached attributes of a file: a link of a process's directory, or an open descriptor (name "").  A
 * file's server, which need not answer, is not asked. */
int proc_stat(int base, const char *name, struct stat *st);

/* Read a link of the directory.  ENAMETOOLONG if it does not fit. */
int proc_link(const struct proc *proc, const char *name, char *buf, size_t size);

/* Read the path of the program file, as its mappings show it.  ENAMETOOLONG if it does not fit. */
int proc_program(const struct proc *proc, char path[PROC_PATH_SIZE]);

/* Whether the process has other mounts, so that its paths must be resolved through its root. */
bool proc_foreign_mounts(const struct proc *proc);

/* Whether that is so, or its root directory differs from ours. */
bool proc_foreign_paths(const struct proc *proc);

/*
 * Open a file for reading if it is a regular one.  Nothing else is opened, and the call blocks for some
 * seconds at most (ETIMEDOUT).  A file that a program serves (FUSE), which need not answer, is opened with
 * O_PATH only: functions of answer.h make it readable.  `base` is a directory or AT_FDCWD.  With `confined`,
 * the path and its links are resolved as if base were the root.  *st (may be NULL) is filled in if the file
 * exists.  The caller closes *fd.
 */
int proc_open_regular(int base, const char *path, bool confined, struct stat *st, int *fd);

/* Open (with O_PATH) a directory that the process's directory links to: "root" or "cwd". */
int proc_open_dir(const struct proc *proc, const char *name, int *fd);

/* Open a path as the process sees it, through its root directory. */
int proc_open_in_root(const struct proc *proc, const char *path, struct stat *st, int *fd);

/* Store the name of a user, or the number if there is none. */
void proc_user(uid_t uid, char name[PROC_USER_SIZE]);

/* ---- kept file ---- */

/*
 * Small files of /proc and /sys that are read repeatedly: the descriptor stays open.
 *
 * Reading allocates nothing.  A missing file is tried again, but not at every read: control groups may get
 * files late.
 */

#define KEPT_TEXT 8192 /* bytes read of a file, at most */

struct kept_file {
	int fd;	       /* -1: not open */
	unsigned rest; /* reads to answer with `refused` before the next attempt to open */
	enum system_known refused;
};

#define KEPT_FILE_NONE ((struct kept_file){.fd = -1})

/* Read a file from its start, at most size - 1 bytes, NUL-terminated.  `name` is relative to `dir`.  Returns
 * SYSTEM_KNOWN, or why it can't be read. */
enum system_known kept_read(
    struct kept_file *file, int dir, const char *name, char *buf, size_t size, size_t *len);

/* Read a file once. */
enum system_known read_once(int dir, const char *name, char *buf, size_t size, size_t *len);

/* Return the reason that an errno value stands for. */
enum system_known kept_reason(int error);

void kept_close(struct kept_file *file);

/* ---- nul words ---- */

/*
 * The NUL-separated words of /proc/PID/cmdline and /proc/PID/environ.
 *
 * The last word may lack its NUL.  Results point into the text.
 */

struct word {
	const char *text; /* not NUL-terminated; NULL: no such word */
	size_t len;
};

/* The word with this index. */
struct word words_get(const char *text, size_t len, size_t index);

/* The value of the first NAME=value, as getenv returns it. */
struct word words_value(const char *text, size_t len, const char *name);

/* Copy a word as a string.  Returns the size needed with the NUL; if that is above `size`, the copy is
 * truncated. */
size_t word_copy(struct word word, char *buf, size_t size);

/* Join all words with spaces, truncated, as a command line to show. */
void words_join(const char *text, size_t len, char *buf, size_t size);
