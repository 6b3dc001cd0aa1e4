/*
 * reports.c - get a report from a file that contains one, from stats on a file, or from the standard output
 * of a child.
 */
#include "app/diff/diff.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/commands/commands.h"
#include "app/commands/stats_report.h"
#include "app/fail.h"
#include "core/array.h"
#include "launch/signals.h"
#include "session/target_file.h"

#define READ_SIZE 65536 /* least room for a read */
#define WORDS_MAX 6	/* words of the command line of stats before COMMAND */

/* A text that is being read. */
struct text {
	char *bytes;
	size_t len, room;
};

/* Read what is available on a descriptor.  False at its end; also on a failure, or once the text is longer
 * than a report may be, with *error set. */
static bool text_read(struct text *t, int fd, int *error)
{
	if (t->len > DIFF_REPORT_BYTES_MAX) {
		*error = EFBIG;
		return false;
	}
	if (!array_room(&t->bytes, &t->room, t->len + READ_SIZE, 1)) {
		*error = ENOMEM;
		return false;
	}
	ssize_t got = read(fd, t->bytes + t->len, t->room - t->len);
	if (got < 0 && (errno == EINTR || errno == EAGAIN))
		return true;
	*error = got < 0 ? errno : 0;
	t->len += got > 0 ? (size_t)got : 0;
	return got > 0;
}

/* Parse a text as a report, and free it. */
static int report_of_text(struct diff_figures *out, struct text *t, const char *name, bool per_time)
{
	const char *remedy = "Make one with: rtevtop stats --json TARGET > FILE";
	json_error_t why;

	*out = (struct diff_figures){0};
	int error = diff_figures_read(out, t->bytes, t->len, per_time, &why);
	free(t->bytes);
	if (error == 0)
		return EXIT_DONE;
	if (error == ENOMEM)
		say(NULL, "could not read %s: out of memory", name);
	else if (t->len == 0)
		say(remedy, "could not read %s: it is empty", name);
	else if (why.text[0] != '\0')
		say(remedy, "could not read %s: it is no report of stats --json: line %d, column %d: %s",
		    name, why.line, why.column, why.text);
	else
		say(remedy, "could not read %s: it is no report of stats --json", name);
	return EXIT_FAILED;
}

/* Read the report of `stats --json` on an open file.  Returns 0 or an errno value; *status is the exit status
 * of stats. */
static int stats_of_file(struct text *t, struct target_file *file, const struct options *options, int *status)
{
	struct options own = *options;
	int error = 0, fd = memfd_create("report", MFD_CLOEXEC);

	if (fd < 0)
		return errno;
	own.command = &command_stats;
	own.target = file->path;
	own.name = (struct target_name){.kind = TARGET_FILE, .path = file->path};
	own.file = *file;
	own.json = true;
	/* --ocaml is meant for a ring beside it: a recording has the names of its events. */
	if (file->kind == TARGET_FILE_FXT)
		own.ocaml = NULL;
	/* This closes the file. */
	*status = stats_report(&own, fd);
	file->fd = -1;
	lseek(fd, 0, SEEK_SET);
	while (text_read(t, fd, &error))
		;
	close(fd);
	return error;
}

/* Execute `rtevtop stats --json` on a COMMAND, with its output going to `fd`. */
static _Noreturn void become_stats(int fd, char *const *command, const struct options *options)
{
	char name[] = "rtevtop", stats[] = "stats", json[] = "--json", rest[] = "--";
	char max_events[64], ocaml[64];
	char *words[WORDS_MAX] = {name, stats, json, max_events};
	size_t at = 4, count = 0;

	snprintf(
	    max_events, sizeof(max_events), "--max-events=%llu", (unsigned long long)options->max_events);
	if (options->ocaml != NULL) {
		snprintf(ocaml, sizeof(ocaml), "--ocaml=%s", options->ocaml);
		words[at++] = ocaml;
	}
	words[at++] = rest;
	while (command[count] != NULL)
		count++;
	char **all = calloc(at + count + 1, sizeof(*all));
	if (all == NULL || dup2(fd, STDOUT_FILENO) < 0)
		_exit(EXIT_OURS);
	memcpy(all, words, at * sizeof(*all));
	memcpy(all + at, command, count * sizeof(*all));
	signals_restore();
	execv("/proc/self/exe", all);
	say(errno == ENOENT ? "rtevtop needs /proc." : NULL, "could not run rtevtop stats: %s",
	    strerror(errno));
	_exit(EXIT_OURS);
}

/* Read a pipe to its end.  A signal that asks us to stop is forwarded to the child that writes the pipe; a
 * signal from a terminal has reached it already.  With child 0 it ends the reading. */
