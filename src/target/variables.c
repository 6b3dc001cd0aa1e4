/* variables.c - see variables.h. */
#include "target/variables.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "core/clock.h"
#include "target/answer.h"
#include "target/maps.h"
#include "target/shortage.h"

enum { RUN_MAX = 16 }; /* maximum number of places that one call reads */

/* The symbols that are looked for. */
struct wanted {
	struct elf_lookup *lookups;
	size_t count, text;
	bool all;
};

/* The caller's visit of files. */
struct visitor {
	variables_visit *visit;
	void *ctx;
	const char **reason;
};

/* A file whose mappings are searched for where it was loaded. */
struct object {
	const struct elf *elf;
	char path[PROC_PATH_SIZE]; /* as in maps, without the mark of deletion */
	uint64_t page;
	bool found;
	uint64_t bias; /* to be added to the addresses in the file */
};

/* Whether a mapping is of a path, which may be in the form that maps prints, with \012 in place of a
 * newline. */
static bool has_path(const struct map *map, const char *path)
{
	char plain[PROC_PATH_SIZE];

	return strcmp(map->path, path) == 0 ||
	       (map_unescape(map->path, plain, sizeof plain) && strcmp(plain, path) == 0);
}

/* Find the segment that a mapping of the file shows, and derive where the file was loaded. */
static bool see_object(void *ctx, const struct map *map)
{
	struct object *object = ctx;

	if (map->inode == 0 || !has_path(map, object->path))
		return true;
	object->found = elf_bias(object->elf, false, map->start, map->offset, object->page, &object->bias);
	return !object->found;
}

/* Drop symbols that are not as expected; `whole`: all tables of the file could be read.  Returns false, with
 * the reason, if one of them is required. */
static bool accept(const struct elf *elf, const struct wanted *wanted, bool whole, const char **reason)
{
	const char *missing =
	    whole ? "its program has no symbols for them" : "its program has no symbol table";
	size_t found = 0, good = 0;

	for (size_t i = 0; i < wanted->count; i++) {
		struct elf_lookup *lookup = &wanted->lookups[i];
		bool word = lookup->object && lookup->size == sizeof(uint64_t) &&
			    lookup->address % sizeof(uint64_t) == 0;

		found += lookup->count > 0;
		if (lookup->count != 1 || (i != wanted->text && !word) ||
		    !elf_is_writable(elf, lookup->address, i == wanted->text ? 1 : lookup->size))
			lookup->count = 0;
		good += lookup->count;
	}
	if (wanted->all && found == wanted->count)
		missing = "the symbols in its program are not the expected ones";
	*reason = missing;
	return wanted->all ? good == wanted->count : good > 0;
}

/* Find the symbols in one file, and their addresses in memory. */
static bool find_in(void *ctx, struct elf *elf, uint64_t bias, const char **reason)
{
	const struct wanted *wanted = ctx;

	/* Discard results of another file. */
	for (size_t i = 0; i < wanted->count; i++)
		wanted->lookups[i] = (struct elf_lookup){.name = wanted->lookups[i].name};
	bool whole = elf_lookup(elf, wanted->lookups, wanted->count);
	if (!accept(elf, wanted, whole, reason))
		return false;
	for (size_t i = 0; i < wanted->count; i++)
		wanted->lookups[i].address += bias;
	return true;
}

/* Show one opened file of the process. */
static bool show(struct variables *variables, const struct visitor *visitor, int *fd, const char *path)
{
	long page = sysconf(_SC_PAGESIZE);
	struct object object = {.page = page > 0 ? (uint64_t)page : 4096};
	struct source source;
	struct elf elf;

	*visitor->reason = "its program can't be read";
	if (!source_from_fd(&source, fd, &variables->effort) || !elf_open(&elf, &source))
		return false;
	object.elf = &elf;
	strlcpy(object.path, path, sizeof object.path);
	if (!elf.fixed) {
		maps_walk(&variables->proc, &variables->effort, see_object, &object);
		if (!object.found) {
			*visitor->reason = "its program is not where it should be in its memory";
			return false;
		}
	}
	if (!visitor->visit(visitor->ctx, &elf, object.bias, visitor->reason))
		return false;
	*visitor->reason = "";
	return true;
}

