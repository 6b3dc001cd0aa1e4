/* memtrace_path.c - the memtrace file of a process. */
#include "target/memtrace_path.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "core/files.h"
#include "target/processes.h"

/* A process that started this much later than a trace did not write it; clocks may have been adjusted. */
#define LATER_US 60000000

void traced_by_path(struct traced *traced, const char *path)
{
	*traced = (struct traced){.base = AT_FDCWD};
	strlcpy(traced->path, path, sizeof traced->path);
	strlcpy(traced->shown, path, sizeof traced->shown);
}

/* Read MEMTRACE from the environment. */
static int read_environment(const struct proc *proc, char path[PROC_PATH_SIZE])
{
	char *text = NULL;
	size_t len = 0;
	int error = proc_slurp(proc, "environ", PROC_ENVIRON_MAX, &text, &len);

	if (error != 0)
		return error;
	struct word word = words_value(text, len, "MEMTRACE");
	if (word.text == NULL || word.len == 0)
		error = ENOENT;
	else if (word_copy(word, path, PROC_PATH_SIZE) > PROC_PATH_SIZE)
		error = ENAMETOOLONG;
	free(text);
	return error;
}

/* Open the directory that a relative path starts from. */
static int find_base(struct traced *traced, const struct proc *proc)
{
	bool absolute = traced->path[0] == '/';
	char cwd[PROC_PATH_SIZE];

	traced->confined = proc_foreign_paths(proc);
	if (absolute && !traced->confined)
		return 0;
	traced->base = openat(proc->dir, absolute ? "root" : "cwd", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (traced->base < 0)
		return errno;
	if (!absolute && proc_link(proc, "cwd", cwd, sizeof cwd) == 0 &&
	    snprintf(traced->shown, sizeof traced->shown, "%s/%s", cwd, traced->path) >=
		(int)sizeof traced->shown)
		strlcpy(traced->shown, traced->path, sizeof traced->shown);
	return 0;
}

int traced_by_process(struct traced *traced, const char *proc_root, pid_t pid)
{
	struct proc proc;

	*traced = (struct traced){.base = AT_FDCWD};
	int error = proc_open(&proc, proc_root, pid);
	if (error != 0)
		return error;
	identity_read(&traced->user, &proc);
	error = read_environment(&proc, traced->path);
	if (error == 0) {
		strlcpy(traced->shown, traced->path, sizeof traced->shown);
		error = find_base(traced, &proc);
	}
	proc_close(&proc);
	return error;
}

void traced_close(struct traced *traced)
{
	if (traced->base >= 0)
		close(traced->base);
	*traced = (struct traced){.base = AT_FDCWD};
}

int traced_open(const struct traced *traced, struct stat *st, int *fd)
{
	return identity_open(&traced->user, traced->base, traced->path, traced->confined, st, fd);
}

/* Whether the pid of the trace now belongs to another process: start time and name differ. */
static bool is_other(const struct status_stat *stat, const struct rtev_memtrace_info *info)
{
	const char *name = path_base(info->executable_name);
	double began;

	/* The kernel truncates names to 15 bytes. */
	return process_began(stat->start_ticks, &began) &&
	       began * 1e6 - (double)info->start_time > LATER_US && strncmp(stat->name, name, 15) != 0;
}

bool traced_ended(const struct rtev_memtrace_info *info, const char *proc_root)
{
	char host[256] = "";
	struct status_stat stat;
	struct proc proc;

	if (gethostname(host, sizeof host - 1) != 0 || strcmp(host, info->host_name) != 0 || info->pid <= 0 ||
	    info->pid > INT_MAX)
		return false;
	int error = proc_open(&proc, proc_root, (pid_t)info->pid);
	/* /proc may hide a process of another user; kill finds it. */
	if (error != 0)
		return error == ESRCH &&
		       (proc_root != NULL || (kill((pid_t)info->pid, 0) != 0 && errno == ESRCH));
	error = status_read_stat(&proc, &stat);
	proc_close(&proc);
	return error == ESRCH || (error == 0 && (status_ended(&stat) || is_other(&stat, info)));
}
