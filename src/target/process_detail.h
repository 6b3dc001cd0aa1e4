/*
 * process_detail.h - what is told of a listed process besides its ring: its parent, its command line, when it
 * began, and what to do about a ring that can't be read.
 */
#ifndef TARGET_PROCESS_DETAIL_H
#define TARGET_PROCESS_DETAIL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "target/processes.h"

#define PROCESS_COMMAND_SIZE 4096

struct process_detail {
	int64_t parent;			    /* its pid; 0: none, or not known */
	uint64_t start_ticks;		    /* since boot; 0: not known */
	char command[PROCESS_COMMAND_SIZE]; /* words joined by blanks, unsanitised; "": not known */
};

/* Read it.  `proc_root` NULL: /proc.  What can't be read is not known. */
void process_detail_read(struct process_detail *out, const char *proc_root, pid_t pid);

/* The wall clock, in seconds since 1970 UTC, of ticks since boot.  False when it can't be told. */
bool process_began(uint64_t start_ticks, double *seconds);

/* How to get the events of a process that has no readable ring; NULL when there is no way, or no need.
 * Static storage. */
const char *process_remedy(enum process_state state);

/* ---- namespace pid ---- */

/*
 * Pids of other pid namespaces.
 *
 * The events of a process in a container contain pids of its own namespace.
 */

/* The pid in our namespace of the process that process `of` knows as `inner`.  Returns 0 if there is none, or
 * if that may not be read.  `proc_root` NULL: /proc. */
pid_t inner_pid(const char *proc_root, pid_t of, pid_t inner);

#endif
