/*
 * events_paused.c - read whether the target has paused its events.
 */
#include "target/events_paused.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "target/elf.h"
#include "target/maps.h"
#include "target/proc.h"
#include "target/source.h"

/* Bytes of a program file that finding its symbols may cost. */
#define SYMBOLS_BUDGET (UINT64_C(1) << 30)

enum { ENABLED, PAUSED, VARIABLES };

struct tracing {
	struct proc proc;
	int mem;      /* of /proc/PID/mem once it was needed, or -1 */
	bool use_mem; /* the system call was refused */
	bool found;   /* the addresses are known */
	uint64_t addresses[VARIABLES];
	const char *reason;
};

/* The mappings of one file, to find out where it was loaded. */
struct object {
	const struct elf *elf;
	char path[PROC_PATH_SIZE]; /* as in maps, without the mark of deletion */
	uint64_t page;
	bool found;
	uint64_t bias; /* what is added to the addresses in the file */
};

/* Find the segment that a mapping of the file shows, and conclude where the file was loaded. */
static bool see_object(void *ctx, const struct map *map)
{
	struct object *object = ctx;

	if (map->inode == 0 || strcmp(map->path, object->path) != 0)
		return true;
	for (unsigned i = 0; i < object->elf->segment_count; i++) {
		const struct elf_segment *segment = &object->elf->segments[i];
		uint64_t skew = segment->offset % object->page;

		if (segment->offset - skew != map->offset)
			continue;
		/* May wrap round: a bias is a difference. */
		object->bias = map->start - (segment->address - skew);
		object->found = true;
		return false;
	}
	return true;
}

/* Look up the two variables.  False with the reason when they are not to be had. */
static bool look_up(struct elf *elf, uint64_t addresses[VARIABLES], const char **reason)
{
	struct elf_lookup lookups[VARIABLES] = {
	    [ENABLED] = {.name = "runtime_events_enabled"}, [PAUSED] = {.name = "runtime_events_paused"}};
	bool whole = elf_lookup(elf, lookups, VARIABLES);

	for (unsigned i = 0; i < VARIABLES; i++) {
		const struct elf_lookup *lookup = &lookups[i];

		if (lookup->count == 0) {
			*reason =
			    whole ? "its program has no symbols for them" : "its program has no symbol table";
			return false;
		}
		if (lookup->count > 1 || !lookup->object || lookup->size != sizeof(uint64_t) ||
		    lookup->address % sizeof(uint64_t) != 0 ||
		    !elf_is_writable(elf, lookup->address, lookup->size)) {
			*reason = "the symbols in its program are not the expected ones";
			return false;
		}
		addresses[i] = lookup->address;
	}
	return true;
}

/* Find the variables in one opened file of the process, and their addresses in its memory. */
static bool find_in(struct tracing *tracing, int fd, const char *path)
{
	long page = sysconf(_SC_PAGESIZE);
	struct object object = {.page = page > 0 ? (uint64_t)page : 4096};
	struct source source;
	struct elf elf;

	tracing->reason = "its program can't be read";
	if (!source_from_fd(&source, fd, SYMBOLS_BUDGET) || !elf_open(&elf, &source) ||
	    !look_up(&elf, tracing->addresses, &tracing->reason))
		return false;
	object.elf = &elf;
	strlcpy(object.path, path, sizeof object.path);
	if (!elf.fixed) {
		maps_walk(&tracing->proc, see_object, &object);
		if (!object.found) {
			tracing->reason = "its program is not where it should be in its memory";
			return false;
		}
	}
	for (unsigned i = 0; i < VARIABLES; i++)
		tracing->addresses[i] += object.bias;
	return true;
}

/* Find the variables in the program file. */
static bool find_in_program(struct tracing *tracing)
{
	static const char mark[] = " (deleted)";
	char path[PROC_PATH_SIZE];
	size_t len;
	bool found;
	int fd;

	tracing->reason = "its program can't be read";
	if (proc_link(&tracing->proc, "exe", path, sizeof path) != 0 ||
	    proc_open_regular(tracing->proc.dir, "exe", false, NULL, &fd) != 0)
		return false;
	/* The link and the maps name a file alike, and mark it alike when it is deleted. */
	len = strlen(path);
	if (len > sizeof mark - 1 && strcmp(path + len - (sizeof mark - 1), mark) == 0)
		path[len - (sizeof mark - 1)] = '\0';
	found = find_in(tracing, fd, path);
	close(fd);
	return found;
}

