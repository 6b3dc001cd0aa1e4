/* maps.c - parse the mappings of a process, and open the mapped files. */
#include "target/maps.h"

#include <assert.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "core/files.h"
#include "target/identity.h"
#include "target/system_parse.h"

/* maximum length of a line, far above what occurs; work for a byte, most of it the kernel's */
enum { LINE_MAX_SIZE = 32768, BYTE_WORK = 10 };

static const char deleted_mark[] = " (deleted)";

/* Parse a number and the character that must follow it.  The inode is decimal, and no character need follow
 * it. */
static bool take(const char **at, const char *end, unsigned base, char follow, uint64_t *out)
{
	if (!take_digits(at, end, base, out))
		return false;
	if (*at == end)
		return base == 10;
	return *(*at)++ == follow;
}

/* Parse the path at the end of a line and the mark of a deleted file. */
static bool take_path(const char *p, const char *end, struct map *out)
{
	const size_t mark = sizeof deleted_mark - 1;

	while (p < end && *p == ' ')
		p++;
	size_t len = (size_t)(end - p);
	if (len > mark && memcmp(end - mark, deleted_mark, mark) == 0) {
		out->deleted = true;
		len -= mark;
	}
	if (len >= sizeof out->path || memchr(p, '\0', len) != NULL)
		return false;
	memcpy(out->path, p, len);
	out->path[len] = '\0';
	return true;
}

bool map_parse(const char *line, size_t len, struct map *out)
{
	const char *p = line, *end = line + len;
	uint64_t dev_major, dev_minor;

	out->deleted = false;
	if (!take(&p, end, 16, '-', &out->start) || !take(&p, end, 16, ' ', &out->end))
		return false;
	if (out->end < out->start || end - p < 5 || p[4] != ' ')
		return false;
	memcpy(out->perms, p, 4);
	out->perms[4] = '\0';
	p += 5;
	if (!take(&p, end, 16, ' ', &out->offset) || !take(&p, end, 16, ':', &dev_major) ||
	    !take(&p, end, 16, ' ', &dev_minor) || !take(&p, end, 10, ' ', &out->inode))
		return false;
	if (dev_major > UINT32_MAX || dev_minor > UINT32_MAX)
		return false;
	out->dev_major = (uint32_t)dev_major;
	out->dev_minor = (uint32_t)dev_minor;
	return take_path(p, end, out);
}

/* The value of \ooo, or -1. */
static int octal(const char *p)
{
	if (p[0] != '\\' || p[1] < '0' || p[1] > '3' || p[2] < '0' || p[2] > '7' || p[3] < '0' || p[3] > '7')
		return -1;
	return (p[1] - '0') * 64 + (p[2] - '0') * 8 + (p[3] - '0');
}

bool map_unescape(const char *path, char *out, size_t size)
{
	size_t n = 0;
	bool any = false;

	for (const char *p = path; *p != '\0'; p++) {
		int byte = octal(p);

		if (n + 1 >= size)
			return false;
		if (byte > 0) {
			out[n++] = (char)byte;
			p += 3;
			any = true;
		} else {
			out[n++] = *p;
		}
	}
	if (n >= size)
		return false;
	out[n] = '\0';
	return any;
}

bool map_is_ring(const struct map *map, int64_t *number)
{
	const char *p = path_base(map->path);
	uint64_t value;

	if (map->perms[1] != 'w' || map->perms[3] != 's' || map->inode == 0 ||
	    !take_number(&p, p + strlen(p), &value) || value > INT32_MAX || strcmp(p, ".events") != 0)
		return false;
	*number = (int64_t)value;
	return true;
}

bool map_is_shared_runtime(const struct map *map)
{
	const char *name = path_base(map->path);

	return strncmp(name, "libasmrun", 9) == 0 || strncmp(name, "libcamlrun", 10) == 0;
}

bool map_is_threads_library(const struct map *map)
{
	return strncmp(path_base(map->path), "dllthreads", 10) == 0;
}

struct walk {
	maps_visit *visit;
	void *ctx;
	struct map map;
};

/* Parse a line and call the visitor. */
static bool walk_line(struct walk *walk, const char *line, size_t len)
{
	return !map_parse(line, len, &walk->map) || walk->visit(walk->ctx, &walk->map);
}

/* Take the complete lines of the buffer and move the rest to its beginning.  Returns false to end the walk. */
static bool hand_out(struct walk *walk, char *buf, size_t *have, bool *skipping)
{
	char *p = buf, *end = buf + *have, *newline;

	while ((newline = memchr(p, '\n', (size_t)(end - p))) != NULL) {
		/* skip the rest of a line that was too long */
		if (!*skipping && !walk_line(walk, p, (size_t)(newline - p)))
			return false;
		*skipping = false;
		p = newline + 1;
	}
	*have = (size_t)(end - p);
	if (p != buf) {
		memmove(buf, p, *have);
	} else if (*have == LINE_MAX_SIZE) {
		*skipping = true;
		*have = 0;
	}
	return true;
}

