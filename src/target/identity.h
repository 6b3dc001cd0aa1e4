/*
 * identity.h - open a file as the user of a process would.
 *
 * Root may read every file.  A file that a process names, by its environment or working directory, is opened
 * only if that process's user may read it.  The calling thread takes the user's file system ids and groups,
 * so that the kernel checks the file and the way to it.  The user is the real one, or the effective one if
 * the real one is root.  Only root does this, and only for processes of other users.
 */
#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include "target/status.h"

struct identity {
	bool other; /* we are root and the process belongs to another user */
	uid_t uid;
	gid_t gid;
	unsigned group_count;
	gid_t groups[STATUS_GROUPS_MAX];
};

/* Determine the user from /proc/PID/status.  If no user is stated, `other` is false unless we are root; root
 * then takes nobody's ids. */
void identity_of(struct identity *out, const struct status_ids *ids);

/* Determine the user of a process. */
void identity_read(struct identity *out, const struct proc *proc);

/* Open a file with proc_open_regular, as that user.  EACCES means that the file exists and the user may not
 * read or reach it, whatever its type; *st is then as root sees it. */
int identity_open(
    const struct identity *user, int base, const char *path, bool confined, struct stat *st, int *fd);

/* Open a file as that user.  `from` names a directory that the process's directory links to, from which the
 * path starts: "root", which then confines the path, or "cwd"; NULL: our own. */
int identity_open_from(const struct identity *user, const struct proc *proc, const char *from,
    const char *path, struct stat *st, int *fd);