/* Note the first shared runtime library. */
static bool see_library(void *ctx, const struct map *map)
{
	struct map *library = ctx;

	if (map->inode == 0 || !map_is_shared_runtime(map))
		return true;
	*library = *map;
	return false;
}

/* Find the variables in the shared runtime library, if there is one. */
static bool find_in_library(struct tracing *tracing)
{
	const char *reason = tracing->reason;
	char path[PROC_PATH_SIZE];
	struct map library = {.inode = 0};
	enum map_way way;
	struct stat st;
	bool found;
	int fd;

	maps_walk(&tracing->proc, see_library, &library);
	if (library.inode == 0 || map_open(&tracing->proc, &library, &st, &fd, &way, path) != 0) {
		tracing->reason = reason;
		return false;
	}
	found = find_in(tracing, fd, library.path);
	close(fd);
	return found;
}

/* Find the variables of a process. */
struct tracing *tracing_create(const char *proc_root, pid_t pid)
{
	struct tracing *tracing = calloc(1, sizeof *tracing);

	if (tracing == NULL)
		return NULL;
	tracing->mem = -1;
	tracing->reason = "there is no such process";
	if (proc_open(&tracing->proc, proc_root, pid) == 0) {
		tracing->use_mem = !tracing->proc.real;
		tracing->found = find_in_program(tracing) || find_in_library(tracing);
	}
	return tracing;
}

void tracing_destroy(struct tracing *tracing)
{
	if (tracing == NULL)
		return;
	if (tracing->mem >= 0)
		close(tracing->mem);
	proc_close(&tracing->proc);
	free(tracing);
}

/* Read both variables at once. */
static int read_by_call(const struct tracing *tracing, uint64_t values[VARIABLES])
{
	struct iovec local = {values, VARIABLES * sizeof values[0]};
	struct iovec remote[VARIABLES];
	ssize_t n;

	for (unsigned i = 0; i < VARIABLES; i++) {
		remote[i].iov_base = (void *)(uintptr_t)tracing->addresses[i];
		remote[i].iov_len = sizeof values[0];
	}
	n = process_vm_readv(tracing->proc.pid, &local, 1, remote, VARIABLES, 0);
	if (n < 0)
		return errno;
	if ((size_t)n != local.iov_len)
		return EFAULT;
	/* The number is still the process's now, so it was when its memory was read. */
	return faccessat(tracing->proc.dir, "stat", F_OK, 0) == 0 ? 0 : ESRCH;
}

/* Read both variables from /proc/PID/mem. */
static int read_by_file(struct tracing *tracing, uint64_t values[VARIABLES])
{
	if (tracing->mem < 0)
		tracing->mem = openat(tracing->proc.dir, "mem", O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (tracing->mem < 0)
		return errno;
	for (unsigned i = 0; i < VARIABLES; i++) {
		ssize_t n = pread(tracing->mem, &values[i], sizeof values[i], (off_t)tracing->addresses[i]);

		if (n < 0)
			return errno;
		if ((size_t)n != sizeof values[i])
			return EFAULT;
	}
	return 0;
}

enum tracing_state tracing_read(struct tracing *tracing)
{
	uint64_t values[VARIABLES] = {0};
	int error = ENOSYS;

	if (!tracing->found)
		return TRACING_UNKNOWN;
	if (!tracing->use_mem) {
		error = read_by_call(tracing, values);
		/* Filters of system calls may refuse this one and allow the file. */
		if (error == EPERM || error == ENOSYS)
			tracing->use_mem = true;
	}
	if (tracing->use_mem)
		error = read_by_file(tracing, values);
	if (error == EPERM || error == EACCES)
		tracing->reason = "reading its memory is not permitted";
	else if (error != 0)
		tracing->reason = "its memory can't be read";
	else if (values[ENABLED] > 1 || values[PAUSED] > 1)
		tracing->reason = "its memory does not hold what was expected";
	else
		tracing->reason = "";
	if (tracing->reason[0] != '\0')
		return TRACING_UNKNOWN;
	if (values[ENABLED] == 0)
		return TRACING_NOT_ENABLED;
	return values[PAUSED] != 0 ? TRACING_PAUSED : TRACING_RUNNING;
}

bool tracing_paused(const char *proc_root, pid_t pid)
{
	struct tracing *tracing = tracing_create(proc_root, pid);
	bool paused = tracing != NULL && tracing_read(tracing) == TRACING_PAUSED;

	tracing_destroy(tracing);
	return paused;
}

/* Why the last answer was "unknown". */
const char *tracing_reason(const struct tracing *tracing)
{
	return tracing->reason;
}
