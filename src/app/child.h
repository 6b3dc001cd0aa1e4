/*
 * child.h - COMMAND: a program started with runtime events on, the directory its ring appears in, and its end.
 *
 * The directory is a private one that is removed afterwards, unless the user's environment names one, where rings of others may
 * stand: COMMAND is known by a mark in its environment.  OCAMLRUNPARAM is left
 * as it is.
 */
#ifndef APP_CHILD_H
#define APP_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define CHILD_RINGS_MAX 64 /* further ones are not looked for */

struct child {
	pid_t pid;
	int pidfd; /* readable once it has ended; -1 where the kernel has none */
	bool ended;
	int wait_status;
	char dir[4096]; /* where rings appear */
	bool own_dir;	/* made by us */
	bool preserve;	/* the user asked to keep ring files */
	int notify;	/* inotify on dir, -1 where there is none */
	int output; /* read end of its output when captured; -1 else, and once nobody can write to it any more */
	int64_t since;			/* CLOCK_REALTIME in ns: older files in dir are not its */
	char mark[48];			/* in its environment, and so in that of what it starts */
	int64_t rings[CHILD_RINGS_MAX]; /* pids of those that were found, the followed one first */
	unsigned ring_count;
};

enum child_output {
	CHILD_OUTPUT_OURS,   /* its standard output is ours */
	CHILD_OUTPUT_STDERR, /* its standard output goes to our standard error */
	CHILD_OUTPUT_CAPTURE /* both go to `output`; it reads nothing from our terminal */
};

/* Start it.  0, or an exit status after the reason was reported: 125 ours, 126 can't be run, 127 not found. */
int child_start(struct child *child, char **argv, enum child_output output);

/* Look for the first ring in its directory that is of COMMAND or of what it started and that child_took_ring has not been told
 * of; false when there is none.  *pid is the number in the file's name. */
bool child_find_ring(struct child *child, char *path, size_t size, int64_t *pid);

/* Whether something in the directory has changed since the last look; true where that can't be told. */
bool child_dir_changed(struct child *child);

/* Remember a ring that was found. */
void child_took_ring(struct child *child, int64_t pid);

/* Collect its end if it has come.  Returns child->ended. */
bool child_poll(struct child *child);

/* Take some of what it has printed, at most `size` bytes; 0 when there is nothing now.  At its end `output` is closed. */
size_t child_take_output(struct child *child, void *data, size_t size);

/* Its exit status as a shell gives it: 128+signal when it was killed. */
int child_exit_status(const struct child *child);

/* Remove the private directory, or in the user's the ring that was followed (NULL: none was) and those of what COMMAND started
 * that have ended; close what was opened. */
void child_fini(struct child *child, const char *ring_path);

#endif
