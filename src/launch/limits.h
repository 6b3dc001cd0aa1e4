/* limits.h - what this process requests from the kernel for itself, and undoes for a COMMAND. */
#pragma once

/* Raise the soft limit on open descriptors to the hard one: each observed target holds several, and the usual
 * 1024 only protects programs that use select. */
void descriptors_raise(void);

/* Restore the limit in a child before it executes another program. */
void descriptors_restore(void);

/*
 * Request the shortest scheduler slices, so that the calling thread runs soon after it wakes up even beside
 * busy threads.  Its share of the processor stays unchanged.  Has no effect before Linux 6.12.  Threads and
 * processes that the thread creates inherit it.
 */
void slice_shorten(void);