static int read_all(struct text *t, int fd, pid_t child)
{
	struct pollfd pfd = {.fd = fd, .events = POLLIN};
	unsigned stops = signals_stops();
	int error = 0;

	do {
		signals_wait(&pfd, 1, UINT64_MAX);
		if (child == 0 && stops != signals_stops())
			return EINTR;
		for (; stops != signals_stops(); stops++)
			kill(child, SIGTERM);
	} while (pfd.revents == 0 || text_read(t, fd, &error));
	return error;
}

/* Read the report of stats on a COMMAND.  Returns 0 or an errno value; *status is that of stats. */
static int stats_of_command(struct text *t, char *const *command, const struct options *options, int *status)
{
	int pipes[2], how = 0;

	if (pipe2(pipes, O_CLOEXEC) != 0)
		return errno;
	pid_t child = fork();
	if (child == 0)
		become_stats(pipes[1], command, options);
	int error = child < 0 ? errno : 0;
	close(pipes[1]);
	if (child > 0) {
		error = read_all(t, pipes[0], child);
		close(pipes[0]);
		while (waitpid(child, &how, 0) < 0 && errno == EINTR)
			;
	} else {
		close(pipes[0]);
	}
	*status = WIFEXITED(how) ? WEXITSTATUS(how) : 128 + WTERMSIG(how);
	return error;
}

/* Return whether a file begins like text: rings and traces have a NUL among their first bytes. */
static bool is_text(int fd)
{
	char start[64];
	ssize_t len = pread(fd, start, sizeof(start), 0);

	return len >= 0 && memchr(start, '\0', (size_t)len) == NULL;
}

/* Read a report from a pipe or FIFO.  Returns 0 or an errno value. */
static int pipe_read(struct text *t, const char *path)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	int error = fd < 0 || fstat(fd, &st) != 0 ? errno : S_ISFIFO(st.st_mode) ? 0 : EINVAL;

	if (error == 0)
		error = read_all(t, fd, 0);
	if (fd >= 0)
		close(fd);
	return error;
}

int report_of_file(
    struct diff_figures *out, const char *path, const struct options *options, bool *incomplete)
{
	struct text t = {0};
	struct target_file file;
	struct stat st;
	int status = EXIT_DONE, error = 0;

	*out = (struct diff_figures){0};
	target_file_open(&file, path);
	if (file.status == RTEV_E_NOT_REGULAR && stat(path, &st) == 0 && S_ISFIFO(st.st_mode)) {
		error = pipe_read(&t, path);
	} else if (file.status != RTEV_OK) {
		return say(
		    "Give reports of stats --json, ring files, or recordings; or two COMMANDs after --.",
		    "could not read %s: %s", path, rtev_strerror(file.status));
	} else if (is_text(file.fd)) {
		while (text_read(&t, file.fd, &error))
			;
	} else if (target_file_refuse(&file, false, &fail_report)) {
		status = EXIT_FAILED;
	} else {
		error = stats_of_file(&t, &file, options, &status);
	}
	target_file_close(&file);
	if ((error == 0 && t.len != 0) || ((error == 0 || error == EFBIG) && status == EXIT_DONE)) {
		*incomplete |= status != EXIT_DONE;
		status = report_of_text(out, &t, path, true);
		if (status == EXIT_DONE && !figures_recorded(out))
			say(NULL, "nothing was recorded in %s: its process alone is compared", path);
		return status;
	}
	free(t.bytes);
	if (error == EINTR)
		say(NULL, "interrupted: nothing is compared");
	/* Otherwise stats has reported the reason. */
	else if (error != 0)
		say(NULL, "could not read %s: %s", path, strerror(error));
	return EXIT_FAILED;
}

int report_of_command(struct diff_figures *out, char *const *command, const struct options *options)
{
	struct text t = {0};
	int status = EXIT_FAILED;

	*out = (struct diff_figures){0};
	int error = stats_of_command(&t, command, options, &status);
	if (error == 0 && status == EXIT_DONE) {
		status = report_of_text(out, &t, command[0], false);
		if (status != EXIT_DONE || figures_recorded(out))
			return status;
		diff_figures_fini(out);
		say(NULL, "nothing is judged: %s recorded nothing", command[0]);
		return EXIT_FAILED;
	}
	if (error != 0)
		say(NULL, "could not run %s: %s", command[0], strerror(error));
	else if (signals_stops_now() == 0 && (status < EXIT_OURS || status > EXIT_NOT_FOUND))
		say(NULL, "%s failed: status %d", command[0], status);
	free(t.bytes);
	if (error != 0)
		return EXIT_OURS;
	return status >= EXIT_OURS && status <= EXIT_NOT_FOUND ? status : EXIT_FAILED;
}
