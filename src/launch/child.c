/*
 * child.c - start COMMAND, find its ring, remove what it leaves.
 *
 * This is one file, since what is removed, and what is told of the end, depends on how COMMAND was started.
 */
#include "launch/child.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/inotify.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/clock.h"
#include "core/files.h"
#include "rtev/producer.h"
#include "launch/limits.h"
#include "launch/signals.h"
#include "target/shortage.h"
#include "target/status.h"

#define MARK_VARIABLE "RTEVTOP_COMMAND"

/* Return the directory that COMMAND passes to chroot, directly or through a wrapper such as env; NULL: none. */
static const char *other_root(char **argv)
{
	char first[64];

	snprintf(first, sizeof(first), " %s ", path_base(argv[0]));
	if (strstr(" sudo env nice timeout taskset ", first) != NULL)
		while (*argv != NULL && strcmp(path_base(*argv), "chroot") != 0)
			argv++;
	if (*argv == NULL || strcmp(path_base(*argv), "chroot") != 0)
		return NULL;
	do
		argv++;
	while (*argv != NULL && (*argv)[0] == '-');
	return *argv;
}

/* Make a private directory inside COMMAND's other root, because COMMAND can't see one outside. */
static bool make_in_root(struct child *child, const struct child_options *options)
{
	const char *root = other_root(options->argv);
	char above[PATH_MAX];
	size_t len = root != NULL ? strlen(root) : 0;

	while (len > 0 && root[len - 1] == '/')
		len--;
	if (len == 0 || snprintf(above, sizeof(above), "%.*s/tmp", (int)len, root) >= (int)sizeof(above) ||
	    private_dir_make(&child->own, above, options->keep) != 0)
		return false;
	child->root = len;
	return true;
}

/* Choose the directory of the rings: the user's, or a new private one. */
static bool choose_dir(struct child *child, const struct child_options *options)
{
	const char *set = options->rings;

	if (set != NULL && set[0] != '\0') {
		if (strlcpy(child->dir, set, sizeof(child->dir)) < sizeof(child->dir))
			return true;
		report_message(options->report, NULL, "could not use " RTEV_ENV_DIR ": the path is too long");
		return false;
	}
	int error = make_in_root(child, options)
			? 0
			: private_dir_make(&child->own, options->temporary, options->keep);
	if (error != 0) {
		report_message(options->report,
		    shortage_remedy(error, "Set TMPDIR to a directory that can be written to."),
		    "could not make a directory for the ring in %s: %s", child->own.path,
		    shortage_why(error));
		return false;
	}
	strlcpy(child->dir, child->own.path, sizeof(child->dir));
	child->own_dir = true;
	return true;
}

/* Set the environment variables that COMMAND reads.  The demo removes its ring itself, because we may be
 * killed first.  Returns 0 or an errno value. */
static int set_variables(const struct child *child, const char *ours_variable, pid_t ours)
{
	char pid[24];

	snprintf(pid, sizeof(pid), "%ld", (long)ours);
	if (setenv(RTEV_ENV_START, "1", 1) != 0 || setenv(RTEV_ENV_DIR, child->dir + child->root, 1) != 0 ||
	    setenv(MARK_VARIABLE, child->mark, 1) != 0)
		return errno;
	return (ours_variable != NULL ? setenv(ours_variable, pid, 1) : setenv(RTEV_ENV_PRESERVE, "1", 1)) ==
		       0
		   ? 0
		   : errno;
}

/* Open an input that is at its end: /dev/null or, in a bare root without it, a pipe without a writer.
 * Returns a descriptor, or -1. */
static int empty_input(void)
{
	int ends[2], null = open("/dev/null", O_RDONLY | O_CLOEXEC);

	if (null >= 0 || pipe2(ends, O_CLOEXEC) != 0)
		return null;
	close(ends[1]);
	return ends[0];
}

