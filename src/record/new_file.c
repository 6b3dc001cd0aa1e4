/*
 * new_file.c - write a small text file that must not exist yet.
 */
#include "record/new_file.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "core/files.h"

FILE *new_file_open(int folder, const char *name)
{
	int fd = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);

	if (fd < 0)
		return NULL;
	FILE *file = fdopen(fd, "w");
	if (file == NULL) {
		int error = errno;
		struct stat st;
		if (fstat(fd, &st) == 0)
			same_file_remove(folder, name, &st, 0);
		close(fd);
		errno = error;
	}
	return file;
}

bool new_file_close(FILE *file, int folder, const char *name)
{
	struct stat st;

	/* The errno of the earlier write is gone.  Usually the last write fails for the same reason; if not,
	 * EIO. */
	errno = EIO;
	int error = fflush(file) != 0 || ferror(file) ? errno : 0;
	bool known = fstat(fileno(file), &st) == 0;

	if (fclose(file) != 0 && error == 0)
		error = errno;
	if (error == 0)
		return true;
	if (known)
		same_file_remove(folder, name, &st, 0);
	errno = error;
	return false;
}
