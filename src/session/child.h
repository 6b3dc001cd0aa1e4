/*
 * child.h - COMMAND: a program started with runtime events on, the directory its ring appears in, and its end.
 *
 * The directory is a private one that is removed afterwards, unless the user's environment names one, where rings of others may
 * stand: COMMAND is known by a mark in its environment.  OCAMLRUNPARAM is left as it is.
 *
 * A ring is opened in the directory's descriptor, judged by its own, and removed only as long as its name stands for the same file.
 */
#ifndef SESSION_CHILD_H
#define SESSION_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "session/private_dir.h"
#include "session/reporter.h"

#define CHILD_RINGS_MAX 64 /* further ones are not looked for */

/* A ring that was found. */
struct child_ring {
	int64_t pid; /* the number in its file's name */
	dev_t device;
	ino_t inode;
};

struct child {
	const char *name; /* as it was called */
	pid_t pid;
	int pidfd; /* readable once it has ended; -1 where the kernel has none */
	bool ended;
	bool passes_term;
	int wait_status;
	char dir[4096]; /* where rings appear */
	int folder;	/* dir as it was when last looked into, -1 when it was not there */
	bool own_dir;	/* made by us: */
	struct private_dir own;
	bool preserve; /* the user asked to keep ring files */
	int notify;    /* inotify on dir, -1 where there is none */
	int output; /* read end of its output when captured; -1 else, and once nobody can write to it any more */
	int64_t since;				  /* CLOCK_REALTIME in ns: older files in dir are not its */
	char mark[48];				  /* in its environment, and so in that of what it starts */
	struct child_ring rings[CHILD_RINGS_MAX]; /* those that were taken, the followed one first */
	unsigned ring_count;
};

enum child_output {
	CHILD_OUTPUT_OURS,   /* its standard output is ours */
	CHILD_OUTPUT_STDERR, /* its standard output goes to our standard error */
	CHILD_OUTPUT_CAPTURE /* both go to `output`; it reads nothing from our terminal */
};

struct child_options {
	char **argv; /* the program and its arguments, NULL-terminated */
	enum child_output output;
	const char *rings;     /* the user's directory of rings; NULL or "": a private one in `temporary` */
	const char *temporary; /* where private directories are made */
	bool keep;	       /* ring files are left where they are at the end */
	bool passes_term;      /* a SIGTERM that we get goes on to it, see signals_pass_term */
	/* Name of a variable that tells COMMAND our pid.  Such a COMMAND ends with us, and removes its ring itself.  NULL: any other. */
	const char *ours_variable;
	const struct reporter *report;
};

/* Start it.  0, or an exit status after the reason was reported: EXIT_OURS, EXIT_NOT_RUN or EXIT_NOT_FOUND.  argv outlives `child`. */
int child_start(struct child *child, const struct child_options *options);

/* Look for the first ring in its directory that is of COMMAND or of what it started and that child_took_ring has not been told
 * of.  Returns its descriptor, open for reading, or -1. */
int child_find_ring(struct child *child, struct child_ring *ring);

/* Open the followed ring once more, of which the file may be another one by now.  Returns its descriptor, or -1. */
int child_open_ring(struct child *child);

/* The path of a ring, for people. */
void child_ring_path(const struct child *child, const struct child_ring *ring, char *path, size_t size);

/* Whether something in the directory has changed since the last look; true where that can't be told. */
bool child_dir_changed(struct child *child);

/* Remember a ring that was found. */
void child_took_ring(struct child *child, const struct child_ring *ring);

/* Collect its end if it has come.  Returns child->ended. */
bool child_poll(struct child *child);

/* Take some of what it has printed, at most `size` bytes; 0 when there is nothing now.  At its end `output` is closed. */
size_t child_take_output(struct child *child, void *data, size_t size);

/* Its exit status as a shell gives it: 128+signal when it was killed. */
int child_exit_status(const struct child *child);

/* The signal that ended it, 0 for none. */
int child_signal(const struct child *child);

/* Remove the private directory, or in the user's the ring that was followed and those of what COMMAND started that have ended; close
 * what was opened. */
void child_fini(struct child *child);

#endif
