/*
 * system_threads.h - the threads of a process in its samples: times, run-queue delay, context switches.
 *
 * Up to SYSTEM_THREADS_AT_ONCE threads are read in each sample; if there are more, they are read in turns, by
 * tid.
 */
#ifndef TARGET_SYSTEM_THREADS_H
#define TARGET_SYSTEM_THREADS_H

#include "target/proc.h"
#include "target/system.h"

struct system_threads;

/* Returns NULL if memory ran out. */
struct system_threads *system_threads_create(void);
void system_threads_destroy(struct system_threads *threads);

/* Read the threads and fill in their values.  `count` is their number; 0: unknown. */
void system_threads_sample(
    struct system_threads *threads, const struct proc *proc, uint64_t count, struct system_sample *out);

/* Mark all their values as unknown. */
void system_threads_unknown(struct system_sample *out, enum system_known why);

#endif
