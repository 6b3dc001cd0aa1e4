/*
 * memtrace_path.h - the memtrace file of a process, as MEMTRACE in its environment names it.
 *
 * The path is kept with the descriptor of a directory, so that the file can be opened again after the process
 * has changed its directory or ended.  Also: whether the process of a trace still runs.
 */
#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include "rtev/memtrace.h"
#include "target/identity.h"

struct traced {
	int base;	      /* directory of a relative path; AT_FDCWD: ours */
	struct identity user; /* user of the process; a path that our user gave is opened with our ids */
	bool confined;	      /* the process has another root or other mounts: the path stays inside `base` */
	char path[PROC_PATH_SIZE];
	char shown[PROC_PATH_SIZE]; /* for messages */
};

/* Use a file given by the user. */
void traced_by_path(struct traced *traced, const char *path);

/* Find the file of a process.  Returns 0, ENOENT without MEMTRACE, or another errno value.  Close with
 * traced_close. */
int traced_by_process(struct traced *traced, const char *proc_root, pid_t pid);

void traced_close(struct traced *traced);

/* Open the file if it is a regular one; see identity_open. */
int traced_open(const struct traced *traced, struct stat *st, int *fd);

/* Whether the process of a trace has ended.  Returns false if unknown, such as for another host. */
bool traced_ended(const struct rtev_memtrace_info *info, const char *proc_root);