/* In the child: set up its descriptors and execute COMMAND.  On failure, write errno to `report` and exit. */
__attribute__((noreturn)) static void become(
    char **argv, enum child_output output, const int capture[2], int report, int error)
{
	signals_restore();
	descriptors_restore();
	if (output == CHILD_OUTPUT_STDERR && dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
		error = errno;
	if (output == CHILD_OUTPUT_CAPTURE) {
		/* Terminal input, Ctrl-C included, stays ours. */
		int input = empty_input();
		setpgid(0, 0);
		if (input < 0 || dup2(input, STDIN_FILENO) < 0 || dup2(capture[1], STDOUT_FILENO) < 0 ||
		    dup2(capture[1], STDERR_FILENO) < 0)
			error = errno;
	}
	if (error == 0) {
		execvp(argv[0], argv);
		error = errno;
	}
	ssize_t sent = write(report, &error, sizeof(error));
	_exit(sent == (ssize_t)sizeof(error) ? EXIT_NOT_FOUND : EXIT_OURS);
}

/* Wait until the child has executed COMMAND.  Returns 0, or the errno value of the failure. */
static int await_exec(int report)
{
	int error = 0;
	ssize_t n;

	do
		n = read(report, &error, sizeof(error));
	while (n < 0 && errno == EINTR);
	return n == (ssize_t)sizeof(error) ? error : 0;
}

/* Report why COMMAND can't be run.  Returns the exit status. */
static int report_exec(const struct reporter *report, const char *name, int error)
{
	/* Of a file that is there, what the kernel did not find is the program that is to run it. */
	const char *remedy = error != ENOENT ? NULL
			     : strchr(name, '/') != NULL && access(name, F_OK) == 0
				 ? "The file is there: the interpreter that its first line names, or its "
				   "loader, is not."
				 : "Check the spelling, or give the path.";

	report_message(
	    report, shortage_remedy(error, remedy), "could not run %s: %s", name, shortage_why(error));
	return error == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_RUN;
}

int child_start(struct child *child, const struct child_options *options)
{
	char **argv = options->argv;
	enum child_output output = options->output;
	int capture[2] = {-1, -1}, report[2] = {-1, -1};

	pid_t ours = getpid();
	*child =
	    (struct child){.name = argv[0], .pid = -1, .pidfd = -1, .notify = -1, .output = -1, .folder = -1};
	child->preserve = options->keep;
	if (!choose_dir(child, options))
		return EXIT_OURS;
	child->since = (int64_t)clock_ns(CLOCK_REALTIME_COARSE);
	snprintf(child->mark, sizeof(child->mark), "%ld-%lld", (long)getpid(), (long long)child->since);
	child->notify = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	if (child->notify >= 0)
		inotify_add_watch(child->notify, child->dir, IN_CREATE | IN_MOVED_TO | IN_MODIFY);
	if (pipe2(report, O_CLOEXEC) != 0 ||
	    (output == CHILD_OUTPUT_CAPTURE && pipe2(capture, O_CLOEXEC | O_NONBLOCK) != 0))
		goto fail;
	if (capture[1] >= 0)
		fcntl(capture[1], F_SETFL, 0); /* COMMAND writes blocking; we read non-blocking */
	child->pid = fork();
	if (child->pid < 0)
		goto fail;
	if (child->pid == 0)
		become(argv, output, capture, report[1], set_variables(child, options->ours_variable, ours));
	close(report[1]);
	if (capture[1] >= 0)
		close(capture[1]);
	child->output = capture[0];
	int error = await_exec(report[0]);
	close(report[0]);
	child->pidfd = (int)syscall(SYS_pidfd_open, child->pid, 0);
	if (error == 0) {
		child->passes_term = options->passes_term;
		if (child->passes_term)
			signals_pass_term(child->pid);
		return 0;
	}
	waitpid(child->pid, &child->wait_status, 0);
	child->ended = true;
	child_fini(child);
	return report_exec(options->report, argv[0], error);
fail:
	error = errno;
	report_message(options->report, shortage_remedy(error, NULL), "could not start %s: %s", argv[0],
	    shortage_why(error));
	for (int i = 0; i < 2; i++) {
		if (report[i] >= 0)
			close(report[i]);
		if (capture[i] >= 0)
			close(capture[i]);
	}
	child->ended = true;
	child_fini(child);
	return EXIT_OURS;
}

/* Whether a process has the mark of COMMAND in its environment.  A process that has ended counts as marked,
 * because its environment can't be read. */
static bool is_marked(const struct child *child, const struct proc *proc)
{
	char *text = NULL;
	size_t len = 0;
	int error = proc_slurp(proc, "environ", PROC_ENVIRON_MAX, &text, &len);
	struct word mark = error == 0 ? words_value(text, len, MARK_VARIABLE) : (struct word){0};
	bool ours = mark.text != NULL && mark.len == strlen(child->mark) &&
		    memcmp(mark.text, child->mark, mark.len) == 0;

	free(text);
	return ours || error == ESRCH;
}

bool child_other_dir(const struct child *child, char *dir, size_t size)
{
	char *text = NULL;
	size_t len = 0;
	struct proc proc;

	if (child->ended || proc_open(&proc, NULL, child->pid) != 0)
		return false;
	int error = proc_slurp(&proc, "environ", PROC_ENVIRON_MAX, &text, &len);
	struct word set = error == 0 ? words_value(text, len, RTEV_ENV_DIR) : (struct word){0};
	const char *given = child->dir + child->root;
	bool other = set.text != NULL && (set.len != strlen(given) || memcmp(set.text, given, set.len) != 0);
	if (other)
		word_copy(set, dir, size);
	free(text);
	proc_close(&proc);
	return other;
}

/* Whether COMMAND, or a process that it started, wrote a ring.  Root takes a file only if it belongs to root
 * or to the user of the process in its name: in a shared directory anybody can create a file of that name. */
static bool is_ours(const struct child *child, int64_t pid, const struct stat *st)
{
	struct status_ids ids = {.has_uid = false};
	struct proc proc;
	bool ours = true;

	if (child->own_dir)
		return true;
	int error = proc_open(&proc, NULL, (pid_t)pid);
	if (error == 0) {
		status_read_ids(&proc, &ids);
		ours = pid == child->pid || is_marked(child, &proc);
		proc_close(&proc);
	} else {
		ours = error == ESRCH;
	}
	return ours && (geteuid() != 0 || st->st_uid == 0 || (ids.has_uid && ids.uid == st->st_uid));
}

/* Whether a ring was taken before, or the table of rings is full. */
static bool is_known(const struct child *child, int64_t pid)
{
	for (unsigned i = 0; i < child->ring_count; i++)
		if (child->rings[i].pid == pid)
			return true;
	return child->ring_count == CHILD_RINGS_MAX;
}

void child_took_ring(struct child *child, const struct child_ring *ring)
{
	if (!is_known(child, ring->pid))
		child->rings[child->ring_count++] = *ring;
}

void child_ring_path(const struct child *child, const struct child_ring *ring, char *path, size_t size)
{
	snprintf(path, size, "%s/%lld.events", child->dir, (long long)ring->pid);
}

bool child_dir_changed(struct child *child)
{
	char events[4096];
	bool changed = child->notify < 0;

	while (child->notify >= 0 && read(child->notify, events, sizeof(events)) > 0)
		changed = true;
	return changed;
}

/* Open the directory again: another one may have replaced the user's.  Returns false if there is none. */
static bool look_at_dir(struct child *child)
{
	if (child->own_dir) {
		child->folder = child->own.fd;
		return true;
	}
	if (child->folder >= 0)
		close(child->folder);
	child->folder = open(child->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return child->folder >= 0;
}

/* Open a file of the directory if it can be a ring.  Returns a descriptor, or -1. */
static int open_ring(const struct child *child, const char *name, struct stat *st)
{
	/* Opening a device can have side effects.  The type is checked again after opening. */
	if (fstatat(child->folder, name, st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(st->st_mode))
		return -1;
	int fd = openat(child->folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd >= 0 && (fstat(fd, st) != 0 || !S_ISREG(st->st_mode) || st->st_size == 0)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/* The time at which a ring appeared.  The time of the file's last change may be later, because some file
 * systems update it for writes through a mapping.  A file older than COMMAND was left by an earlier process
 * with this pid, whose ring the runtime uses again. */
static int64_t ring_since(const struct child *child, int fd, const struct stat *st)
{
	int64_t changed = (int64_t)st->st_ctim.tv_sec * 1000000000 + st->st_ctim.tv_nsec, born;
	struct statx birth;

	if (statx(fd, "", AT_EMPTY_PATH, STATX_BTIME, &birth) != 0 || (birth.stx_mask & STATX_BTIME) == 0)
		return changed;
	born = (int64_t)birth.stx_btime.tv_sec * 1000000000 + birth.stx_btime.tv_nsec;
	return born >= child->since && born < changed ? born : changed;
}

/* A ring file of COMMAND, and the fields that decide which one comes first. */
struct found {
	int fd; /* -1: none */
	int64_t since;
	struct child_ring ring;
};

/* Whether a ring comes before another: COMMAND's own comes first, then the oldest. */
static bool is_earlier(const struct child *child, const struct found *left, const struct found *right)
{
	if (right->fd < 0)
		return true;
	if (left->ring.pid == child->pid || right->ring.pid == child->pid)
		return left->ring.pid == child->pid;
	return left->since != right->since ? left->since < right->since : left->ring.pid < right->ring.pid;
}

/* Open the file of a name if it is a ring of COMMAND that was not taken before.  Returns false if not. */
static bool look_at_name(const struct child *child, const char *name, struct found *found)
{
	int64_t pid = private_dir_ring_pid(name);
	struct stat st;

	int fd = pid == 0 || is_known(child, pid) ? -1 : open_ring(child, name, &st);
	if (fd < 0)
		return false;
	*found = (struct found){.fd = fd,
	    .since = ring_since(child, fd, &st),
	    .ring = {.pid = pid, .device = st.st_dev, .inode = st.st_ino}};
	/* Other processes may have rings in the user's directory. */
	if ((child->own_dir || found->since >= child->since) && is_ours(child, pid, &st))
		return true;
	close(fd);
	return false;
}

int child_find_ring(struct child *child, struct child_ring *ring)
{
	struct found first = {.fd = -1}, next;

	child_dir_changed(child);
	if (!look_at_dir(child))
		return -1;
	DIR *dir = private_dir_names(child->folder);
	if (dir == NULL)
		return -1;
	const struct dirent *entry;
	while ((entry = readdir(dir)) != NULL) {
		if (!look_at_name(child, entry->d_name, &next))
			continue;
		bool earlier = is_earlier(child, &next, &first);
		const struct found *later = earlier ? &first : &next;
		if (later->fd >= 0)
			close(later->fd);
		if (earlier)
			first = next;
	}
	closedir(dir);
	if (first.fd >= 0)
		*ring = first.ring;
	return first.fd;
}

int child_open_ring(struct child *child)
{
	struct child_ring *ring = &child->rings[0];
	char name[32];
	struct stat st;

	if (child->ring_count == 0 || !look_at_dir(child))
		return -1;
	snprintf(name, sizeof(name), "%lld.events", (long long)ring->pid);
	int fd = open_ring(child, name, &st);
	if (fd >= 0 && !is_ours(child, ring->pid, &st)) {
		close(fd);
		return -1;
	}
	if (fd >= 0) {
		ring->device = st.st_dev;
		ring->inode = st.st_ino;
	}
	return fd;
}

static uint64_t time_ns(const struct timeval *t)
{
	return (uint64_t)t->tv_sec * 1000000000 + (uint64_t)t->tv_usec * 1000;
}

bool child_poll(struct child *child)
{
	struct rusage used;

	if (!child->ended && wait4(child->pid, &child->wait_status, WNOHANG, &used) == child->pid) {
		child->ended = true;
		child->user_ns = time_ns(&used.ru_utime);
		child->system_ns = time_ns(&used.ru_stime);
		/* No signal is delivered between the two calls, so the pid is not reused yet. */
		if (child->passes_term)
			signals_pass_term(0);
	}
	return child->ended;
}

size_t child_take_output(struct child *child, void *data, size_t size)
{
	if (child->output < 0)
		return 0;
	ssize_t n = read(child->output, data, size);
	if (n > 0)
		return (size_t)n;
	/* A closed pipe is always readable: it would end every wait at once. */
	if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
		close(child->output);
		child->output = -1;
	}
	return 0;
}

int child_signal(const struct child *child)
{
	return child->ended && WIFSIGNALED(child->wait_status) ? WTERMSIG(child->wait_status) : 0;
}

int child_exit_status(const struct child *child)
{
	if (WIFSIGNALED(child->wait_status))
		return 128 + WTERMSIG(child->wait_status);
	return WEXITSTATUS(child->wait_status);
}

/* Remove the rings of COMMAND and of its processes from the user's directory. */
static void remove_rings(struct child *child)
{
	char name[32];

	if (child->ring_count == 0 || !look_at_dir(child))
		return;
	for (unsigned i = 0; i < child->ring_count; i++) {
		const struct child_ring *ring = &child->rings[i];
		const struct stat st = {.st_dev = ring->device, .st_ino = ring->inode};
		/* A process that we do not follow and that still runs may have another reader. */
		if (i > 0 && (kill((pid_t)ring->pid, 0) == 0 || errno != ESRCH))
			continue;
		snprintf(name, sizeof(name), "%lld.events", (long long)ring->pid);
		same_file_remove(child->folder, name, &st, 0);
	}
}

/* Whether a word of COMMAND sets the directory of its ring. */
static bool sets_dir(char **argv)
{
	for (; *argv != NULL; argv++)
		if (strstr(*argv, "OCAML_RUNTIME_EVENTS_DIR=") != NULL)
			return true;
	return false;
}

/* Under a limit on address space the runtime aborts when its minor heaps can't be mapped, and crashes when its ring
 * can't: say so, if COMMAND ended like that. */
static bool addresses_remedy(int signal, char *out, size_t size)
{
	struct rlimit limit;

	if ((signal != SIGABRT && signal != SIGSEGV) || getrlimit(RLIMIT_AS, &limit) != 0 ||
	    limit.rlim_cur == RLIM_INFINITY)
		return false;
	snprintf(out, size,
	    "It may map %llu MB (RLIMIT_AS, ulimit -v): OCaml 5 reserves addresses for the minor heaps and "
	    "rings of all domains that there may be.  Lift the limit, or reserve less: OCAMLRUNPARAM=d=16 "
	    "(from 5.3 on).",
	    (unsigned long long)limit.rlim_cur / 1000000);
	return true;
}

/* Say what may have kept COMMAND from recording: causes that can be seen first, then guesses. */
static void no_ring_remedy(const struct child *child, char **argv, int signal, char *out, size_t size)
{
	const char *dir = child->dir;

	if (addresses_remedy(signal, out, size))
		return;
	if (sets_dir(argv))
		snprintf(out, size,
		    "It sets OCAML_RUNTIME_EVENTS_DIR itself; set that for rtevtop instead, before its "
		    "name.");
	else if (access(dir, F_OK) != 0)
		snprintf(out, size,
		    "It creates its ring in OCAML_RUNTIME_EVENTS_DIR=%s, which does not exist.", dir);
	else if (access(dir, W_OK | X_OK) != 0)
		snprintf(out, size,
		    "It creates its ring in OCAML_RUNTIME_EVENTS_DIR=%s, which can't be written to.", dir);
	else if (signal == SIGBUS)
		snprintf(out, size, "Is there room in %s for its ring?", dir);
	else if (signal == SIGABRT)
		snprintf(out, size,
		    "The runtime of OCaml 5 aborts if it can't create its ring in %s (another root lacks "
		    "that "
		    "directory, unless COMMAND is `chroot DIR PROGRAM` itself), or can't reserve addresses "
		    "(ulimit -v): its own message says which.",
		    dir);
	else if (signal != 0)
		snprintf(out, size, "It ended before a runtime of OCaml 5 had made a ring.");
	else
		snprintf(out, size,
		    "It must be an OCaml 5 program, or start one; setuid programs ignore "
		    "OCAML_RUNTIME_EVENTS_START.");
}

void child_explain_end(
    const struct child *child, const struct child_options *options, enum child_ring_seen seen)
{
	/* Shells report a signal as 128 plus its number. */
	int status = child_exit_status(child), signal = status > 128 ? status - 128 : 0;
	const char *name = signal != 0 ? sigabbrev_np(signal) : NULL;
	char remedy[4608], how[64] = "ended";

	if (name != NULL)
		snprintf(how, sizeof(how), "was ended by SIG%s%s", name,
		    seen == CHILD_RING_NONE ? " before it recorded" : "");
	else if (status != 0)
		snprintf(how, sizeof(how), "ended with status %d", status);
	if (seen == CHILD_RING_NONE) {
		no_ring_remedy(child, options->argv, signal, remedy, sizeof(remedy));
		report_message(options->report, remedy, "%s %s%s runtime events", child->name, how,
		    name != NULL ? "" : " without recording");
		return;
	}
	/* The signals that end a program; any other signal killed it. */
	switch (child_signal(child)) {
	case 0:
	case SIGTERM:
	case SIGINT:
	case SIGHUP:
	case SIGPIPE:
		return;
	default:
		report_message(options->report,
		    seen == CHILD_RING_ELSEWHERE &&
			    addresses_remedy(child_signal(child), remedy, sizeof(remedy))
			? remedy
			: NULL,
		    "%s %s", child->name, how);
	}
}

void child_fini(struct child *child)
{
	if (child->own_dir) {
		private_dir_remove(&child->own, child->preserve);
		child->folder = -1; /* private_dir_remove closed it */
	} else if (!child->preserve) {
		remove_rings(child);
	}
	child->own_dir = false;
	int *fds[] = {&child->pidfd, &child->notify, &child->output, &child->folder};
	for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++) {
		if (*fds[i] >= 0)
			close(*fds[i]);
		*fds[i] = -1;
	}
}
