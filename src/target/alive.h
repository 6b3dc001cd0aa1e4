/*
 * alive.h - watch a process: whether it runs, which program it runs, for how long.
 *
 * A process is identified by its pid and its start time, so that another process with a reused pid is not
 * mistaken for it.  With pidfds its end can be polled; without, ask with alive_check.  An exec replaces the
 * program of a process: it shows as another program file or another stack.
 */
#pragma once

#include <sys/types.h>

#include "target/status.h"

#define ALIVE_COMMAND_SIZE 1024

struct alive;

/* The names of a process, unsanitised. */
struct alive_names {
	char name[STATUS_PROGRAM_SIZE];
	char command[ALIVE_COMMAND_SIZE]; /* command line, truncated */
};

enum alive_state {
	ALIVE_RUNNING,
	/* Running, and has executed another program since the last ALIVE_EXECED.  An exec seen half-way is
	 * reported twice. */
	ALIVE_EXECED,
	ALIVE_ENDED
};

/*
 * Watch a process.  `proc_root` NULL: /proc.  `start_ticks` is its start time as in struct located; 0:
 * unknown.  Returns 0, ESRCH if it has ended or is another process, or another errno value.
 */
int alive_create(struct alive **out, const char *proc_root, pid_t pid, uint64_t start_ticks);
void alive_destroy(struct alive *alive);

/* Return a descriptor that is readable once the process has ended; -1: there is none, so call alive_check
 * regularly.  The handle owns it. */
int alive_fd(const struct alive *alive);

/* Check the process now. */
enum alive_state alive_check(struct alive *alive);

/* Return the seconds since the process started, up to its end once alive_check has seen it. */
uint64_t alive_uptime(struct alive *alive);

struct alive_activity {
	uint64_t cpu_ns; /* CPU time of all threads */
	bool stopped;	 /* stopped by a signal or a tracer */
};

/* Read the activity of the process.  Returns false if it can't be read. */
bool alive_activity(struct alive *alive, struct alive_activity *out);

/* Return the names, which are read at creation and after an exec. */
const struct alive_names *alive_names(const struct alive *alive);

pid_t alive_pid(const struct alive *alive);
