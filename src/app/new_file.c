/*
 * new_file.c - a small text file that must not be there yet.
 */
#include "app/new_file.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* Make it. */
FILE *new_file_open(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);

	if (fd < 0)
		return NULL;
	FILE *file = fdopen(fd, "w");
	if (file == NULL) {
		int error = errno;
		close(fd);
		unlink(path);
		errno = error;
	}
	return file;
}

/* Close it. */
bool new_file_close(FILE *file, const char *path)
{
	/* Why a write failed earlier is not remembered; mostly it is the disk, and the last one fails for the same reason. */
	errno = EIO;
	int error = fflush(file) != 0 || ferror(file) ? errno : 0;

	if (fclose(file) != 0 && error == 0)
		error = errno;
	if (error == 0)
		return true;
	unlink(path);
	errno = error;
	return false;
}
