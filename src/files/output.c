/*
 * output.c - open the destination by what its name refers to (a descriptor, a stream, a regular file), write
 * regular files under a temporary name, and rename them at the end.
 */
#include "files/output.h"

#include <fcntl.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "core/files.h"

#define JSON_BEGIN "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"recorder\":\"rtevtop\""
#define BEGIN_MAX 128 /* bytes compared, at most */

/* The first bytes of a trace (magic number and provider), and the first members of the JSON object. */
const struct output_begin output_recordings[] = {
    {"\x10\x00\x04\x46\x78\x54\x16\x00\x20\x00\x01\x00\x00\x00\x70\x00rtevtop\x00"
     "\x10\x00\x02\x00\x00\x00\x00",
	32},
    {JSON_BEGIN, sizeof(JSON_BEGIN) - 1}, {NULL, 0}};

/* Whether a regular file is empty or one of ours.  *error is set if it can't be read. */
static bool is_ours(const struct output *o, const struct output_begin *ours, int *error)
{
	char first[BEGIN_MAX];
	struct stat st;

	if (o->old.st_size == 0)
		return true;
	int fd =
	    openat(o->folder.fd, o->folder.name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0) {
		*error = errno;
		return false;
	}
	/* The file may have been replaced by one that is not regular. */
	ssize_t len = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) ? pread(fd, first, sizeof(first), 0) : 0;
	close(fd);
	for (; ours->len != 0; ours++)
		if (len >= (ssize_t)ours->len && memcmp(first, ours->bytes, ours->len) == 0)
			return true;
	return false;
}

/* Whether the sticky bit prevents us from replacing another user's file. */
static bool is_kept(const struct output *o)
{
	struct stat folder;
	uid_t user = geteuid();

	return user != 0 && fstat(o->folder.fd, &folder) == 0 && (folder.st_mode & S_ISVTX) != 0 &&
	       folder.st_uid != user && o->old.st_uid != user;
}

/* The inherited descriptor that a path refers to, or -1. */
static int descriptor_of(const char *path)
{
	static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
	const char *problem = "";

	if (strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0)
		return STDOUT_FILENO;
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		size_t len = strlen(folders[i]);
		if (strncmp(path, folders[i], len) != 0 ||
		    path[len + strspn(path + len, "0123456789")] != '\0')
			continue;
		int fd = (int)strtonum(path + len, 0, INT_MAX, &problem);
		return problem == NULL ? fd : -1;
	}
	return -1;
}

/* Use a descriptor as the stream. */
static enum output_status take_descriptor(struct output *o, int fd)
{
	int flags = fcntl(fd, F_GETFL);

	if (isatty(fd))
		return OUTPUT_TERMINAL;
	if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY) {
		errno = EBADF;
		return OUTPUT_FAILED;
	}
	o->fd = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	o->stream = o->published = true;
	return o->fd >= 0 ? OUTPUT_OK : OUTPUT_FAILED;
}

/* Whether a file is /dev/null, the one device that does nothing when opened. */
static bool is_null(const struct stat *st)
{
	return S_ISCHR(st->st_mode) && st->st_rdev == makedev(1, 3);
}

/* Open a FIFO or /dev/null as the stream. */
static enum output_status open_stream(struct output *o)
{
	struct stat folder, st;

	int fd =
	    openat(o->folder.fd, o->folder.name, O_WRONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return errno == ENXIO ? OUTPUT_NO_READER : OUTPUT_FAILED;
	o->fd = fd;
	if (fstat(fd, &st) != 0 || fstat(o->folder.fd, &folder) != 0)
		return OUTPUT_FAILED;
	if (!S_ISFIFO(st.st_mode) && !is_null(&st))
		return OUTPUT_NOT_REGULAR;
	if (!is_null(&st) && (folder.st_mode & S_ISVTX) != 0 && st.st_uid != geteuid()) {
		errno = EACCES;
		return OUTPUT_FAILED;
	}
	o->stream = o->published = true;
	return OUTPUT_OK;
}

/* Check what the name refers to: open a stream, refuse a file that is not ours, accept nothing or a file of
 * ours. */
static enum output_status judge_old(struct output *o, const struct output_begin *ours)
{
	int error = 0;

