/*
 * private_dir.c - make, remove and clean up private directories.
 */
#include "launch/private_dir.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/random.h>
#include <unistd.h>

#include "core/files.h"
#include "target/maps.h"
#include "target/status.h"

#define PREFIX "rtevtop-"
#define SUFFIX_DIGITS 8
#define MARKER ".rtevtop"
#define TRIES_MAX 16
#define SCAN_MAX 65536 /* entries of the parent directory that a sweep reads */

/* The start time of a process in clock ticks.  Returns 0 if the process has ended, even if nobody has waited
 * for it yet, or can't be read. */
static uint64_t start_ticks(pid_t pid, bool *ended)
{
	struct status_stat stat;
	struct proc proc;

	int error = proc_open(&proc, NULL, pid);
	if (error == 0) {
		error = status_read_stat(&proc, &stat);
		proc_close(&proc);
	}
	*ended = error == ESRCH || (error == 0 && status_ended(&stat));
	return error == 0 && !*ended ? stat.start_ticks : 0;
}

/* Whether a process has ended for certain. */
static bool is_gone(int64_t pid)
{
	bool ended;

	if (pid <= 0 || pid > INT32_MAX)
		return false;
	/* /proc may hide a process; kill finds it. */
	if (kill((pid_t)pid, 0) != 0)
		return errno == ESRCH;
	start_ticks((pid_t)pid, &ended);
	return ended;
}

int64_t private_dir_ring_pid(const char *name)
{
	char *end;

	if (name[0] < '0' || name[0] > '9')
		return 0;
	errno = 0;
	long long pid = strtoll(name, &end, 10);
	return errno == 0 && strcmp(end, ".events") == 0 ? pid : 0;
}

/* The pid in the name of an incomplete ring of our own producer: .PID.events.XXXXXXXX */
static int64_t unfinished_pid(const char *name)
{
	char ring[NAME_MAX + 1];

	if (name[0] != '.' || strlcpy(ring, name + 1, sizeof(ring)) < SUFFIX_DIGITS + 1)
		return 0;
	char *end = ring + strlen(ring) - SUFFIX_DIGITS - 1;
	if (end[0] != '.' || strspn(end + 1, "0123456789abcdef") != SUFFIX_DIGITS)
		return 0;
	*end = '\0';
	return private_dir_ring_pid(ring);
}

DIR *private_dir_names(int fd)
{
	int own = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = own >= 0 ? fdopendir(own) : NULL;

	if (dir == NULL && own >= 0)
		close(own);
	return dir;
}

/* Call `visit` for each name in a directory except "." and "..", until it returns false.  Returns false if it
 * did. */
static bool each_name(int fd, bool (*visit)(void *ctx, int fd, const char *name), void *ctx)
{
	DIR *dir = private_dir_names(fd);
	const struct dirent *entry;
	bool going = true;

	if (dir == NULL)
		return false;
	while (going && (entry = readdir(dir)) != NULL)
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			going = visit(ctx, fd, entry->d_name);
	closedir(dir);
	return going;
}

/* ---- making and removing ---- */

