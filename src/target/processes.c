/* processes.c - search all processes for OCaml 5. */
#include "target/processes.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/array.h"
#include "core/files.h"
#include "core/order.h"
#include "target/events_paused.h"
#include "target/maps.h"
#include "target/runtime.h"
#include "target/shortage.h"
#include "target/system_parse.h"

/* Words of a ring file searched for evidence of the version: two rings of OCaml's default size. */
#define WORDS (UINT64_C(1) << 17)

#define THREADS_MAX (1u << 16) /* maximum number of threads listed */

struct process_finder {
	struct processes_options options;
	struct version_cache *cache;
	int proc;     /* descriptor of /proc, for glances; -1: none */
	int short_of; /* errno value of a resource that ran short; 0: none */
};

const char *process_state_name(enum process_state state)
{
	static const char *const names[] = {
	    [PROCESS_LIVE] = "live",
	    [PROCESS_PAUSED] = "paused",
	    [PROCESS_STOPPED] = "stopped",
	    [PROCESS_NO_EVENTS] = "no events",
	    [PROCESS_NOT_STARTED] = "not started",
	    [PROCESS_INACCESSIBLE] = "inaccessible",
	    [PROCESS_UNREADABLE] = "unreadable",
	};

	return names[state];
}

/* What is told of a process with few system calls. */
enum glance {
	GLANCE_NOTHING, /* no ring and no OCaml 5 runtime, a kernel thread, or an ended process: most of a machine */
	GLANCE_DENIED, /* it may not be examined */
	GLANCE_UNKNOWN
};

/* Glance at a process.  `proc` is a descriptor of /proc itself, not of a made-up tree.  The calls go by pid: if that is reused
 * between them, the result is of neither process. */
static enum glance glance_at(int proc, pid_t pid, const struct version_cache *cache)
{
	char name[32];
	struct stat st;

	snprintf(name, sizeof(name), "%d/exe", (int)pid);
	const int error = proc_stat(proc, name, &st);
	/* Only a kernel thread and an ended process have no program. */
	if (error == ENOENT || error == ESRCH)
		return GLANCE_NOTHING;
	if (error != 0)
		return error == EACCES || error == EPERM ? GLANCE_DENIED : GLANCE_UNKNOWN;
	if (!version_cache_excludes(cache, &st))
		return GLANCE_UNKNOWN;
	snprintf(name, sizeof(name), "%d/maps", (int)pid);
	int fd = openat(proc, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return GLANCE_UNKNOWN;
	bool lack = maps_file_lacks_ocaml(fd);
	close(fd);
	return lack ? GLANCE_NOTHING : GLANCE_UNKNOWN;
}

/* Read the base name of the first word of the command line.  Returns false if it can't be read. */
static bool read_first_word(const struct proc *proc, char base[PROC_PATH_SIZE])
{
	char cmdline[PROC_PATH_SIZE];
	size_t len;

	if (proc_read(proc, "cmdline", cmdline, sizeof cmdline, &len) != 0)
		return false;
	word_copy(words_get(cmdline, len, 0), base, PROC_PATH_SIZE);
	const char *last = path_base(base);
	memmove(base, last, strlen(last) + 1);
	return true;
}

/* Whether a process that may not be read has the name of an OCaml interpreter. */
static bool looks_like_ocaml(const struct proc *proc)
{
	char program[PROC_PATH_SIZE];

	return read_first_word(proc, program) && strncmp(program, "ocamlrun", 8) == 0;
}

/* Whether a process of another user hides its memory map from us. */
static bool is_hidden(const struct proc *proc)
{
	struct status_ids ids;
	char word[2];
	size_t len;

	/* Kernel threads have no command line. */
	if (proc_read(proc, "cmdline", word, sizeof word, &len) != 0 || len == 0 ||
	    status_read_ids(proc, &ids) != 0 || !ids.has_uid || ids.uid == geteuid())
		return false;
	int error = proc_read(proc, "maps", word, sizeof word, &len);
	return error == EACCES || error == EPERM;
}

/* Count the domains that have written, and take evidence from the stream. */
static void look_at_ring(struct rtev_cursor *cursor, struct process_entry *entry)
{
	struct version program = entry->version;
	struct rtev_ring_info info = {.size = sizeof(info)};
	struct rtev_scan scan = {.size = sizeof(scan)};
	bool conflict;

	rtev_cursor_info(cursor, &info);
	entry->ring_words = info.ring_words;
	for (unsigned i = 0; i < info.domains; i++) {
		uint64_t tail;

		if (rtev_cursor_lag(cursor, i, NULL, NULL, &tail) == RTEV_OK && tail > 0)
			entry->domains++;
	}
	if (rtev_cursor_scan(cursor, NULL, NULL, &scan) == RTEV_OK)
		version_merge(&program, &scan, NULL, &entry->version, &conflict);
	entry->has_ring = true;
	entry->has_domains = entry->domains > 0;
}

/* The state of a process with a readable ring. */
static enum process_state state_of(struct process_finder *finder, const struct proc *proc)
{
	struct status_stat stat;

