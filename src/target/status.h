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

/* Contents of /proc/PID/stat. */
struct status_stat {
	pid_t pid;
	char state;
	char name[STATUS_NAME_SIZE]; /* cut by the kernel, unsanitised; see status_program */
	/* CPU time of all threads, or of one thread if the file is a thread's */
	uint64_t user_ticks;
	uint64_t system_ticks;
	uint64_t cpu_ticks; /* user and system */
	uint64_t minor_faults, major_faults;
	uint64_t threads;
	uint64_t parent; /* pid of the parent */
	uint64_t resident_pages;
	uint64_t start_ticks; /* ticks since boot */
	uint64_t stack;	      /* start of the main stack; 0: may not be read */
	uint64_t flags;	      /* flags of the kernel (PF_*) */
};

/* The kernel's flag of its own threads (PF_KTHREAD): they have neither memory nor a program. */
#define STATUS_FLAG_KERNEL 0x200000u

/* Contents of /proc/PID/status. */
struct status_ids {
	pid_t tgid;   /* the process, if the pid was a thread's; 0: not stated */
	pid_t ns_pid; /* in its own namespace; 0: not stated */
	uid_t uid;    /* effective */
	uid_t real_uid;
	bool has_uid;
	gid_t gid; /* effective; nobody's if not stated */
	gid_t real_gid;
	unsigned group_count;
	gid_t groups[STATUS_GROUPS_MAX]; /* further ones are omitted */
};

/* Parse the line of /proc/PID/stat.  Returns false if it is invalid. */
bool status_parse_stat(const char *text, size_t len, struct status_stat *out);

/* Parse /proc/PID/status.  Missing fields count as not stated. */
void status_parse_ids(const char *text, size_t len, struct status_ids *out);

/* Contents of /proc/PID/task/TID/syscall: where a thread is. */
struct status_place {
	bool running; /* running or ready to run; the other members are then not known */
	int number;   /* number of the system call that it is in; -1: none */
	uint64_t arguments[6];
	uint64_t sp, ip; /* 0: the kernel's values are invalid */
};

/* Parse the kernel's file "syscall" of a thread, a string.  Returns false, with all zero, if it is
 * invalid. */
bool status_parse_place(const char *text, struct status_place *out);

/* Read the place of a thread.  Returns 0, EAGAIN if it is invalid, ESRCH or ENOENT if there is no such
 * thread, or another errno value. */
int status_read_place(const struct proc *proc, pid_t tid, struct status_place *out);

/* Read the structures from a process.  They return 0, ESRCH or another errno value. */
int status_read_stat(const struct proc *proc, struct status_stat *out);
int status_read_ids(const struct proc *proc, struct status_ids *out);
int status_read_thread(const struct proc *proc, pid_t tid, struct status_ids *out);

/* Store the name of the program of this stat, unsanitised.  If the kernel has cut it, this is the base name
 * of the executed file. */
void status_program(const struct proc *proc, const struct status_stat *stat, char name[STATUS_PROGRAM_SIZE]);

/* Read the stat of a running process by its pid and a descriptor of /proc, with three system calls.  Returns
 * false if there is none. */
bool status_read_pid(int proc, pid_t pid, struct status_stat *out);

/* Whether the process has ended and its parent has not waited for it yet. */
bool status_ended(const struct status_stat *stat);

/* Whether the process is stopped by a signal or a tracer. */
bool status_stopped(const struct status_stat *stat);

/* Return the number of clock ticks per second, never 0. */
uint64_t status_ticks_per_second(void);

/* Clock ticks in nanoseconds. */
uint64_t status_ticks_ns(uint64_t ticks);