/* Show the program file. */
static bool show_program(struct variables *variables, const struct visitor *visitor)
{
	char path[PROC_PATH_SIZE];
	int fd, error = proc_program(&variables->proc, path);

	if (error == 0)
		error = proc_open_regular(variables->proc.dir, "exe", false, NULL, &fd);
	*visitor->reason = shortage_is(error) ? shortage_why(error) : "its program can't be read";
	if (error != 0)
		return false;
	bool found = show(variables, visitor, &fd, path);
	close(fd);
	return found;
}

/* A library that is looked for. */
struct library {
	bool (*is)(const struct map *map);
	struct map map;
};

static bool see_library(void *ctx, const struct map *map)
{
	struct library *library = ctx;

	if (map->inode == 0 || !library->is(map))
		return true;
	library->map = *map;
	return false;
}

/* Show the first library of a kind, if there is one. */
static bool show_library(
    struct variables *variables, const struct visitor *visitor, bool (*is)(const struct map *map))
{
	const char *reason = *visitor->reason;
	char path[PROC_PATH_SIZE];
	struct library library = {.is = is};
	enum map_way way;
	struct stat st;
	int fd;

	maps_walk(&variables->proc, &variables->effort, see_library, &library);
	if (library.map.inode == 0 || map_open(&variables->proc, &library.map, &st, &fd, &way, path) != 0) {
		*visitor->reason = reason;
		return false;
	}
	bool found = show(variables, visitor, &fd, library.map.path);
	close(fd);
	return found;
}

int variables_open(struct variables *variables, const char *proc_root, pid_t pid)
{
	int error = proc_open(&variables->proc, proc_root, pid);

	variables->effort = effort_for_look();
	variables->mem = variables->pages = -1;
	variables->keeps_mem = variables->silent = false;
	variables->settled = monotonic_now();
	variables->waited = 0;
	memset(variables->there, 0, sizeof variables->there);
	return error;
}

static void close_memory(struct variables *variables)
{
	if (variables->mem >= 0)
		close(variables->mem);
	if (variables->pages >= 0)
		close(variables->pages);
	variables->mem = variables->pages = -1;
}

void variables_close(struct variables *variables)
{
	close_memory(variables);
	proc_close(&variables->proc);
}

bool variables_objects(struct variables *variables, variables_visit *visit, void *ctx, const char **reason)
{
	const struct visitor visitor = {visit, ctx, reason};
	const int error = variables->proc.dir < 0 ? shortage_now() : 0;

	if (variables->proc.dir < 0) {
		*reason = error != 0 ? shortage_why(error) : "there is no such process";
		return false;
	}
	return show_program(variables, &visitor) || show_library(variables, &visitor, map_is_shared_runtime);
}

void variables_threads(struct variables *variables, variables_visit *visit, void *ctx)
{
	const char *reason = "";

	(void)show_library(variables, &(struct visitor){visit, ctx, &reason}, map_is_threads_library);
}

bool variables_find(struct variables *variables, struct elf_lookup *lookups, size_t count, size_t text,
    bool all, const char **reason)
{
	struct wanted wanted = {lookups, count, text, all};

	return variables_objects(variables, find_in, &wanted, reason);
}

/*
 * ---- memory that may not answer ----
 *
 * A page that is not present may have to come from a file system that the program itself serves (FUSE) and
 * never arrive; a thread that waits for it can't be ended by a signal.  Reading /proc/PID/mem does not wait
 * for pages that userfaultfd would have to provide, unlike process_vm_readv.
 */