int maps_walk(const struct proc *proc, struct effort *effort, maps_visit *visit, void *ctx)
{
	struct walk walk = {.visit = visit, .ctx = ctx};
	char buf[LINE_MAX_SIZE];
	size_t have = 0;
	bool skipping = false, going = true;
	int error = 0, fd;

	fd = proc_descriptor(proc, "maps");
	if (fd < 0)
		return errno == ENOENT ? ESRCH : errno;
	while (going) {
		ssize_t n = read(fd, buf + have, sizeof buf - have);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			error = errno;
		if (n <= 0)
			break;
		if (!effort_spend(effort, (uint64_t)n * BYTE_WORK))
			error = E2BIG;
		if (error != 0)
			break;
		have += (size_t)n;
		going = hand_out(&walk, buf, &have, &skipping);
	}
	if (going && error == 0 && have > 0 && !skipping)
		walk_line(&walk, buf, have);
	close(fd);
	return error;
}

/* A question about one mapping, as in <linux/fs.h> of 6.11. */
struct map_query {
	uint64_t size, flags, address;
	uint64_t start, end, vma_flags, page_size, offset, inode;
	uint32_t dev_major, dev_minor, name_size, build_id_size;
	uint64_t name_address, build_id_address;
};
static_assert(sizeof(struct map_query) == 104, "as the kernel has it");
#define MAP_QUERY _IOWR('f', 17, struct map_query)
enum {
	MAP_QUERY_WRITABLE = 2,
	MAP_QUERY_EXECUTABLE = 4,
	MAP_QUERY_SHARED = 8,
	MAP_QUERY_NEXT = 16, /* this address or the next mapping */
	MAP_QUERY_FILE = 32
};

/* Maximum number of executable files that are queried. */
enum { QUERIES_MAX = 1024 };

/* Find the next mapping of a file with some flags, at or above an address.  Returns 0 or an errno value. */
static int query_next(int fd, uint64_t flags, uint64_t address, struct map_query *out, struct map *map)
{
	*out = (struct map_query){.size = sizeof *out,
	    .flags = flags | MAP_QUERY_NEXT | MAP_QUERY_FILE,
	    .address = address,
	    .name_size = map != NULL ? sizeof map->path : 0,
	    .name_address = map != NULL ? (uint64_t)(uintptr_t)map->path : 0};
	return ioctl(fd, MAP_QUERY, out) == 0 ? 0 : errno;
}

/* The address that a walk searches for, and its mapping. */
struct sought {
	uint64_t address;
	struct map *out;
};

static bool see_address(void *ctx, const struct map *map)
{
	struct sought *sought = ctx;

	if (sought->address >= map->end)
		return true;
	if (sought->address >= map->start)
		*sought->out = *map;
	return false;
}

int maps_find(const struct proc *proc, struct effort *effort, uint64_t address, struct map *out)
{
	struct map_query found = {.size = sizeof found, .address = address};
	int fd = proc_descriptor(proc, "maps"),
	    error = fd >= 0 && ioctl(fd, MAP_QUERY, &found) == 0 ? 0 : errno;

	if (fd >= 0)
		close(fd);
	*out = (struct map){.start = found.start,
	    .end = found.end,
	    .offset = found.offset,
	    .inode = found.inode,
	    .dev_major = found.dev_major,
	    .dev_minor = found.dev_minor};
	/* Older kernels lack this query. */
	if (error == ENOTTY)
		error = maps_walk(proc, effort, see_address, &(struct sought){address, out});
	return error == 0 && out->end == 0 ? ENOENT : error;
}

/* Whether no executable mapping is a shared runtime library. */
static bool query_runtime(int fd)
{
	struct map_query found;
	struct map map = {.path = ""};
	uint64_t address = 0;

	for (int i = 0; i < QUERIES_MAX; i++) {
		int error = query_next(fd, MAP_QUERY_EXECUTABLE, address, &found, &map);
		if (error != 0)
			return error == ENOENT;
		map.path[sizeof map.path - 1] = '\0';
		if (map_is_shared_runtime(&map) || found.end <= address)
			return false;
		address = found.end;
	}
	return false;
}

bool maps_file_lacks_ocaml(int fd)
{
	struct map_query found;

	return query_next(fd, MAP_QUERY_WRITABLE | MAP_QUERY_SHARED, 0, &found, NULL) == ENOENT &&
	       query_runtime(fd);
}

bool maps_lack_ocaml(const struct proc *proc)
{
	int fd = proc_descriptor(proc, "maps");

	if (fd < 0)
		return false;
	bool lack = maps_file_lacks_ocaml(fd);
	close(fd);
	return lack;
}

