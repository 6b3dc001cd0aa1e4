/*
 * slice_private.h - what the kernel knows of a thread's slices, for slice.c and its test.
 */
#ifndef SESSION_SLICE_PRIVATE_H
#define SESSION_SLICE_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The kernel's struct sched_attr, which not every libc has. */
struct slice_attr {
	uint32_t size, policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime; /* of SCHED_OTHER: the slice in ns; 0 before Linux 6.12 */
	uint64_t deadline, period;
};

/* Read those of the calling thread.  False if the kernel does not tell them. */
static inline bool slice_attr_get(struct slice_attr *out)
{
	*out = (struct slice_attr){.size = sizeof(*out)};
	return syscall(SYS_sched_getattr, 0, out, sizeof(*out), 0) == 0;
}

#endif