enum { PAGES_ASKED = 16 };
#define PAGE_THERE (UINT64_C(3) << 62) /* in pagemap: present, or swapped out */
#define THERE_NS UINT64_C(50000000)    /* how long a page is assumed to be present */
/* Waits for pages come out of an allowance, which grows by a tenth of the time up to this.  So what is read in one turn of the
 * live view may stop it for 3 s and the longest wait of one answer_within, on average for a tenth of the time.  Waits up to
 * SHORT_NS are not counted: on a busy machine a process that reads a page from the cache waits that long for a processor. */
#define WAITED_NS UINT64_C(3000000000)
#define SHORT_NS UINT64_C(100000000)

/* The addresses of pages that are not present. */
struct absent {
	uint64_t at[PAGES_ASKED];
	size_t count;
};

static int read_bytes(const void *ctx)
{
	const struct absent *absent = ctx;
	char byte;

	for (size_t i = 0; i < absent->count; i++) {
		(void)!pread(0, &byte, 1, (off_t)absent->at[i]);
		(void)!write(1, "", 1);
	}
	return 0;
}

/* Read a byte of each page.  Returns 0 or an errno value. */
static int touch(struct variables *variables, const struct absent *absent)
{
	const uint64_t begin = monotonic_now();

	if (absent->count == 0)
		return 0;
	/* The file grows with each page that arrives, so that a slow server is given longer than a silent one. */
	const int arrived = memfd_create("arrived", MFD_CLOEXEC);
	const int result = answer_within(read_bytes, absent, variables->mem, arrived);
	const uint64_t now = monotonic_now();
	if (arrived >= 0)
		close(arrived);
	const uint64_t back = (begin - variables->settled) / 10, wait = now - begin;
	variables->waited =
	    (wait > SHORT_NS ? wait : 0) + (variables->waited > back ? variables->waited - back : 0);
	variables->settled = begin;
	if (result < 0)
		return EFAULT;
	return variables->waited < WAITED_NS ? result : ETIMEDOUT;
}

/* Whether a page that is not present belongs to a file that a process may serve: one on no device.  `map` is the mapping of the
 * page before. */
static bool may_be_served(struct variables *variables, uint64_t address, struct map *map)
{
	const bool same = address >= map->start && address < map->end;
	const int error = same ? 0 : maps_find(&variables->proc, &variables->effort, address, map);

	return error == 0 ? map->inode != 0 && map->dev_major == 0 : error != ENOENT;
}

/* Whether all pages [page, end) were present just now. */
static bool were_there(const struct variables *variables, uint64_t page, uint64_t end, uint64_t now)
{
	const struct variables_page *known = &variables->there[page % VARIABLES_PAGES];

	while (page < end && known->page == page && known->ts != 0 && now - known->ts < THERE_NS)
		known = &variables->there[++page % VARIABLES_PAGES];
	return page == end;
}

/* Make sure that pages are present.  Returns 0 or an errno value.  If the kernel does not show pages, they
 * are assumed to be present. */
static int bring(struct variables *variables, uint64_t address, size_t size)
{
	const uint64_t bytes = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t pages[PAGES_ASKED], page = address / bytes;
	const uint64_t end = (address + size - 1) / bytes + 1;
	struct map map = {.end = 0};
	int error = variables->silent ? ETIMEDOUT : 0;

	if (variables->pages < 0)
		return 0;
	const uint64_t now = monotonic_now();
	if (error == 0 && were_there(variables, page, end, now))
		return 0;
	while (page < end && error == 0) {
		const uint64_t count = end - page < PAGES_ASKED ? end - page : PAGES_ASKED;
		const ssize_t n = pread(variables->pages, pages, 8 * count, (off_t)(8 * page));
		if (n <= 0)
			return 0;
		struct absent absent = {.count = 0};
		for (ssize_t i = 0; i < n / 8; i++, page++)
			if ((pages[i] & PAGE_THERE) != 0)
				variables->there[page % VARIABLES_PAGES] = (struct variables_page){page, now};
			else if (may_be_served(variables, page * bytes, &map))
				absent.at[absent.count++] = page * bytes;
		error = touch(variables, &absent);
	}
	variables->silent = error == ETIMEDOUT;
	return error;
}

