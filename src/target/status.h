/*
 * status.h - what the kernel says of a process in /proc/PID/stat and /proc/PID/status.
 *
 * Times are in clock ticks, as the kernel counts them; status_ticks_per_second tells how many make a second.
 * The parsers take any bytes.
 */
#ifndef TARGET_STATUS_H
#define TARGET_STATUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "target/proc.h"

#define STATUS_NAME_SIZE 68
#define STATUS_GROUPS_MAX 256
#define STATUS_NOBODY 65534

/* From /proc/PID/stat. */
struct status_stat {
	pid_t pid;
	char state;
	char name[STATUS_NAME_SIZE]; /* untrusted bytes */
	uint64_t
	    user_ticks; /* processor time: of all threads, or where the file is a thread's, of that one; likewise */
	uint64_t system_ticks;
	uint64_t cpu_ticks; /* both */
	uint64_t minor_faults, major_faults;
	uint64_t threads;
	uint64_t parent; /* its pid */
	uint64_t resident_pages;
	uint64_t start_ticks; /* since the machine started */
	uint64_t stack;	      /* where the main stack begins: 0 when we may not know */
};

/* From /proc/PID/status. */
struct status_ids {
	pid_t tgid;   /* the process, when the pid was that of a thread; 0 when not told */
	pid_t ns_pid; /* as the process itself sees it; 0 when not told */
	uid_t uid;    /* effective */
	uid_t real_uid;
	bool has_uid;
	gid_t gid; /* effective; of nobody when not told */
	gid_t real_gid;
	unsigned group_count;
	gid_t groups[STATUS_GROUPS_MAX]; /* further ones are left out */
};

/* Parse the line of /proc/PID/stat.  False when it is not one. */
bool status_parse_stat(const char *text, size_t len, struct status_stat *out);

/* Parse /proc/PID/status; what is not there is left as not told. */
void status_parse_ids(const char *text, size_t len, struct status_ids *out);

/* Read both kinds from the process.  0, ESRCH, or another errno value. */
int status_read_stat(const struct proc *proc, struct status_stat *out);
int status_read_ids(const struct proc *proc, struct status_ids *out);

/* Read the stat of a process that runs, by its pid and a descriptor of /proc: three system calls.  False when there is none. */
bool status_read_pid(int proc, pid_t pid, struct status_stat *out);

/* Whether a process in this state has ended and only waits to be collected. */
bool status_ended(const struct status_stat *stat);

/* Whether a process in this state is stopped, by a signal or by who traces it. */
bool status_stopped(const struct status_stat *stat);

/* Never 0. */
uint64_t status_ticks_per_second(void);

/* Clock ticks in nanoseconds. */
uint64_t status_ticks_ns(uint64_t ticks);

#endif
