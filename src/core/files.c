/*
 * files.c - texts of status codes (from the list in rtev.h) and of errno values, and removal of a file by
 * name only while the name still refers to it.
 */
#include <fcntl.h>
#include <unistd.h>

#include "core/files.h"
#include "rtev/rtev.h"

#define STRING_OF(x) #x
#define STRING(x) STRING_OF(x)

const char *rtev_strerror(int status)
{
	switch (status) {
#define CASE(name, value, message)                                                                           \
	case value:                                                                                          \
		return message;
		RTEV_STATUSES(CASE)
#undef CASE
	}
	return "unknown status";
}

const char *rtev_version(void)
{
	return STRING(RTEV_VERSION_MAJOR) "." STRING(RTEV_VERSION_MINOR) "." STRING(RTEV_VERSION_PATCH);
}

int status_of_errno(int error)
{
	switch (error) {
	case ENOENT:
	case ENOTDIR:
		return RTEV_E_NOENT;
	case ELOOP:
		return RTEV_E_LOOP;
	case EMFILE:
	case ENFILE:
		return RTEV_E_FILES;
	case EACCES:
	case EPERM:
	case EROFS:
		return RTEV_E_ACCESS;
	case ENAMETOOLONG:
		return RTEV_E_PATH;
	case EISDIR:
	case ENXIO:
	case ENODEV:
		return RTEV_E_NOT_REGULAR;
	case ENOMEM:
		return RTEV_E_NOMEM;
	case ENOSPC:
	case EDQUOT:
	case EFBIG:
		return RTEV_E_SPACE;
	default:
		return RTEV_E_IO;
	}
}

int status_of_write(int error)
{
	switch (error) {
	case ENOSPC:
	case EDQUOT:
	case EFBIG:
		return RTEV_E_FXT_NO_SPACE;
	case EPIPE:
		return RTEV_E_FXT_PIPE;
	case ENOMEM:
		return RTEV_E_NOMEM;
	default:
		return RTEV_E_IO;
	}
}

bool same_file_remove(int folder, const char *name, const struct stat *st, int flags)
{
	struct stat now;

	return fstatat(folder, name, &now, AT_SYMLINK_NOFOLLOW) == 0 && now.st_dev == st->st_dev &&
	       now.st_ino == st->st_ino && unlinkat(folder, name, flags) == 0;
}
