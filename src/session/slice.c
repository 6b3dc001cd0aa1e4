/*
 * slice.c - the scheduler's slices of the calling thread.
 */
#include "session/slice.h"

#include <sched.h>

#include "session/slice_private.h"

/* The shortest slice that the kernel gives. */
#define SLICE_NS 100000u

void slice_shorten(void)
{
	struct slice_attr attr;

	if (!slice_attr_get(&attr) || attr.policy != SCHED_OTHER)
		return;
	attr.size = sizeof(attr);
	attr.runtime = SLICE_NS;
	(void)syscall(SYS_sched_setattr, 0, &attr, 0);
}
