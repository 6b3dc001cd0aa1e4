/*
 * child.c - start COMMAND, find its ring, clean up after it.
 */
#include "app/child.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "app/fail.h"
#include "app/signals.h"
#include "target/proc.h"
#include "target/words.h"

#define DIR_VARIABLE "OCAML_RUNTIME_EVENTS_DIR"
#define START_VARIABLE "OCAML_RUNTIME_EVENTS_START"
#define PRESERVE_VARIABLE "OCAML_RUNTIME_EVENTS_PRESERVE"
#define MARK_VARIABLE "RTEVTOP_COMMAND"

/* Choose the directory of the rings: the user's, or a new one. */
static bool choose_dir(struct child *child)
{
	const char *set = getenv(DIR_VARIABLE);

	if (set != NULL && set[0] != '\0') {
		if (strlcpy(child->dir, set, sizeof(child->dir)) < sizeof(child->dir))
			return true;
		fail_message(NULL, "could not use " DIR_VARIABLE ": the path is too long");
		return false;
	}
	const char *tmp = getenv("TMPDIR");
	if (tmp == NULL || tmp[0] == '\0')
		tmp = "/tmp";
	int length = snprintf(child->dir, sizeof(child->dir), "%s/rtevtop-XXXXXX", tmp);
	if (length < 0 || (size_t)length >= sizeof(child->dir) || mkdtemp(child->dir) == NULL) {
		fail_message("Set TMPDIR to a directory that can be written to.",
		    "could not make a directory for the ring in %s: %s", tmp, strerror(errno));
		return false;
	}
	child->own_dir = true;
	return true;
}