/* Read from /proc/PID/mem.  Returns 0 or an errno value. */
static int read_exactly(int mem, const struct iovec *to, size_t count, size_t size, uint64_t address)
{
	ssize_t n = preadv(mem, to, (int)count, (off_t)address);

	if (n >= 0 && (size_t)n == size)
		return 0;
	if (n == 0) /* no process has this memory any more */
		return ESRCH;
	/* EIO: there is no memory, or its server does not answer. */
	return n > 0 || errno == EIO ? EFAULT : errno;
}

/* Read the leading places of an array that are adjacent in memory, by one call.  Returns their number; *error
 * is 0 or an errno value. */
static size_t read_run(
    struct variables *variables, const struct variables_place *places, size_t count, int *error)
{
	struct iovec to[RUN_MAX];
	size_t size = 0, n = 0;

	for (; n < count && n < RUN_MAX && places[n].address == places[0].address + size; n++) {
		to[n] = (struct iovec){places[n].to, places[n].size};
		size += places[n].size;
	}
	*error = bring(variables, places[0].address, size);
	if (*error == 0)
		*error = read_exactly(variables->mem, to, n, size, places[0].address);
	return n;
}

/* Places are read from /proc/PID/mem, which is opened through the process's directory and so can't belong to
 * another process. */
int variables_read(struct variables *variables, const struct variables_place *places, size_t count)
{
	int error = 0;

	if (variables->mem < 0)
		variables->mem = proc_descriptor(&variables->proc, "mem");
	if (variables->mem < 0)
		error = errno == ENOENT ? ESRCH : errno;
	if (variables->pages < 0 && error == 0)
		variables->pages = proc_descriptor(&variables->proc, "pagemap");
	for (size_t i = 0; i < count && error == 0;)
		i += read_run(variables, &places[i], count - i, &error);
	/* With many processes, open files would use up the descriptors. */
	if (!variables->keeps_mem || error == ESRCH)
		close_memory(variables);
	return error;
}

static int read_memory(void *ctx, const struct variables_place *places, size_t count)
{
	return variables_read(ctx, places, count);
}

struct memory_reader variables_memory(struct variables *variables)
{
	return (struct memory_reader){read_memory, variables};
}

struct memory_reader variables_memory_unchecked(struct variables *variables)
{
	variables->keeps_mem = true;
	return (struct memory_reader){read_memory, variables};
}

/* Whether rtevtop itself has a capability. */
static bool is_capable(unsigned capability)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct own[_LINUX_CAPABILITY_U32S_3] = {0};

	return syscall(SYS_capget, &header, own) == 0 && (own[0].effective >> capability & 1) != 0;
}

const char *variables_refusal(const char *proc_root, const char **remedy)
{
	const long scope = proc_setting(proc_root, "kernel/yama/ptrace_scope", 0);

	if (scope == 0 || geteuid() == 0) {
		*remedy = geteuid() != 0	       ? "run rtevtop as root"
			  : is_capable(CAP_SYS_PTRACE) ? "rtevtop needs the capability DAC_READ_SEARCH"
						       : "rtevtop needs the capability SYS_PTRACE";
		return "reading its memory is not permitted";
	}
	*remedy = scope == 1
		      ? "sudo rtevtop, sysctl kernel.yama.ptrace_scope=0, or start it by rtevtop -- COMMAND"
		      : "sudo rtevtop, or sysctl kernel.yama.ptrace_scope=0";
	/* The kernel's statistics and rings need no ptrace permission. */
	return scope == 1 ? "kernel.yama.ptrace_scope is 1, which lets only root read its memory"
			  : "kernel.yama.ptrace_scope lets only root read its memory";
}

const char *variables_why(int error)
{
	if (error == 0)
		return "";
	if (error == ETIMEDOUT)
		return "its memory does not answer";
	if (error == EAGAIN)
		return "its memory does not hold what was expected";
	if (shortage_is(error))
		return shortage_why(error);
	return error == EPERM || error == EACCES ? "reading its memory is not permitted"
						 : "its memory can't be read";
}
