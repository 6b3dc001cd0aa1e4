/*
 * memtrace_path.h - the memtrace file that a process writes, as the MEMTRACE of its environment names it.
 *
 * The path is kept with a descriptor that it goes by, so that the file can be opened, and looked for again, also after the
 * process has changed its directory or ended.  And the other way round: whether the process that a trace names is still there.
 */
#ifndef TARGET_MEMTRACE_PATH_H
#define TARGET_MEMTRACE_PATH_H

#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "rtev/memtrace.h"
#include "target/identity.h"
#include "target/proc.h"

struct traced {
	int base;	      /* directory that a relative path goes by; AT_FDCWD: ours */
	struct identity user; /* of the process that named it; of one that the user gave, nobody else's */
	bool confined;	      /* the process sees another root or other mounts: the path stays inside base */
	char path[PROC_PATH_SIZE];
	char shown[PROC_PATH_SIZE]; /* for people */
};

/* Name a file that the user gave. */
void traced_by_path(struct traced *traced, const char *path);

/* Find out what a process writes.  0; ENOENT when it has no MEMTRACE; else an errno value.  Close it with traced_close. */
int traced_by_process(struct traced *traced, const char *proc_root, pid_t pid);

void traced_close(struct traced *traced);

/* Open the file for reading if it is a regular one, as identity_open. */
int traced_open(const struct traced *traced, struct stat *st, int *fd);

/* Whether the process that a trace is of has ended.  False also where that can't be told, as of another host's. */
bool traced_ended(const struct rtev_memtrace_info *info, const char *proc_root);

#endif