	if (fstatat(o->folder.fd, o->folder.name, &o->old, AT_SYMLINK_NOFOLLOW) != 0)
		return errno == ENOENT ? OUTPUT_OK : OUTPUT_FAILED;
	if (S_ISFIFO(o->old.st_mode) || is_null(&o->old))
		return open_stream(o);
	if (!S_ISREG(o->old.st_mode)) {
		errno = EISDIR;
		return S_ISDIR(o->old.st_mode) ? OUTPUT_FAILED : OUTPUT_NOT_REGULAR;
	}
	o->replaces = true;
	if (is_kept(o)) {
		errno = EPERM;
		return OUTPUT_FAILED;
	}
	if (ours == NULL || is_ours(o, ours, &error))
		return OUTPUT_OK;
	errno = error;
	return error != 0 ? OUTPUT_FAILED : OUTPUT_FOREIGN;
}

enum output_status output_open(struct output *o, const char *path, const struct output_begin *ours)
{
	*o = (struct output){.fd = -1, .folder.fd = -1};
	int given = descriptor_of(path), error = given >= 0 ? 0 : folder_of(&o->folder, path);
	errno = error;
	enum output_status status = error != 0	 ? OUTPUT_FAILED
				    : given >= 0 ? take_descriptor(o, given)
						 : judge_old(o, ours);
	if (status == OUTPUT_OK && !o->stream) {
		o->fd = folder_make_file(o->folder.fd, o->temporary);
		status = o->fd >= 0 && fstat(o->fd, &o->made) == 0 ? OUTPUT_OK : OUTPUT_FAILED;
	}
	if (status == OUTPUT_OK)
		return OUTPUT_OK;
	error = errno;
	/* fstat may have failed, so the inode is not compared: the random name can't belong to another file. */
	if (o->fd >= 0 && o->temporary[0] != '\0')
		unlinkat(o->folder.fd, o->temporary, 0);
	o->temporary[0] = '\0';
	output_close(o);
	errno = error;
	return status;
}

bool output_replaces(const struct output *o, const char *path)
{
	struct stat st;

	return o->replaces && stat(path, &st) == 0 && st.st_dev == o->old.st_dev &&
	       st.st_ino == o->old.st_ino;
}

/* Link the file under a name that does not exist.  Returns 0 or an errno. */
static int publish_new(const struct output *o)
{
	int folder = o->folder.fd;

	if (renameat2(folder, o->temporary, folder, o->folder.name, RENAME_NOREPLACE) == 0)
		return 0;
	/* EINVAL: the file system does not support RENAME_NOREPLACE. */
	if (errno == EINVAL && faccessat(folder, o->folder.name, F_OK, AT_SYMLINK_NOFOLLOW) != 0 &&
	    renameat(folder, o->temporary, folder, o->folder.name) == 0)
		return 0;
	return errno == EINVAL ? EEXIST : errno;
}

int output_publish(struct output *o)
{
	struct stat now;
	int error;

	if (!o->replaces)
		error = publish_new(o);
	else if (fstatat(o->folder.fd, o->folder.name, &now, AT_SYMLINK_NOFOLLOW) == 0 &&
		 (now.st_dev != o->old.st_dev || now.st_ino != o->old.st_ino))
		error = EEXIST;
	else
		error = renameat(o->folder.fd, o->temporary, o->folder.fd, o->folder.name) == 0 ? 0 : errno;
	o->published = error == 0;
	return error;
}

void output_close(struct output *o)
{
	if (o->temporary[0] != '\0' && !o->published)
		same_file_remove(o->folder.fd, o->temporary, &o->made, 0);
	if (o->fd >= 0)
		close(o->fd);
	if (o->folder.fd >= 0)
		close(o->folder.fd);
	o->fd = o->folder.fd = -1;
	o->temporary[0] = '\0';
}
