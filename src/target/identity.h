/*
 * identity.h - open a file as the user of a process would.
 *
 * Root may read every file.  One that a process names, by its environment or its working directory, is opened only if that process's
 * own user may read it: the calling thread takes the user's ids for the file system, groups included, so that the kernel judges the
 * file and the way there.  Its user is the real one, or where that is root the effective one.  Nobody but root needs that, and no
 * process of root's.
 */
#ifndef TARGET_IDENTITY_H
#define TARGET_IDENTITY_H

#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "target/status.h"

struct identity {
	bool other; /* we are root, and the process is of another user */
	uid_t uid;
	gid_t gid;
	unsigned group_count;
	gid_t groups[STATUS_GROUPS_MAX];
};

/* Tell whose process it is from what /proc says of it; of one that tells no user, `other` stays false unless we are root: then its
 * files are those of nobody. */
void identity_of(struct identity *out, const struct status_ids *ids);

/* Learn it from the process. */
void identity_read(struct identity *out, const struct proc *proc);

/* As proc_open_regular, as that user.  EACCES stands for a file that is there and that the user may not read or get at, be it of
 * no kind to be opened; *st is then as root sees it. */
int identity_open(
    const struct identity *user, int base, const char *path, bool confined, struct stat *st, int *fd);

#endif