	if (status_read_stat(proc, &stat) == 0 && status_stopped(&stat))
		return PROCESS_STOPPED;
	return tracing_paused(finder->options.proc_root, proc->pid) ? PROCESS_PAUSED : PROCESS_LIVE;
}

/* Record that a resource ran short. */
static void note_shortage(struct process_finder *finder, int error)
{
	if (shortage_is(error))
		finder->short_of = error;
}

/* Open the ring. */
static void open_ring(
    struct process_finder *finder, const struct proc *proc, int fd, struct process_entry *entry)
{
	const struct rtev_cursor_options options = {
	    .size = sizeof options, .start = RTEV_START_OLDEST, .max_words = WORDS};
	struct rtev_cursor *cursor;
	struct stat st;

	if (fstat(fd, &st) == 0) {
		entry->ring_device = (uint64_t)st.st_dev;
		entry->ring_inode = (uint64_t)st.st_ino;
	}
	int status = rtev_cursor_open_fd(&cursor, fd, &options);
	if (status != RTEV_OK) {
		entry->state = PROCESS_UNREADABLE;
		entry->ring_status = (enum rtev_status)status;
		note_shortage(finder, status == RTEV_E_NOMEM || status == RTEV_E_MAP ? ENOMEM : 0);
		return;
	}
	if (finder->options.guard != NULL)
		finder->options.guard(finder->options.ctx, cursor, true);
	look_at_ring(cursor, entry);
	if (finder->options.guard != NULL)
		finder->options.guard(finder->options.ctx, cursor, false);
	rtev_cursor_close(cursor);
	entry->state = entry->domains == 0 ? PROCESS_NOT_STARTED : state_of(finder, proc);
}

/* Count the running domains in the memory of the process if possible: a ring also contains those that have
 * ended. */
static void count_domains(const struct process_finder *finder, pid_t pid, struct process_entry *entry)
{
	const char *why;
	struct runtime *runtime = runtime_create(finder->options.proc_root, pid, &entry->version, &why);
	struct runtime_sample sample;

	if (runtime != NULL && runtime_sample(runtime, 1, &sample) == 0 && sample.running > 0) {
		entry->has_domains = true;
		entry->domains = sample.running;
	}
	runtime_destroy(runtime);
}

/* Decide from the search for its ring what a process is.  Returns false if it is not to be listed. */
static bool judge(struct process_finder *finder, const struct proc *proc, struct located *located,
    struct effort *effort, struct process_entry *entry)
{
	struct version_options options = {
	    .cache = finder->cache, .effort = effort, .no_shared_runtime = located->no_shared_runtime};
	enum version_program program;

