/*
 * traced.c - see traced.h.
 */
#include "target/traced.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "target/words.h"

/* Name a file that the user gave. */
void traced_by_path(struct traced *traced, const char *path)
{
	*traced = (struct traced){.base = AT_FDCWD};
	strlcpy(traced->path, path, sizeof traced->path);
	strlcpy(traced->shown, path, sizeof traced->shown);
}

/* Read MEMTRACE. */
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

/* Find the directory that the path goes by. */
static int find_base(struct traced *traced, const struct proc *proc)
{
	bool absolute = traced->path[0] == '/';
	char cwd[PROC_PATH_SIZE];

	traced->confined = proc_foreign_mounts(proc) || proc_foreign_root(proc);
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

/* Find out what a process writes. */
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

/* Close the descriptor. */
void traced_close(struct traced *traced)
{
	if (traced->base >= 0)
		close(traced->base);
	*traced = (struct traced){.base = AT_FDCWD};
}

/* Open the file. */
int traced_open(const struct traced *traced, struct stat *st, int *fd)
{
	return identity_open(&traced->user, traced->base, traced->path, traced->confined, st, fd);
}
