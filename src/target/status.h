/*
 * status.h - parse /proc/PID/stat and /proc/PID/status.
 *
 * Times are in clock ticks; see status_ticks_per_second.  The parsers accept any bytes.
 */
#pragma once

#include <sys/types.h>

#include "target/proc.h"

#define STATUS_NAME_SIZE 68
#define STATUS_PROGRAM_SIZE 256
#define STATUS_GROUPS_MAX 256
#define STATUS_NOBODY 65534

/* From /proc/PID/stat. */
struct status_stat {
	pid_t pid;
	char state;
	char name[STATUS_NAME_SIZE]; /* as the kernel cuts it, unsanitised; status_program has all of it */
	/* CPU time of all threads, or of one thread if the file is a thread's */
	uint64_t user_ticks;
	uint64_t system_ticks;
	uint64_t cpu_ticks; /* both */
	uint64_t minor_faults, major_faults;
	uint64_t threads;
	uint64_t parent; /* its pid */
	uint64_t resident_pages;
	uint64_t start_ticks; /* since boot */
	uint64_t stack;	      /* start of the main stack; 0: may not be read */
	uint64_t flags;	      /* of the kernel */
};

/* The kernel's flag of its own threads (PF_KTHREAD): they have neither memory nor a program. */
#define STATUS_FLAG_KERNEL 0x200000u

/* From /proc/PID/status. */
struct status_ids {
	pid_t tgid;   /* the process, if the pid was a thread's; 0: not stated */
	pid_t ns_pid; /* as the process itself sees it; 0: not stated */
	uid_t uid;    /* effective */
	uid_t real_uid;
	bool has_uid;
	gid_t gid; /* effective; of nobody if not stated */
	gid_t real_gid;
	unsigned group_count;
	gid_t groups[STATUS_GROUPS_MAX]; /* further ones are omitted */
};

/* Parse the line of /proc/PID/stat.  Returns false if it is invalid. */
bool status_parse_stat(const char *text, size_t len, struct status_stat *out);

/* Parse /proc/PID/status.  Missing fields count as not stated. */
void status_parse_ids(const char *text, size_t len, struct status_ids *out);

/* From /proc/PID/task/TID/syscall: where a thread is. */
struct status_place {
	bool running; /* on a processor, or ready; nothing else is known then */
	int number;   /* of the system call that it is in; -1: none */
	uint64_t arguments[6];
	uint64_t sp, ip; /* 0: what the kernel tells makes no sense */
};

/* Parse the kernel's file "syscall" of a thread, a string.  False, with all zero, if it is none. */
bool status_parse_place(const char *text, struct status_place *out);

/* Read it.  0, EAGAIN if it makes no sense, ESRCH or ENOENT if there is no such thread, or another errno value. */
int status_read_place(const struct proc *proc, pid_t tid, struct status_place *out);

/* Read them from a process.  Return 0, ESRCH or another errno value. */
int status_read_stat(const struct proc *proc, struct status_stat *out);
int status_read_ids(const struct proc *proc, struct status_ids *out);
int status_read_thread(const struct proc *proc, pid_t tid, struct status_ids *out);

/* The name of the program whose stat this is, unsanitised: where the kernel has cut it, the base name of what
 * was executed. */
void status_program(const struct proc *proc, const struct status_stat *stat, char name[STATUS_PROGRAM_SIZE]);

/* Read the stat of a running process by its pid and a descriptor of /proc, with three system calls.  Returns
 * false if there is none. */
bool status_read_pid(int proc, pid_t pid, struct status_stat *out);

/* Whether the process has ended and was not waited for. */
bool status_ended(const struct status_stat *stat);

/* Whether the process is stopped by a signal or a tracer. */
bool status_stopped(const struct status_stat *stat);

/* Never 0. */
uint64_t status_ticks_per_second(void);

/* Clock ticks in nanoseconds. */
uint64_t status_ticks_ns(uint64_t ticks);