	switch (located->status) {
	case LOCATE_OK:
		options.ring = located->mapped == LOCATE_MAPPED;
		version_of_process(proc, &options, &entry->version);
		open_ring(finder, proc, located->fd, entry);
		if (finder->options.once)
			count_domains(finder, proc->pid, entry);
		return true;
	case LOCATE_NO_RING:
		program = version_of_process(proc, &options, &entry->version);
		if (program == VERSION_UNREADABLE)
			note_shortage(finder, shortage_now());
		entry->state = PROCESS_NO_EVENTS;
		if (program == VERSION_OCAML5 && finder->options.once)
			count_domains(finder, proc->pid, entry);
		return program == VERSION_OCAML5;
	case LOCATE_RING_DENIED:
	case LOCATE_RING_WITHHELD:
	case LOCATE_DELETED:
		version_of_process(proc, &options, &entry->version);
		entry->state = PROCESS_INACCESSIBLE;
		return true;
	case LOCATE_PROCESS_DENIED:
		entry->state = PROCESS_INACCESSIBLE;
		return looks_like_ocaml(proc);
	case LOCATE_NOT_REGULAR:
	case LOCATE_FAILED:
		entry->state = PROCESS_UNREADABLE;
		entry->ring_status = located->status == LOCATE_NOT_REGULAR ? RTEV_E_NOT_REGULAR : RTEV_E_IO;
		return located->path[0] != '\0';
	default:
		return false;
	}
}

/* Examine a process, and note a shortage in the finder. */
static bool look(struct process_finder *finder, pid_t pid, struct process_entry *entry)
{
	struct effort effort = effort_for_look();
	struct locate_options options = {
	    .effort = &effort,
	    .proc_root = finder->options.proc_root,
	    .pid = pid,
	    .dir = finder->options.dir,
	    .skip_program = true,
	};
	struct located located;
	struct proc proc;
	enum glance glance = GLANCE_UNKNOWN;

	if (finder->proc >= 0)
		glance = glance_at(finder->proc, pid, finder->cache);
	if (glance == GLANCE_NOTHING)
		return false;
	int error = proc_open(&proc, options.proc_root, pid);
	note_shortage(finder, error);
	if (error != 0)
		return false;
	/* A ring in a named directory could belong to a process that may not be examined. */
	if (glance == GLANCE_DENIED && options.dir == NULL && !looks_like_ocaml(&proc)) {
		proc_close(&proc);
		return false;
	}
	struct status_stat stat;
	if (status_read_stat(&proc, &stat) == 0 && (stat.flags & STATUS_FLAG_KERNEL) != 0) {
		proc_close(&proc);
		return false;
	}
	locate(&options, &located);
	note_shortage(finder, located.status == LOCATE_FAILED ? located.error : 0);
	entry->pid = pid;
	entry->locate_status = located.status;
	strlcpy(entry->name, located.name, sizeof entry->name);
	bool listed = judge(finder, &proc, &located, &effort, entry);
	if (listed) {
		proc_user(located.uid, entry->user);
		strlcpy(entry->path, located.path, sizeof entry->path);
		entry->own_ring = located.own_name;
	}
	if (located.fd >= 0)
		close(located.fd);
	proc_close(&proc);
	return listed;
}

bool process_finder_look(struct process_finder *finder, pid_t pid, struct process_entry *entry)
{
	int before = finder->short_of;

	memset(entry, 0, sizeof(*entry));
	finder->short_of = 0;
	bool listed = look(finder, pid, entry);
	entry->short_of = finder->short_of;
	if (entry->short_of == 0)
		finder->short_of = before;
	return listed;
}

int process_finder_create(struct process_finder **out, const struct processes_options *options)
{
	struct process_finder *finder = calloc(1, sizeof(*finder));

	*out = NULL;
	if (finder == NULL)
		return ENOMEM;
	finder->options = *options;
	finder->proc = options->proc_root == NULL ? open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
	finder->cache = version_cache_create();
	if (finder->cache == NULL) {
		process_finder_destroy(finder);
		return ENOMEM;
	}
	*out = finder;
	return 0;
}

void process_finder_destroy(struct process_finder *finder)
{
	if (finder == NULL)
		return;
	version_cache_destroy(finder->cache);
	if (finder->proc >= 0)
		close(finder->proc);
	free(finder);
}

int process_finder_short_of(const struct process_finder *finder)
{
	return finder->short_of;
}

bool process_is_guest(const struct process_entry *entry, const struct process_entry *other)
{
	return entry->ring_inode != 0 && !entry->own_ring && other->own_ring &&
	       other->ring_inode == entry->ring_inode && other->ring_device == entry->ring_device;
}

pid_t process_next(DIR *dir)
{
	struct dirent *item;

	while ((item = readdir(dir)) != NULL) {
		const char *name = item->d_name, *end = name + strlen(name);
		uint64_t pid;
		if (take_number(&name, end, &pid) && name == end && pid > 0 && pid <= INT32_MAX)
			return (pid_t)pid;
	}
	return 0;
}

int process_threads(const struct proc *proc, int32_t **tids, size_t *count)
{
	int fd = openat(proc->dir, "task", O_RDONLY | O_DIRECTORY | O_CLOEXEC), error = errno;
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	size_t room = 0;
	pid_t tid;

	*tids = NULL;
	*count = 0;
	if (dir == NULL) {
		if (fd >= 0)
			close(fd);
		return fd >= 0 ? ENOMEM : error == ENOENT ? ESRCH : error;
	}
	for (error = 0; error == 0 && *count < THREADS_MAX;) {
		errno = 0;
		tid = process_next(dir);
		if (tid == 0) {
			error = errno;
			break;
		}
		if (array_room(tids, &room, *count + 1, sizeof(**tids)))
			(*tids)[(*count)++] = tid;
		else
			error = ENOMEM;
	}
	closedir(dir);
	if (error == 0 && *count > 0) {
		qsort(*tids, *count, sizeof(**tids), order_by_int);
		return 0;
	}
	free(*tids);
	*tids = NULL;
	return error == 0 || error == ENOENT ? ESRCH : error;
}

unsigned processes_hidden(const char *proc_root)
{
	DIR *dir = opendir(proc_root == NULL ? "/proc" : proc_root);
	unsigned count = 0;
	struct proc proc;
	pid_t pid;

	if (dir == NULL)
		return 0;
	while ((pid = process_next(dir)) > 0) {
		/* In /proc itself, the link to the program is hidden whenever the memory map is: one call is
		 * enough. */
		if (proc_root == NULL && glance_at(dirfd(dir), pid, NULL) != GLANCE_DENIED)
			continue;
		if (proc_open(&proc, proc_root, pid) != 0)
			continue;
		count += is_hidden(&proc) ? 1 : 0;
		proc_close(&proc);
	}
	closedir(dir);
	return count;
}

void process_detail_read(struct process_detail *out, const char *proc_root, pid_t pid)
{
	char words[PROCESS_COMMAND_SIZE];
	struct status_stat stat;
	struct proc proc;
	size_t len;

	*out = (struct process_detail){.parent = 0};
	if (proc_open(&proc, proc_root, pid) != 0)
		return;
	if (status_read_stat(&proc, &stat) == 0) {
		out->parent = (int64_t)stat.parent;
		out->start_ticks = stat.start_ticks;
	}
	if (proc_read(&proc, "cmdline", words, sizeof(words), &len) == 0)
		words_join(words, len, out->command, sizeof(out->command));
	proc_close(&proc);
}

bool process_is_called(pid_t pid, const char *name)
{
	char program[PROC_PATH_SIZE];
	struct status_stat stat;
	struct proc proc;

	if (proc_open(&proc, NULL, pid) != 0)
		return false;
	bool called = (status_read_stat(&proc, &stat) == 0 && strcmp(stat.name, name) == 0) ||
		      (read_first_word(&proc, program) && strcmp(program, name) == 0);
	proc_close(&proc);
	return called;
}

bool process_called(const char *name)
{
	DIR *dir = opendir("/proc");
	bool called = false;
	pid_t pid;

	while (dir != NULL && !called && (pid = process_next(dir)) > 0)
		called = process_is_called(pid, name);
	if (dir != NULL)
		closedir(dir);
	return called;
}

bool process_began(uint64_t start_ticks, double *seconds)
{
	struct timespec wall, boot;

	if (start_ticks == 0 || clock_gettime(CLOCK_REALTIME, &wall) != 0 ||
	    clock_gettime(CLOCK_BOOTTIME, &boot) != 0)
		return false;
	*seconds = (double)wall.tv_sec - (double)boot.tv_sec + 1e-9 * (double)(wall.tv_nsec - boot.tv_nsec) +
		   (double)start_ticks / (double)status_ticks_per_second();
	return true;
}

const char *process_remedy(enum process_state state)
{
	switch (state) {
	case PROCESS_NO_EVENTS:
		return "start it with OCAML_RUNTIME_EVENTS_START=1";
	case PROCESS_INACCESSIBLE:
		return "run rtevtop as root";
	default:
		return NULL;
	}
}

enum { LINK_SIZE = 64 };

/* Read the pid namespace of a process and its pid there. */
static bool read_place(const char *proc_root, pid_t pid, char space[LINK_SIZE], pid_t *inner)
{
	struct status_ids ids;
	struct proc proc;

	if (proc_open(&proc, proc_root, pid) != 0)
		return false;
	bool known = status_read_ids(&proc, &ids) == 0 && ids.ns_pid != 0 &&
		     proc_link(&proc, "ns/pid", space, LINK_SIZE) == 0;
	proc_close(&proc);
	*inner = ids.ns_pid;
	return known;
}

pid_t inner_pid(const char *proc_root, pid_t of, pid_t inner)
{
	char space[LINK_SIZE], other[LINK_SIZE];
	pid_t found = 0, number, pid;

	if (!read_place(proc_root, of, space, &number))
		return 0;
	if (number == of) /* it is in our namespace */
		return inner;
	DIR *dir = opendir(proc_root != NULL ? proc_root : "/proc");
	if (dir == NULL)
		return 0;
	while (found == 0 && (pid = process_next(dir)) > 0)
		if (read_place(proc_root, pid, other, &number) && number == inner &&
		    strcmp(space, other) == 0)
			found = pid;
	closedir(dir);
	return found;
}
