/*
 * alive.h - is the target still there, is it the same, and for how long.
 *
 * A process is known by its pid and the time it began, so that another one under the same number is not taken
 * for it.  Where the kernel has pidfds, the end can be waited for; else it is asked for.  An exec keeps the
 * process and replaces its program: that is seen by another program file or another stack.
 */
#ifndef TARGET_ALIVE_H
#define TARGET_ALIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define ALIVE_NAME_SIZE 68
#define ALIVE_COMMAND_SIZE 1024

struct alive;

/* What the process is called; untrusted bytes. */
struct alive_names {
	char name[ALIVE_NAME_SIZE];
	char command[ALIVE_COMMAND_SIZE]; /* with its arguments, cut to the size */
};

enum alive_state {
	ALIVE_RUNNING,
	ALIVE_EXECED, /* running, with another program since the last call that said so; an exec caught in the
			 middle is told twice */
	ALIVE_ENDED
};

/*
 * Watch a process.  `proc_root` NULL: /proc.  `start_ticks` is when it began as located.start_ticks has it, 0:
 * not known.  0; ESRCH when it has ended or is another one; another errno value.
 */
int alive_create(struct alive **out, const char *proc_root, pid_t pid, uint64_t start_ticks);
void alive_destroy(struct alive *alive);

/* A descriptor that polls as readable once the process has ended, or -1: then call alive_check now and then.
 * Owned by the handle. */
int alive_fd(const struct alive *alive);

/* Ask now. */
enum alive_state alive_check(struct alive *alive);

/* Seconds since the process began; stops once alive_check has seen that it ended. */
uint64_t alive_uptime(struct alive *alive);

/* What a process is doing. */
struct alive_activity {
	uint64_t cpu_ns; /* processor time it has used, all threads together */
	bool stopped;	 /* by a signal, or by who traces it */
};

/* False when that can't be read. */
bool alive_activity(struct alive *alive, struct alive_activity *out);

/* What it is called; read when created and after an exec. */
const struct alive_names *alive_names(const struct alive *alive);

pid_t alive_pid(const struct alive *alive);

#endif
