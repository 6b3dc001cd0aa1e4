/*
 * forbid.h - a process whose kernel refuses a system call, such as perf events in a container.
 */
#pragma once

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The status of a process that could not be kept from them: there are no filters of system calls. */
#define FORBID_NO_FILTER 3

/* Have the kernel refuse a call from here on, in this thread and those that it starts, or end with FORBID_NO_FILTER. */
static inline void forbid(unsigned call, int error)
{
	struct sock_filter program[] = {
	    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),
	    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)error),
	    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog filter = {.len = sizeof(program) / sizeof(program[0]), .filter = program};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0)
		_exit(FORBID_NO_FILTER);
}

static inline void forbid_perf(int error)
{
	forbid(SYS_perf_event_open, error);
}