/* Make a directory with an unused name.  Returns its descriptor, or -1 with errno set. */
static int make_folder(struct private_dir *dir, const char *above)
{
	char name[sizeof(PREFIX) + SUFFIX_DIGITS];

	for (unsigned i = 0; i < TRIES_MAX; i++) {
		uint32_t number;
		if (getrandom(&number, sizeof(number), GRND_NONBLOCK) != (ssize_t)sizeof(number))
			number = (uint32_t)getpid() * TRIES_MAX + i;
		snprintf(name, sizeof(name), PREFIX "%08x", (unsigned)number);
		if (mkdirat(dir->above, name, 0700) == 0) {
			if (snprintf(dir->path, sizeof(dir->path), "%s/%s", above, name) >=
			    (int)sizeof(dir->path)) {
				unlinkat(dir->above, name, AT_REMOVEDIR);
				errno = ENAMETOOLONG;
				return -1;
			}
			int fd = openat(dir->above, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
			int error = errno;
			if (fd < 0)
				unlinkat(dir->above, name, AT_REMOVEDIR);
			errno = error;
			return fd;
		}
		if (errno != EEXIST)
			return -1;
	}
	return -1;
}

/* Write the marker file.  Returns 0 or an errno value. */
static int make_marker(int fd)
{
	char text[64];
	bool ended;
	int marker = openat(fd, MARKER, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (marker < 0)
		return errno;
	int len = snprintf(text, sizeof(text), "%ld %llu\n", (long)getpid(),
	    (unsigned long long)start_ticks(getpid(), &ended));
	errno = EIO; /* a short write does not set it */
	int error = write(marker, text, (size_t)len) == (ssize_t)len ? 0 : errno;
	close(marker);
	return error;
}

static void close_dir(struct private_dir *dir)
{
	int *fds[] = {&dir->fd, &dir->above};

	for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++) {
		if (*fds[i] >= 0)
			close(*fds[i]);
		*fds[i] = -1;
	}
}

int private_dir_make(struct private_dir *dir, const char *above, bool keep)
{
	int error = 0;

	*dir = (struct private_dir){.fd = -1, .above = -1};
	strlcpy(dir->path, above, sizeof(dir->path));
	dir->above = open(above, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dir->above >= 0)
		dir->fd = make_folder(dir, above);
	if (dir->fd < 0) {
		error = errno;
	} else if (fstat(dir->fd, &dir->st) != 0) {
		error = errno;
		/* The new folder can't be told from another of its name, but removing an empty folder does no
		 * harm. */
		unlinkat(dir->above, strrchr(dir->path, '/') + 1, AT_REMOVEDIR);
	} else if (dir->st.st_uid != geteuid() || (dir->st.st_mode & 0077) != 0) {
		/* In a parent without a sticky bit another user may have put a directory under this name. */
		error = EPERM;
	} else {
		/* A sweep holds the lock for a moment.  On a file system without locks there are no leftovers. */
		bool locked = flock(dir->fd, LOCK_EX) == 0;
		error = locked && !keep ? make_marker(dir->fd) : 0;
		if (error != 0)
			private_dir_remove(dir, false);
	}
	if (error == 0)
		return 0;
	close_dir(dir);
	strlcpy(dir->path, above, sizeof(dir->path));
	return error;
}

/* Remove a ring or an incomplete ring.  Symbolic links are removed, not followed. */
static bool remove_ring(void *ctx, int fd, const char *name)
{
	if (private_dir_ring_pid(name) != 0 || unfinished_pid(name) != 0)
		unlinkat(fd, name, 0);
	return true;
}

void private_dir_remove(struct private_dir *dir, bool keep)
{
	const char *name = strrchr(dir->path, '/');

	if (dir->fd < 0)
		return;
	if (!keep)
		each_name(dir->fd, remove_ring, NULL);
	unlinkat(dir->fd, MARKER, 0);
	/* Fails, as intended, while something is kept in the directory. */
	if (name != NULL)
		same_file_remove(dir->above, name + 1, &dir->st, AT_REMOVEDIR);
	close_dir(dir);
}

/* ---- leftovers ---- */

bool private_dir_marked(const char *path)
{
	char marker[PATH_MAX];

	return snprintf(marker, sizeof(marker), "%s/" MARKER, path) < (int)sizeof(marker) &&
	       access(marker, F_OK) == 0;
}

/* Whether the process that a marker names has ended.  Returns false if it is no valid marker. */
static bool owner_gone(int fd)
{
	char text[64] = "", rest;
	struct stat st;
	bool ended;
	unsigned long long ticks;
	long pid;

	int marker = openat(fd, MARKER, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (marker < 0)
		return false;
	bool good = fstat(marker, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
		    st.st_nlink == 1 && st.st_size > 0 && st.st_size < (off_t)sizeof(text) &&
		    pread(marker, text, sizeof(text) - 1, 0) == (ssize_t)st.st_size;
	close(marker);
	if (!good || sscanf(text, "%10ld %20llu%c", &pid, &ticks, &rest) != 3 || rest != '\n' || pid <= 0 ||
	    pid > INT32_MAX)
		return false;
	uint64_t now = start_ticks((pid_t)pid, &ended);
	return now != 0 ? now != ticks : is_gone(pid);
}

/* A search for a process that maps a certain ring. */
struct mapped {
	uint64_t inode;
	bool found;
};

static bool see_map(void *ctx, const struct map *map)
{
	struct mapped *mapped = ctx;
	int64_t number;

	/* Device numbers are not compared: on some file systems /proc/PID/maps and stat disagree. */
	mapped->found = map_is_ring(map, &number) && map->inode == mapped->inode;
	return !mapped->found;
}

static bool see_process(void *ctx, int fd, const char *name)
{
	struct mapped *mapped = ctx;
	struct proc proc;

	if (name[0] < '0' || name[0] > '9' || proc_open(&proc, NULL, (pid_t)strtol(name, NULL, 10)) != 0)
		return true;
	struct effort effort = effort_for_look();
	mapped->found = maps_walk(&proc, &effort, see_map, mapped) == E2BIG || mapped->found;
	proc_close(&proc);
	return !mapped->found;
}

/* Whether any process maps a ring, one in another pid namespace included.  Returns true if that is unknown. */
static bool is_mapped(const struct stat *st)
{
	struct mapped mapped = {.inode = (uint64_t)st->st_ino};

	int fd = open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return true;
	bool all = each_name(fd, see_process, &mapped);
	close(fd);
	return !all || mapped.found;
}

/* Whether a name is the marker, or a ring that no process needs any more. */
static bool is_left(void *ctx, int fd, const char *name)
{
	int64_t pid = private_dir_ring_pid(name);
	struct stat st;

	if (strcmp(name, MARKER) == 0)
		return true;
	if (pid == 0)
		pid = unfinished_pid(name);
	return is_gone(pid) && fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode) &&
	       st.st_uid == geteuid() && st.st_nlink == 1 && !is_mapped(&st);
}

/* Whether a directory has our user, mode 0700, and the device of its parent. */
static bool looks_ours(int above, const struct stat *st)
{
	struct stat folder;

	return st->st_uid == geteuid() && (st->st_mode & 07777) == 0700 && fstat(above, &folder) == 0 &&
	       folder.st_dev == st->st_dev;
}

/* Remove a directory if it is a leftover. */
static bool sweep_name(void *ctx, int above, const char *name)
{
	struct private_dir dir = {.above = -1};
	unsigned *looked = ctx;

	if (++*looked > SCAN_MAX)
		return false;
	if (strncmp(name, PREFIX, sizeof(PREFIX) - 1) != 0 ||
	    strspn(name + sizeof(PREFIX) - 1, "0123456789abcdef") != SUFFIX_DIGITS ||
	    strlen(name) != sizeof(PREFIX) - 1 + SUFFIX_DIGITS)
		return true;
	dir.fd = openat(above, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (dir.fd >= 0 && fstat(dir.fd, &dir.st) == 0 && looks_ours(above, &dir.st) &&
	    flock(dir.fd, LOCK_EX | LOCK_NB) == 0 && owner_gone(dir.fd) && each_name(dir.fd, is_left, NULL)) {
		each_name(dir.fd, remove_ring, NULL);
		unlinkat(dir.fd, MARKER, 0);
		same_file_remove(above, name, &dir.st, AT_REMOVEDIR);
	}
	close_dir(&dir);
	return true;
}

void private_dir_sweep(const char *above)
{
	int fd = open(above, O_PATH | O_DIRECTORY | O_CLOEXEC);
	unsigned looked = 0;

	if (fd < 0)
		return;
	each_name(fd, sweep_name, &looked);
	close(fd);
}
