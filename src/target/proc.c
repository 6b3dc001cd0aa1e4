/* proc.c - open and read the directory of one process. */
#include "target/proc.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <pwd.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "core/files.h"
#include "target/answer.h"
#include "target/shortage.h"

/* Convert the errno of a failed access to the directory: a process that has ended gives ESRCH. */
static int gone(int error)
{
	return error == ENOENT ? ESRCH : error;
}

int proc_open(struct proc *proc, const char *root, pid_t pid)
{
	memset(proc, 0, sizeof *proc);
	proc->dir = -1;
	proc->pid = pid;
	proc->real = root == NULL;
	proc->root = root == NULL ? "/proc" : root;
	int n = snprintf(proc->path, sizeof proc->path, "%s/%ld", proc->root, (long)pid);
	if (n < 0 || (size_t)n >= sizeof proc->path)
		return ENAMETOOLONG;
	proc->dir = open(proc->path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return proc->dir < 0 ? gone(errno) : 0;
}

bool proc_hidden(const struct proc *proc)
{
	struct stat st;

	/* The open directory of an ended process can still be examined; that of a hidden one can't. */
	return proc->dir >= 0 && fstatat(proc->dir, "", &st, AT_EMPTY_PATH) != 0 && errno == ENOENT;
}

void proc_close(struct proc *proc)
{
	if (proc->dir >= 0)
		close(proc->dir);
	proc->dir = -1;
}

bool proc_lives(const struct proc *proc)
{
	return faccessat(proc->dir, "stat", F_OK, 0) == 0;
}

int proc_stat(int base, const char *name, struct stat *st)
{
	struct statx is;

	if (statx(base, name, (name[0] == '\0' ? AT_EMPTY_PATH : 0) | AT_STATX_DONT_SYNC, STATX_BASIC_STATS,
		&is) != 0)
		return errno;
	*st = (struct stat){.st_dev = makedev(is.stx_dev_major, is.stx_dev_minor),
	    .st_ino = is.stx_ino,
	    .st_mode = is.stx_mode,
	    .st_nlink = is.stx_nlink,
	    .st_uid = is.stx_uid,
	    .st_size = (off_t)is.stx_size,
	    .st_mtim = {is.stx_mtime.tv_sec, is.stx_mtime.tv_nsec},
	    .st_ctim = {is.stx_ctime.tv_sec, is.stx_ctime.tv_nsec}};
	return 0;
}

/* Read a descriptor to its end.  With `whole`, a read that leaves room in the buffer has reached the end. */
static int read_all(int fd, char *buf, size_t size, bool whole, size_t *len)
{
	size_t done = 0;

	while (done < size - 1) {
		ssize_t n = read(fd, buf + done, size - 1 - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return gone(errno);
		if (n == 0)
			break;
		done += (size_t)n;
		if (whole)
			break;
	}
	buf[done] = '\0';
	*len = done;
	return 0;
}

/* Whether the kernel produces a file in one piece. */
static bool in_one_piece(const char *name)
{
	static const char *const files[] = {"stat", "status", "syscall", "schedstat"};

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		if (strcmp(path_base(name), files[i]) == 0)
			return true;
	return false;
}

int proc_descriptor(const struct proc *proc, const char *name)
{
	return openat(proc->dir, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

int proc_read(const struct proc *proc, const char *name, char *buf, size_t size, size_t *len)
{
	*len = 0;
	buf[0] = '\0';
	int fd = proc_descriptor(proc, name);
	if (fd < 0)
		return gone(errno);
	int error = read_all(fd, buf, size, in_one_piece(name), len);
	close(fd);
	return error;
}

int proc_slurp(const struct proc *proc, const char *name, size_t limit, char **out, size_t *len)
{
	size_t size = limit < 16384 ? limit : 16384;
	int error;

	for (;;) {
		*out = malloc(size + 1);
		if (*out == NULL)
			return ENOMEM;
		error = proc_read(proc, name, *out, size + 1, len);
		if (error == 0 && (*len < size || size >= limit))
			return 0;
		free(*out);
		*out = NULL;
		if (error != 0)
			return error;
		size = size > limit / 2 ? limit : size * 2;
	}
}

int proc_link(const struct proc *proc, const char *name, char *buf, size_t size)
{
	ssize_t n = readlinkat(proc->dir, name, buf, size);

	if (n < 0) {
		buf[0] = '\0';
		return gone(errno);
	}
	if ((size_t)n >= size) {
		buf[0] = '\0';
		return ENAMETOOLONG;
	}
	buf[n] = '\0';
	return 0;
}

int proc_program(const struct proc *proc, char path[PROC_PATH_SIZE])
{
	static const char mark[] = " (deleted)";
	int error = proc_link(proc, "exe", path, PROC_PATH_SIZE);
	size_t len = error == 0 ? strlen(path) : 0;

	if (len > sizeof mark - 1 && strcmp(path + len - (sizeof mark - 1), mark) == 0)
		path[len - (sizeof mark - 1)] = '\0';
	return error;
}

bool proc_foreign_mounts(const struct proc *proc)
{
	char path[PROC_PATH_SIZE], ours[64], theirs[64];

	if (snprintf(path, sizeof path, "%s/self/ns/mnt", proc->root) >= (int)sizeof path)
		return false;
	ssize_t n = readlink(path, ours, sizeof ours - 1);
	if (n <= 0 || proc_link(proc, "ns/mnt", theirs, sizeof theirs) != 0)
		return false;
	ours[n] = '\0';
	return strcmp(ours, theirs) != 0;
}

bool proc_foreign_paths(const struct proc *proc)
{
	char path[PROC_PATH_SIZE];
	struct stat ours, theirs;

	if (proc_foreign_mounts(proc))
		return true;
	if (snprintf(path, sizeof path, "%s/self/root", proc->root) >= (int)sizeof path)
		return false;
	if (stat(path, &ours) != 0 || proc_stat(proc->dir, "root", &theirs) != 0)
		return false;
	return ours.st_dev != theirs.st_dev || ours.st_ino != theirs.st_ino;
}

/* Open a file with O_PATH. */
static int name_file(int base, const char *path, bool confined)
{
	/* A link of /proc is followed by the kernel without a walk along a path. */
	const bool walks = base == AT_FDCWD || confined || strchr(path, '/') != NULL;
	const int fd = walks ? answer_walk(base, path, confined ? RESOLVE_IN_ROOT : 0) : -1;

	if (walks && (fd >= 0 || (errno != ENOSYS && errno != EPERM)))
		return fd;
	/* Older kernels and sandboxes lack openat2: links are then not confined. */
	while (confined && *path == '/')
		path++;
	return openat(base, path, O_PATH | O_CLOEXEC);
}

int proc_open_regular(int base, const char *path, bool confined, struct stat *st, int *fd)
{
	char self[64];
	struct stat own;
	int name, error;

	*fd = -1;
	if (st == NULL)
		st = &own;
	memset(st, 0, sizeof *st);
	name = name_file(base, path, confined);
	if (name < 0)
		return errno;
	const int kind = answer_kind(name);
	error = kind != 0 ? proc_stat(name, "", st) : fstat(name, st) != 0 ? errno : 0;
	if (error == 0 && !S_ISREG(st->st_mode))
		error = PROC_NOT_REGULAR;
	if (error == 0 && kind == ETIMEDOUT)
		error = kind;
	if (error == 0 && kind == PROC_SERVED) {
		*fd = name;
		return 0;
	}
	if (error == 0) {
		/* Open by the descriptor, so that the file is the one that was checked. */
		snprintf(self, sizeof self, "/proc/self/fd/%d", name);
		*fd = open(self, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
		if (*fd < 0)
			error = errno;
	}
	close(name);
	return error;
}

int proc_open_dir(const struct proc *proc, const char *name, int *fd)
{
	*fd = openat(proc->dir, name, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return *fd < 0 ? gone(errno) : 0;
}

int proc_open_in_root(const struct proc *proc, const char *path, struct stat *st, int *fd)
{
	int root, error = proc_open_dir(proc, "root", &root);

	*fd = -1;
	if (error != 0)
		return error;
	error = proc_open_regular(root, path, true, st, fd);
	close(root);
	return error;
}

/* ---- kept file ---- */

enum { REST = 15 }; /* reads between two attempts to open */

enum system_known kept_reason(int error)
{
	switch (error) {
	case EACCES:
	case EPERM:
		return SYSTEM_DENIED;
	case ENOENT:
	case ENOTDIR:
		return SYSTEM_NO_FILE;
	case ESRCH:
		return SYSTEM_ENDED;
	case EOPNOTSUPP:
	case EINVAL:
	case ENODEV:
		return SYSTEM_OTHER_KERNEL;
	default:
		return SYSTEM_NOT_READ;
	}
}

/* Read an open file from its start. */
static enum system_known read_open(int fd, char *buf, size_t size, size_t *len)
{
	ssize_t n;

	do
		n = pread(fd, buf, size - 1, 0);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return kept_reason(errno);
	buf[n] = '\0';
	*len = (size_t)n;
	return SYSTEM_KNOWN;
}

enum system_known kept_read(
    struct kept_file *file, int dir, const char *name, char *buf, size_t size, size_t *len)
{
	*len = 0;
	buf[0] = '\0';
	if (file->fd < 0) {
		if (file->rest > 0) {
			file->rest--;
			return file->refused;
		}
		file->fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	}
	enum system_known known = file->fd < 0 ? kept_reason(errno) : read_open(file->fd, buf, size, len);
	if (known != SYSTEM_KNOWN) {
		kept_close(file);
		file->rest = REST;
		file->refused = known;
	}
	return known;
}

enum system_known read_once(int dir, const char *name, char *buf, size_t size, size_t *len)
{
	struct kept_file file = KEPT_FILE_NONE;
	enum system_known known = kept_read(&file, dir, name, buf, size, len);

	kept_close(&file);
	return known;
}

long proc_setting(const char *root, const char *name, long unknown)
{
	char path[PROC_PATH_SIZE], text[32], *end;
	size_t len;

	snprintf(path, sizeof path, "%s/sys/%s", root != NULL ? root : "/proc", name);
	if (read_once(AT_FDCWD, path, text, sizeof text, &len) != SYSTEM_KNOWN)
		return unknown;
	long value = strtol(text, &end, 10);
	return end != text ? value : unknown;
}

void kept_close(struct kept_file *file)
{
	if (file->fd >= 0)
		close(file->fd);
	*file = KEPT_FILE_NONE;
}

/* ---- nul words ---- */

/* The word at an offset. */
static struct word word_at(const char *text, size_t len, size_t offset)
{
	struct word word = {.text = text + offset};
	const char *nul = memchr(word.text, '\0', len - offset);

	word.len = nul == NULL ? len - offset : (size_t)(nul - word.text);
	return word;
}

struct word words_get(const char *text, size_t len, size_t index)
{
	size_t offset = 0;

	while (offset < len) {
		struct word word = word_at(text, len, offset);

		if (index-- == 0)
			return word;
		offset += word.len + 1;
	}
	return (struct word){.text = NULL};
}

struct word words_value(const char *text, size_t len, const char *name)
{
	size_t offset = 0, name_len = strlen(name);

	while (offset < len) {
		struct word word = word_at(text, len, offset);

		if (word.len > name_len && memcmp(word.text, name, name_len) == 0 &&
		    word.text[name_len] == '=')
			return (struct word){word.text + name_len + 1, word.len - name_len - 1};
		offset += word.len + 1;
	}
	return (struct word){.text = NULL};
}

size_t word_copy(struct word word, char *buf, size_t size)
{
	size_t n = word.len;

	if (size == 0)
		return n + 1;
	if (n >= size)
		n = size - 1;
	if (n > 0)
		memcpy(buf, word.text, n);
	buf[n] = '\0';
	return word.len + 1;
}

void words_join(const char *text, size_t len, char *buf, size_t size)
{
	if (size == 0)
		return;
	while (len > 0 && text[len - 1] == '\0')
		len--;
	size_t n = len < size ? len : size - 1;
	for (size_t i = 0; i < n; i++)
		buf[i] = text[i] == '\0' ? ' ' : text[i];
	buf[n] = '\0';
}

/* ---- users ---- */

/*
 * The C library's lookup loads further libraries, allocates memory, and ends the program if memory is short.
 * So /etc/passwd is read first, which does none of this.
 */

/* Look up a user in /etc/passwd. */
static bool file_names(uid_t uid, char name[PROC_USER_SIZE])
{
	FILE *file = fopen("/etc/passwd", "re");
	struct passwd entry, *found = NULL;
	char buf[4096];

	if (file == NULL)
		return false;
	while (fgetpwent_r(file, &entry, buf, sizeof(buf), &found) == 0 && entry.pw_uid != uid)
		found = NULL;
	fclose(file);
	if (found != NULL)
		strlcpy(name, found->pw_name, PROC_USER_SIZE);
	return found != NULL;
}

/* Ask the C library, which knows users that other databases hold.  A static program doesn't: glibc would load
 * modules of the version that it was built with. */
static bool library_names(uid_t uid, char name[PROC_USER_SIZE])
{
#ifdef RTEV_STATIC
	return false;
#else
	char buf[4096];
	struct passwd entry, *found = NULL;

	if (!shortage_names() || getpwuid_r(uid, &entry, buf, sizeof(buf), &found) != 0 || found == NULL)
		return false;
	strlcpy(name, found->pw_name, PROC_USER_SIZE);
	return true;
#endif
}

void proc_user(uid_t uid, char name[PROC_USER_SIZE])
{
	if (!file_names(uid, name) && !library_names(uid, name))
		snprintf(name, PROC_USER_SIZE, "%lu", (unsigned long)uid);
}
