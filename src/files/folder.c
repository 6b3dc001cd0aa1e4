/*
 * folder.c - resolve a path one component at a time, and make new files.
 *
 * Each component is opened with O_NOFOLLOW and examined by its descriptor, so that what is examined is what
 * is entered.  The target of a symbolic link replaces the link in `rest`.
 */
#include "files/folder.h"

#include <fcntl.h>
#include <sys/random.h>
#include <unistd.h>

#include "core/files.h"
#include "target/shortage.h"

#define LINKS_MAX 40 /* the kernel's limit */
#define TRIES_MAX 16

struct walk {
	int at; /* the current folder */
	unsigned links;
	char rest[PATH_MAX];
};

/* Make `fd` the current folder. */
static void step_to(struct walk *w, int fd)
{
	if (w->at >= 0)
		close(w->at);
	w->at = fd;
}

/* Start at the root or the working directory.  Returns 0 or an errno. */
static int set_out(struct walk *w, const char *text)
{
	if (text[0] == '/' || w->at < 0) {
		int fd = open(text[0] == '/' ? "/" : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (fd < 0)
			return errno;
		step_to(w, fd);
	}
	return 0;
}

/* Take the next component off the rest; an empty one is the end.  Returns 0 or ENAMETOOLONG. */
static int next_component(struct walk *w, char name[NAME_MAX + 1])
{
	char *from = w->rest + strspn(w->rest, "/");
	size_t len = strcspn(from, "/");

	if (len > NAME_MAX)
		return ENAMETOOLONG;
	memcpy(name, from, len);
	name[len] = '\0';
	from += len;
	memmove(w->rest, from, strlen(from) + 1);
	return 0;
}

/* Whether only slashes are left. */
static bool is_last(const struct walk *w)
{
	return w->rest[strspn(w->rest, "/")] == '\0';
}

/* Follow a link in the current folder.  Returns 0 or an errno. */
static int follow(struct walk *w, int link, const struct stat *st)
{
	char text[PATH_MAX], rest[PATH_MAX];
	struct stat folder;

	if (fstat(w->at, &folder) != 0)
		return errno;
	if ((folder.st_mode & S_ISVTX) != 0 || (geteuid() == 0 && st->st_uid != 0))
		return ELOOP;
	if (++w->links > LINKS_MAX)
		return ELOOP;
	ssize_t len = readlinkat(link, "", text, sizeof(text) - 1);
	if (len <= 0)
		return len < 0 ? errno : ENOENT;
	text[len] = '\0';
	if (strlcpy(rest, w->rest, sizeof(rest)) >= sizeof(rest) ||
	    snprintf(w->rest, sizeof(w->rest), "%s%s%s", text, rest[0] != '\0' ? "/" : "", rest) >=
		(int)sizeof(w->rest))
		return ENAMETOOLONG;
	return set_out(w, text);
}

/* Enter a folder or follow a link; with `stay`, follow links only.  *entered tells whether the walk has
 * moved.  Returns 0 or an errno. */
static int enter(struct walk *w, const char *name, bool stay, bool *entered)
{
	struct stat st;
	int error = 0, fd = openat(w->at, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);

	*entered = !stay;
	if (fd < 0)
		return stay && errno == ENOENT ? 0 : errno;
	if (fstat(fd, &st) != 0) {
		error = errno;
	} else if (S_ISLNK(st.st_mode)) {
		*entered = true;
		error = follow(w, fd, &st);
	} else if (!stay && S_ISDIR(st.st_mode)) {
		step_to(w, fd);
		return 0;
	} else if (!stay) {
		error = ENOTDIR;
	}
	close(fd);
	return error;
}

/* Resolve a path; with `stay`, up to the folder that contains its last component, which is stored in `name`. */
static int walk_to(struct walk *w, const char *path, bool stay, char name[NAME_MAX + 1])
{
	bool entered;

	if (path[0] == '\0')
		return ENOENT;
	if (strlcpy(w->rest, path, sizeof(w->rest)) >= sizeof(w->rest))
		return ENAMETOOLONG;
	int error = set_out(w, path);
	while (error == 0) {
		error = next_component(w, name);
		if (error != 0)
			break;
		if (name[0] == '\0')
			return stay ? EISDIR : 0;
		bool last = stay && is_last(w);
		/* "x/" and ".." refer to folders. */
		if (last && (w->rest[0] != '\0' || strcmp(name, ".") == 0 || strcmp(name, "..") == 0))
			return EISDIR;
		error = enter(w, name, last, &entered);
		if (error == 0 && !entered)
			return 0;
	}
	return error;
}

int folder_of(struct folder *out, const char *path)
{
	struct walk w = {.at = -1};
	int error = walk_to(&w, path, true, out->name);

	out->fd = w.at;
	if (error == 0)
		return 0;
	step_to(&w, -1);
	out->fd = -1;
	return error;
}

int folder_open(int *fd, const char *path)
{
	struct walk w = {.at = -1};
	char name[NAME_MAX + 1];
	int error = walk_to(&w, path, false, name);

	if (error != 0)
		step_to(&w, -1);
	*fd = w.at;
	return error;
}

int folder_usable(const char *where, char dir[PATH_MAX])
{
	struct stat st;

	if (strlcpy(dir, where, PATH_MAX) >= PATH_MAX)
		return ENAMETOOLONG;
	if (stat(where, &st) != 0 || !S_ISDIR(st.st_mode)) {
		char *slash = strrchr(dir, '/');
		if (slash == dir)
			slash++;
		if (slash != NULL)
			*slash = '\0';
		else
			strlcpy(dir, ".", PATH_MAX);
	}
	int fd, error = folder_open(&fd, dir);
	if (error != 0)
		return error;
	error = faccessat(fd, ".", W_OK | X_OK, 0) == 0 ? 0 : errno;
	close(fd);
	return error;
}

const char *folder_strerror(int error)
{
	return error == ELOOP ? "it goes by a symbolic link that is not followed" : shortage_why(error);
}

int folder_make_file(int folder, char name[NAME_MAX + 1])
{
	for (unsigned i = 0; i < TRIES_MAX; i++) {
		uint32_t number = i;
		if (getrandom(&number, sizeof(number), GRND_NONBLOCK) != (ssize_t)sizeof(number))
			number = (uint32_t)getpid() * TRIES_MAX + i;
		snprintf(name, NAME_MAX + 1, ".rtevtop-%08x", (unsigned)number);
		int fd = openat(folder, name,
		    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0600);
		if (fd >= 0 || errno != EEXIST)
			return fd;
	}
	return -1;
}

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
