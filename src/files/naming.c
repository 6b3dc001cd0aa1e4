/*
 * naming.c - name new files by a pattern.
 */
#include "files/naming.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/files.h"
#include "files/folder.h"

#define TRIES_MAX 10000 /* attempts to find an unused name */
#define NAME_BYTES 64	/* of the target's name */

bool naming_valid(const char *pattern, char *unknown)
{
	for (const char *at = strchr(pattern, '%'); at != NULL; at = strchr(at + 2, '%')) {
		*unknown = at[1];
		if (at[1] == '\0' || strchr("ptn%", at[1]) == NULL)
			return false;
	}
	return true;
}

bool naming_has(const char *pattern, char letter)
{
	for (const char *at = strchr(pattern, '%'); at != NULL && at[1] != '\0'; at = strchr(at + 2, '%'))
		if (at[1] == letter)
			return true;
	return false;
}

bool naming_varies(const char *pattern)
{
	return naming_has(pattern, 'n') || naming_has(pattern, 't');
}

/* A path being composed; `full` once it is too long. */
struct builder {
	char *path;
	size_t used;
	bool full;
};

__attribute__((format(printf, 2, 3))) static void append(struct builder *b, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	int n = vsnprintf(b->path + b->used, NAMING_PATH - b->used, format, args);
	va_end(args);
	b->full |= n < 0 || (size_t)n >= NAMING_PATH - b->used;
	b->used += b->full ? 0 : (size_t)n;
	b->path[b->used] = '\0';
}

/* Append the target's name; characters that are not safe in a file name are replaced. */
static void append_name(struct builder *b, const struct naming *n)
{
	char safe[NAME_BYTES + 1];
	size_t len = strlcpy(safe, n->name != NULL ? n->name : "", sizeof(safe));

	for (size_t i = 0; i < len && i < NAME_BYTES; i++) {
		char c = safe[i];
		bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
			     c == '.' || c == '_' || c == '-';
		if (!plain)
			safe[i] = '_';
	}
	append(b, "%s", safe);
}

/* Append the value of a placeholder.  A lone % at the end of a pattern stands for itself. */
static void append_placeholder(struct builder *b, const struct naming *n, char letter, const char *time)
{
	if (letter == 'p')
		append(b, "%lld", (long long)n->pid);
	else if (letter == 'n')
		append(b, "%llu", (unsigned long long)n->number);
	else
		append(b, "%s", letter == 't' ? time : "%");
}

/* Compose a path.  With `directory`, use the default pattern.  `more` makes the name unique; 0: leave it out. */
static bool path_make(
    const struct naming *n, bool directory, const char *time, unsigned more, char path[NAMING_PATH])
{
	struct builder b = {.path = path};
	const char *at = directory ? (n->pid > 0 ? "-%p-%t" : "-%t") : n->where;

	path[0] = '\0';
	if (directory) {
		if (n->where != NULL)
			append(&b, "%s/", n->where);
		append(&b, "rtevtop-");
		append_name(&b, n);
	}
	while (*at != '\0') {
		size_t plain = strcspn(at, "%");
		append(&b, "%.*s", (int)plain, at);
		at += plain;
		if (*at == '\0')
			break;
		append_placeholder(&b, n, at[1], time);
		at += at[1] != '\0' ? 2 : 1;
	}
	if (directory)
		append(&b, "%s", n->ending);
	if (more == 0)
		return !b.full;
	char ending[NAMING_PATH];
	char *base = strrchr(path, '/');
	char *dot = strrchr(base != NULL ? base : path, '.');
	strlcpy(ending, dot != NULL ? dot : "", sizeof(ending));
	if (dot != NULL)
		b.used = (size_t)(dot - path);
	append(&b, "-%u%s", more + 1, ending);
	return !b.full;
}

/* Create a file that does not exist yet.  Returns its descriptor, or -1 with errno set. */
static int make_file(const char *path)
{
	struct folder folder;
	int error = folder_of(&folder, path), fd = -1;

	if (error == 0) {
		fd = openat(folder.fd, folder.name,
		    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0600);
		error = errno;
		close(folder.fd);
	}
	errno = error;
	return fd;
}

/* Format a time for a name. */
static void clock_text(int64_t seconds, char text[32])
{
	time_t moment = (time_t)seconds;
	struct tm tm;

	strlcpy(text, "0", 32);
	if (localtime_r(&moment, &tm) != NULL)
		strftime(text, 32, "%Y%m%d-%H%M%S", &tm);
}

bool naming_path(struct naming *n, int64_t seconds, char path[NAMING_PATH])
{
	bool numbered = naming_has(n->where, 'n');
	struct stat st;
	char clock[32];

	clock_text(seconds, clock);
	for (unsigned i = 0; i < TRIES_MAX; i++, n->number++) {
		if (!path_make(n, false, clock, 0, path)) {
			errno = ENAMETOOLONG;
			return false;
		}
		if (!numbered || lstat(path, &st) != 0)
			return true;
	}
	errno = EEXIST;
	return false;
}

int naming_open(struct naming *n, int64_t seconds, char path[NAMING_PATH])
{
	struct stat st;
	char clock[32];

	clock_text(seconds, clock);
	bool directory = n->where == NULL || (stat(n->where, &st) == 0 && S_ISDIR(st.st_mode));
	bool numbered = !directory && naming_has(n->where, 'n');
	for (unsigned i = 0; i < TRIES_MAX; i++) {
		if (!path_make(n, directory, clock, numbered ? 0 : i, path)) {
			errno = ENAMETOOLONG;
			return -1;
		}
		int fd = make_file(path);
		if (fd >= 0 || errno != EEXIST || (!directory && !naming_varies(n->where))) {
			n->number += fd >= 0;
			return fd;
		}
		n->number += numbered;
	}
	return -1;
}

bool naming_discard(const char *path)
{
	struct folder folder;
	struct stat st;

	if (folder_of(&folder, path) != 0)
		return false;
	bool gone = fstatat(folder.fd, folder.name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode) &&
		    st.st_uid == geteuid() && st.st_size == 0 &&
		    same_file_remove(folder.fd, folder.name, &st, 0);
	close(folder.fd);
	return gone;
}
