/*
 * prom_file.c - write a temporary file, then rename it.
 */
#include "app/metrics/prom_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/fail.h"
#include "app/metrics/families.h"

/* Return whether a file was written by us; *error is set if it could not be read, else 0. */
static bool is_ours(const char *path, int *error)
{
	static const char line[] = METRICS_FIRST_LINE;
	char start[sizeof(line)];
	struct stat st;

	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
	*error = fd < 0 ? errno : fstat(fd, &st) != 0 ? errno : 0;
	bool ours = *error == 0 && S_ISREG(st.st_mode) &&
		    read(fd, start, sizeof(line) - 1) == (ssize_t)sizeof(line) - 1 &&
		    memcmp(start, line, sizeof(line) - 1) == 0;
	if (fd >= 0)
		close(fd);
	return ours;
}

int prom_file_open(struct prom_file *file, const char *path)
{
	const char *slash = strrchr(path, '/');
	size_t len = strlen(path), folder = slash != NULL ? (size_t)(slash - path) + 1 : 0;
	int error;

	*file = (struct prom_file){.fd = -1};
	if (len - folder <= 5 || strcmp(path + len - 5, ".prom") != 0)
		return fail_usage("-o %s: a collector reads files whose name ends in .prom", path);
	if (len >= sizeof(file->path))
		return fail_usage("-o %s: the name is too long", path);
	memcpy(file->path, path, len + 1);
	snprintf(
	    file->part, sizeof(file->part), "%.*s.%s.%ld", (int)folder, path, path + folder, (long)getpid());
	bool ours = is_ours(path, &error);
	if (ours || error == ENOENT)
		return EXIT_DONE;
	fail_message("Give another name, or remove it.", "%s: %s", path,
	    error != 0 ? strerror(error) : "rtevtop metrics did not write this file, and leaves it alone");
	return EXIT_FAILED;
}

/* Create a file.  What stands under its name, such as the rest of a killed run, is removed and not opened: it
 * may be a FIFO, or another name of a file that is not ours. */
static int create_anew(const char *path)
{
	const int flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC;
	int fd = open(path, flags, 0644);

	return fd < 0 && errno == EEXIST && unlink(path) == 0 ? open(path, flags, 0644) : fd;
}

bool prom_file_begin(struct prom_file *file, struct out *out)
{
	file->fd = create_anew(file->part);
	/* The collector runs as another user, so the umask must not apply. */
	if (file->fd >= 0 && fchmod(file->fd, 0644) != 0) {
		int error = errno;
		prom_file_end(file, error);
		errno = error;
		return false;
	}
	out_init(out, file->fd);
	return file->fd >= 0;
}

int prom_file_end(struct prom_file *file, int error)
{
	if (close(file->fd) != 0 && error == 0)
		error = errno;
	file->fd = -1;
	if (error == 0 && rename(file->part, file->path) != 0)
		error = errno;
	if (error != 0)
		unlink(file->part);
	else
		file->written = true;
	return error;
}

void prom_file_close(struct prom_file *file, bool keep)
{
	int error;

	if (file->written && !keep && is_ours(file->path, &error))
		unlink(file->path);
}
