/*
 * child.h - COMMAND: a program started with runtime events on, the directory of its ring, and its end.
 *
 * The directory is a private one that is removed afterwards, unless the user's environment names one.  A
 * directory of the user may hold rings of other processes, so COMMAND is recognised by a mark in its
 * environment.  OCAMLRUNPARAM is not changed.
 *
 * A ring is opened relative to the directory's descriptor and checked by its own descriptor.  It is removed
 * only while its name still refers to that file.
 */
#pragma once

#include <sys/types.h>

#include "launch/private_dir.h"
#include "launch/reporter.h"

#define CHILD_RINGS_MAX 64 /* further rings are ignored */

struct child_ring {
	int64_t pid; /* from its file name */
	dev_t device;
	ino_t inode;
};

struct child {
	const char *name; /* argv[0] */
	pid_t pid;
	int pidfd; /* readable once COMMAND has ended; -1 without kernel support */
	bool ended;
	bool passes_term;
	int wait_status;
	uint64_t user_ns, system_ns; /* of COMMAND and what it waited for, once it has ended */
	char dir[4096];		     /* the directory of the rings */
	size_t root;		     /* bytes of `dir` that name the root of COMMAND, 0: it has ours */
	int folder;		     /* descriptor of `dir` as last opened, -1 if there was none */
	bool own_dir;		     /* `dir` is the private directory `own` */
	struct private_dir own;
	bool preserve; /* the user wants ring files kept */
	int notify;    /* inotify descriptor of `dir`, -1 without kernel support */
	int output;    /* read end of COMMAND's captured output; -1 if not captured, and after its end */
	int64_t since; /* CLOCK_REALTIME in ns; older files in `dir` are of other processes */
	char mark[48]; /* value of an environment variable that COMMAND and its children inherit */
	struct child_ring rings[CHILD_RINGS_MAX]; /* rings that were taken; the followed one first */
	unsigned ring_count;
};

enum child_output {
	CHILD_OUTPUT_OURS,   /* standard output is inherited */
	CHILD_OUTPUT_STDERR, /* standard output goes to our standard error */
	CHILD_OUTPUT_CAPTURE /* both outputs go to child.output; standard input is /dev/null */
};

struct child_options {
	char **argv; /* program and arguments, NULL-terminated */
	enum child_output output;
	const char *rings; /* the user's directory of rings; NULL or "": make a private one in `temporary` */
	const char *temporary; /* parent of private directories */
	bool keep;	       /* leave ring files where they are */
	bool passes_term;      /* a SIGTERM that we get goes on to COMMAND, see signals_pass_term */
	/* Name of an environment variable that tells COMMAND our pid.  Such a COMMAND is ours: it ends with
	 * us and removes its ring itself.  NULL: a COMMAND of the user. */
	const char *ours_variable;
	const struct reporter *report;
};

/* Start COMMAND.  Returns 0, or EXIT_OURS, EXIT_NOT_RUN or EXIT_NOT_FOUND after reporting why. argv must
 * outlive `child`. */
int child_start(struct child *child, const struct child_options *options);

/* Find the oldest ring in the directory that belongs to COMMAND or to a process that it started and that was not
 * passed to child_took_ring; COMMAND's own before all others.  Returns a descriptor open for reading, or -1. */
int child_find_ring(struct child *child, struct child_ring *ring);

/* Open the followed ring again; its file may have been replaced.  Returns a descriptor, or -1. */
int child_open_ring(struct child *child);

/* Format the path of a ring for messages. */
void child_ring_path(const struct child *child, const struct child_ring *ring, char *path, size_t size);

/* Whether the directory has changed since the last call.  Always true without inotify. */
bool child_dir_changed(struct child *child);

/* Whether COMMAND runs with another directory of rings than the one it was given, as after `env
 * OCAML_RUNTIME_EVENTS_DIR=DIR prog`; `dir` gets it. */
bool child_other_dir(const struct child *child, char *dir, size_t size);

/* Record that a ring was taken. */
void child_took_ring(struct child *child, const struct child_ring *ring);

/* Collect the exit status if COMMAND has ended.  Returns child->ended. */
bool child_poll(struct child *child);

/* Read up to `size` bytes of captured output.  Returns 0 if there is none now; at the end of file, closes
 * `output`. */
size_t child_take_output(struct child *child, void *data, size_t size);

/* Which ring of COMMAND was seen: none, one that was read, or none, but it was reported to be in another directory. */
enum child_ring_seen { CHILD_RING_NONE, CHILD_RING_READ, CHILD_RING_ELSEWHERE };

/* Report how COMMAND, started with these options, has ended: if no ring was seen, why, first causes that can be seen,
 * then guesses; else a signal that it died of. */
void child_explain_end(
    const struct child *child, const struct child_options *options, enum child_ring_seen seen);

/* The exit status as a shell reports it: 128 + signal if a signal ended COMMAND. */
int child_exit_status(const struct child *child);

/* The signal that ended COMMAND, 0 for none. */
int child_signal(const struct child *child);

/* Remove the private directory; from the user's directory remove the followed ring and those of ended
 * processes of COMMAND.  Close all descriptors. */
void child_fini(struct child *child);