/* Whether an open file is on the device of the mapping. */
static bool same_device(const struct map *map, const struct stat *st)
{
	return major(st->st_dev) == map->dev_major && minor(st->st_dev) == map->dev_minor;
}

/* Whether an open file can be the mapped one.  On some file systems (overlayfs) stat and maps report
 * different numbers; then the path decides, unless the file was deleted. */
static bool same_file(const struct map *map, const struct stat *st)
{
	return (uint64_t)st->st_ino == map->inode || (!map->deleted && !same_device(map, st));
}

/* Open one interpretation of the path.  Returns ENOENT if it is another file. */
static int open_path(
    const struct proc *proc, const struct map *map, const char *path, bool foreign, struct stat *st, int *fd)
{
	struct identity user;

	if (path[0] != '/')
		return ENOENT;
	int error = foreign ? proc_open_in_root(proc, path, st, fd)
			    : proc_open_regular(AT_FDCWD, path, false, st, fd);
	/* On another device the inode number proves nothing: other mounts may resolve the path
	 * differently. */
	if (error == 0 && !same_device(map, st)) {
		close(*fd);
		identity_read(&user, proc);
		error = identity_open_from(&user, proc, foreign ? "root" : NULL, path, st, fd);
	}
	if (st->st_nlink > 0 && !same_file(map, st)) {
		if (*fd >= 0)
			close(*fd);
		*fd = -1;
		return ENOENT;
	}
	return error;
}

/* Format the name of a mapping in the directory map_files. */
static void map_files_name(const struct map *map, char name[64])
{
	snprintf(
	    name, 64, "map_files/%llx-%llx", (unsigned long long)map->start, (unsigned long long)map->end);
}

/* Open the file through map_files. */
static int open_map_files(
    const struct proc *proc, const struct map *map, struct stat *st, int *fd, char *path)
{
	char name[64];
	struct stat found;

	map_files_name(map, name);
	int error = proc_open_regular(proc->dir, name, false, &found, fd);
	if (error != 0 && error != PROC_NOT_REGULAR)
		return error;
	*st = found;
	int n = snprintf(path, PROC_PATH_SIZE, "%s/%s", proc->path, name);
	return n < 0 || n >= PROC_PATH_SIZE ? ENAMETOOLONG : error;
}

/* Return the index-th interpretation of the path: the link in map_files, which needs no privileges to read
 * but may be missing; the path with escapes decoded; the path as it is.  Returns false if there are no
 * more. */
static bool reading(const struct proc *proc, const struct map *map, unsigned index, char path[PROC_PATH_SIZE])
{
	char name[64];

	if (index == 2)
		return strlcpy(path, map->path, PROC_PATH_SIZE) < PROC_PATH_SIZE;
	if (strchr(map->path, '\\') == NULL)
		return false;
	if (index == 1)
		return map_unescape(map->path, path, PROC_PATH_SIZE);
	map_files_name(map, name);
	return !map->deleted && proc_link(proc, name, path, PROC_PATH_SIZE) == 0;
}

/* Convert a path from the root of another mount namespace to one from the root of the process, which chroot
 * may have changed. */
static void from_its_root(const struct proc *proc, char path[PROC_PATH_SIZE])
{
	char root[PROC_PATH_SIZE];
	const size_t len = proc_link(proc, "root", root, sizeof root) == 0 ? strlen(root) : 0;

	if (strncmp(path, root, len) == 0 && path[len] == '/')
		memmove(path, path + len, strlen(path + len) + 1);
}

int map_open(
    const struct proc *proc, const struct map *map, struct stat *st, int *fd, enum map_way *way, char *path)
{
	char plain[PROC_PATH_SIZE], other[PROC_PATH_SIZE];
	bool foreign = proc_foreign_mounts(proc);
	int error = ENOENT, n;

	*fd = -1;
	memset(st, 0, sizeof *st);
	*way = foreign ? MAP_BY_ROOT : MAP_BY_PATH;
	for (unsigned i = 0; i < 3 && error == ENOENT; i++) {
		if (!reading(proc, map, i, plain))
			continue;
		if (foreign)
			from_its_root(proc, plain);
		error = open_path(proc, map, plain, foreign, st, fd);
	}
	n = snprintf(
	    path, PROC_PATH_SIZE, "%s%s%s", foreign ? proc->path : "", foreign ? "/root" : "", plain);
	if (n < 0 || n >= PROC_PATH_SIZE)
		strlcpy(path, plain, PROC_PATH_SIZE);
	if (error != 0 && open_map_files(proc, map, st, fd, other) == 0) {
		memcpy(path, other, sizeof other);
		*way = MAP_BY_FILES;
		return 0;
	}
	return error;
}
