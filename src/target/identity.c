/* identity.c - open a file as the user of a process would. */
#include "target/identity.h"

#include <fcntl.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* System calls with 32-bit ids, on machines that also have older ones. */
#ifdef SYS_setgroups32
#define CALL_SETGROUPS SYS_setgroups32
#define CALL_GETGROUPS SYS_getgroups32
#else
#define CALL_SETGROUPS SYS_setgroups
#define CALL_GETGROUPS SYS_getgroups
#endif

/* The former credentials of the thread. */
struct before {
	uid_t uid;
	gid_t gid;
	long group_count;
	gid_t *groups;
	int dumpable, death_signal; /* the kernel resets these when ids change */
};

void identity_of(struct identity *out, const struct status_ids *ids)
{
	*out = (struct identity){.uid = STATUS_NOBODY, .gid = STATUS_NOBODY};
	if (geteuid() != 0)
		return;
	if (ids->has_uid) {
		bool real = ids->real_uid != 0;
		out->uid = real ? ids->real_uid : ids->uid;
		out->gid = real ? ids->real_gid : ids->gid;
		out->group_count = ids->group_count;
		memcpy(out->groups, ids->groups, ids->group_count * sizeof(ids->groups[0]));
	}
	out->other = out->uid != 0;
}

void identity_read(struct identity *out, const struct proc *proc)
{
	struct status_ids ids = {.has_uid = false};

	status_read_ids(proc, &ids);
	identity_of(out, &ids);
}

/* Set the groups of this thread; the function of the C library sets those of all threads. */
static int set_groups(size_t count, const gid_t *groups)
{
	return syscall(CALL_SETGROUPS, count, groups) == 0 ? 0 : errno;
}

/* Restore the credentials. */
static void resume(struct before *before)
{
	setfsuid(before->uid);
	setfsgid(before->gid);
	set_groups((size_t)before->group_count, before->groups);
	free(before->groups);
	if (before->dumpable == 1)
		prctl(PR_SET_DUMPABLE, 1);
	if (before->death_signal != 0)
		prctl(PR_SET_PDEATHSIG, before->death_signal);
}

/* Take the user's credentials.  Returns 0, or an errno value with nothing changed. */
static int assume(const struct identity *user, struct before *before)
{
	*before = (struct before){.dumpable = prctl(PR_GET_DUMPABLE), .uid = (uid_t)setfsuid((uid_t)-1)};
	before->gid = (gid_t)setfsgid((gid_t)-1);
	prctl(PR_GET_PDEATHSIG, &before->death_signal);
	before->group_count = syscall(CALL_GETGROUPS, 0, NULL);
	if (before->group_count < 0)
		return errno;
	before->groups = calloc((size_t)before->group_count + 1, sizeof(before->groups[0]));
	if (before->groups == NULL)
		return ENOMEM;
	if (syscall(CALL_GETGROUPS, before->group_count, before->groups) != before->group_count) {
		free(before->groups);
		return EIO;
	}
	int error = set_groups(user->group_count, user->groups);
	if (error != 0) {
		free(before->groups);
		return error;
	}
	setfsgid(user->gid);
	setfsuid(user->uid);
	if ((uid_t)setfsuid((uid_t)-1) == user->uid && (gid_t)setfsgid((gid_t)-1) == user->gid)
		return 0;
	resume(before);
	return EPERM;
}

/* Whether a path exists, as root. */
static bool is_there(int base, const char *path, bool confined, struct stat *st)
{
	int fd, error = proc_open_regular(base, path, confined, st, &fd);

	if (error == 0)
		close(fd);
	return st->st_nlink > 0;
}

int identity_open(
    const struct identity *user, int base, const char *path, bool confined, struct stat *st, int *fd)
{
	struct before before;
	struct stat own;

	if (!user->other)
		return proc_open_regular(base, path, confined, st, fd);
	if (st == NULL)
		st = &own;
	*fd = -1;
	int error = assume(user, &before);
	if (error == 0) {
		error = proc_open_regular(base, path, confined, st, fd);
		resume(&before);
	} else {
		error = EACCES;
		memset(st, 0, sizeof *st);
	}
	if (error == EPERM)
		error = EACCES;
	/* In a directory that the user may not search, the file may not exist. */
	if (error == EACCES && st->st_nlink == 0 && !is_there(base, path, confined, st))
		return ENOENT;
	return error;
}

int identity_open_from(const struct identity *user, const struct proc *proc, const char *from,
    const char *path, struct stat *st, int *fd)
{
	int base;

	*fd = -1;
	if (from == NULL)
		return identity_open(user, AT_FDCWD, path, false, st, fd);
	int error = proc_open_dir(proc, from, &base);
	if (error != 0)
		return error;
	error = identity_open(user, base, path, strcmp(from, "root") == 0, st, fd);
	close(base);
	return error;
}