/* In the child: arrange its descriptors and environment, and become COMMAND.  Reports errno through `report`. */
__attribute__((noreturn)) static void become(
    const struct child *child, char **argv, enum child_output output, const int capture[2], int report)
{
	int error = 0;

	signals_restore();
	if (setenv(START_VARIABLE, "1", 1) != 0 || setenv(PRESERVE_VARIABLE, "1", 1) != 0 ||
	    setenv(DIR_VARIABLE, child->dir, 1) != 0 || setenv(MARK_VARIABLE, child->mark, 1) != 0)
		error = errno;
	if (output == CHILD_OUTPUT_STDERR && dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
		error = errno;
	if (output == CHILD_OUTPUT_CAPTURE) {
		/* The terminal's keys are ours, Ctrl-C among them. */
		int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
		setpgid(0, 0);
		if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(capture[1], STDOUT_FILENO) < 0 ||
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

/* Wait until the child has become COMMAND; 0, or the errno that kept it from it. */
static int await_exec(int report)
{
	int error = 0;
	ssize_t n;

	do
		n = read(report, &error, sizeof(error));
	while (n < 0 && errno == EINTR);
	return n == (ssize_t)sizeof(error) ? error : 0;
}

/* Report why COMMAND can't be run, and give the exit status for it. */
static int report_exec(const char *name, int error)
{
	fail_message(error == ENOENT ? "Check the spelling, or give the path." : NULL, "could not run %s: %s",
	    name, strerror(error));
	return error == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_RUN;
}

/* Start COMMAND. */
int child_start(struct child *child, char **argv, enum child_output output)
{
	int capture[2] = {-1, -1}, report[2] = {-1, -1};
	struct timespec now;

	*child = (struct child){.pid = -1, .pidfd = -1, .notify = -1, .output = -1};
	child->preserve = getenv(PRESERVE_VARIABLE) != NULL;
	if (!choose_dir(child))
		return EXIT_OURS;
	clock_gettime(CLOCK_REALTIME_COARSE, &now);
	child->since = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
	snprintf(child->mark, sizeof(child->mark), "%ld-%lld", (long)getpid(), (long long)child->since);
	child->notify = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	if (child->notify >= 0)
		inotify_add_watch(child->notify, child->dir, IN_CREATE | IN_MOVED_TO | IN_MODIFY);
	if (pipe2(report, O_CLOEXEC) != 0 ||
	    (output == CHILD_OUTPUT_CAPTURE && pipe2(capture, O_CLOEXEC | O_NONBLOCK) != 0))
		goto fail;
	if (capture[1] >= 0)
		fcntl(capture[1], F_SETFL, 0); /* only our end must not block */
	child->pid = fork();
	if (child->pid < 0)
		goto fail;
	if (child->pid == 0)
		become(child, argv, output, capture, report[1]);
	close(report[1]);
	if (capture[1] >= 0)
		close(capture[1]);
	child->output = capture[0];
	int error = await_exec(report[0]);
	close(report[0]);
	child->pidfd = (int)syscall(SYS_pidfd_open, child->pid, 0);
	if (error == 0)
		return 0;
	waitpid(child->pid, &child->wait_status, 0);
	child->ended = true;
	child_fini(child, NULL);
	return report_exec(argv[0], error);
fail:
	fail_message(NULL, "could not start %s: %s", argv[0], strerror(errno));
	for (int i = 0; i < 2; i++) {
		if (report[i] >= 0)
			close(report[i]);
		if (capture[i] >= 0)
			close(capture[i]);
	}
	child->ended = true;
	child_fini(child, NULL);
	return EXIT_OURS;
}

/* Return the pid in a ring's file name, 0 if the name is none of a ring. */
static int64_t pid_of_name(const char *name)
{
	char *end;

	if (name[0] < '0' || name[0] > '9')
		return 0;
	errno = 0;
	long long pid = strtoll(name, &end, 10);
	return errno == 0 && strcmp(end, ".events") == 0 ? pid : 0;
}

/* Whether a process is COMMAND or was started by it.  Of one that has ended nothing tells otherwise. */
static bool is_ours(const struct child *child, int64_t pid)
{
	struct proc proc;
	char *text = NULL;
	size_t len = 0;

	if (child->own_dir || pid == child->pid)
		return true;
	int error = proc_open(&proc, NULL, (pid_t)pid);
	if (error != 0)
		return error == ESRCH;
	error = proc_slurp(&proc, "environ", PROC_ENVIRON_MAX, &text, &len);
	proc_close(&proc);
	struct word mark = error == 0 ? words_value(text, len, MARK_VARIABLE) : (struct word){0};
	bool ours = mark.text != NULL && mark.len == strlen(child->mark) &&
		    memcmp(mark.text, child->mark, mark.len) == 0;
	free(text);
	return ours || error == ESRCH;
}

/* Whether a ring has been found before. */
static bool is_known(const struct child *child, int64_t pid)
{
	for (unsigned i = 0; i < child->ring_count; i++)
		if (child->rings[i] == pid)
			return true;
	return child->ring_count == CHILD_RINGS_MAX;
}

/* Remember a ring. */
void child_took_ring(struct child *child, int64_t pid)
{
	if (!is_known(child, pid))
		child->rings[child->ring_count++] = pid;
}

/* Whether something has changed in the directory. */
bool child_dir_changed(struct child *child)
{
	char events[4096];
	bool changed = child->notify < 0;

	while (child->notify >= 0 && read(child->notify, events, sizeof(events)) > 0)
		changed = true;
	return changed;
}

/* Look for the first ring in the directory that is not known. */
bool child_find_ring(struct child *child, char *path, size_t size, int64_t *pid)
{
	struct timespec best = {0};
	bool found = false;

	child_dir_changed(child);
	DIR *dir = opendir(child->dir);
	if (dir == NULL)
		return false;
	const struct dirent *entry;
	while ((entry = readdir(dir)) != NULL) {
		struct stat st;
		int64_t number = pid_of_name(entry->d_name);
		if (number == 0 || is_known(child, number) ||
		    fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
		    !S_ISREG(st.st_mode) || st.st_size == 0)
			continue;
		/* The time of the last change, since a runtime reuses a file that an earlier process left. */
		int64_t changed = (int64_t)st.st_ctim.tv_sec * 1000000000 + st.st_ctim.tv_nsec;
		bool earlier = st.st_ctim.tv_sec < best.tv_sec ||
			       (st.st_ctim.tv_sec == best.tv_sec && st.st_ctim.tv_nsec < best.tv_nsec);
		/* Others may have their rings in a directory that is not our own. */
		if ((!child->own_dir && changed < child->since) || (found && !earlier) ||
		    !is_ours(child, number))
			continue;
		int length = snprintf(path, size, "%s/%s", child->dir, entry->d_name);
		if (length < 0 || (size_t)length >= size)
			continue;
		found = true;
		best = st.st_ctim;
		*pid = number;
	}
	closedir(dir);
	return found;
}

/* Collect its end if it has come. */
bool child_poll(struct child *child)
{
	if (!child->ended && waitpid(child->pid, &child->wait_status, WNOHANG) == child->pid)
		child->ended = true;
	return child->ended;
}

/* Take some of what it has printed. */
size_t child_take_output(struct child *child, void *data, size_t size)
{
	if (child->output < 0)
		return 0;
	ssize_t n = read(child->output, data, size);
	if (n > 0)
		return (size_t)n;
	/* At its end it would wake every wait, for as long as COMMAND runs on. */
	if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
		close(child->output);
		child->output = -1;
	}
	return 0;
}

/* Return its exit status. */
int child_exit_status(const struct child *child)
{
	if (WIFSIGNALED(child->wait_status))
		return 128 + WTERMSIG(child->wait_status);
	return WEXITSTATUS(child->wait_status);
}

/* Remove the rings that a private directory holds, and the directory. */
static void remove_dir(const char *path)
{
	DIR *dir = opendir(path);
	const struct dirent *entry;

	if (dir == NULL)
		return;
	while ((entry = readdir(dir)) != NULL)
		if (pid_of_name(entry->d_name) != 0)
			unlinkat(dirfd(dir), entry->d_name, 0);
	closedir(dir);
	rmdir(path);
}

/* Remove the rings that COMMAND and what it started left in the user's directory. */
static void remove_rings(const struct child *child, const char *followed)
{
	char path[sizeof(child->dir) + 32];

	if (followed != NULL)
		unlink(followed);
	for (unsigned i = 1; i < child->ring_count; i++) {
		/* One that runs on may be watched yet. */
		if (kill((pid_t)child->rings[i], 0) == 0 || errno != ESRCH)
			continue;
		snprintf(path, sizeof(path), "%s/%lld.events", child->dir, (long long)child->rings[i]);
		unlink(path);
	}
}

/* Clean up. */
void child_fini(struct child *child, const char *ring_path)
{
	if (child->own_dir && !child->preserve)
		remove_dir(child->dir);
	else if (!child->preserve)
		remove_rings(child, ring_path);
	if (child->own_dir)
		rmdir(child->dir); /* fails, rightly, while something is kept in it */
	child->own_dir = false;
	int *fds[] = {&child->pidfd, &child->notify, &child->output};
	for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++) {
		if (*fds[i] >= 0)
			close(*fds[i]);
		*fds[i] = -1;
	}
}
