/*
 * system_threads.h - the threads of a process, for its samples: times, run-queue delay, switches.
 *
 * Up to SYSTEM_THREADS_AT_ONCE threads are read in each sample; of more, that many in turn, by number.
 */
#ifndef TARGET_SYSTEM_THREADS_H
#define TARGET_SYSTEM_THREADS_H

#include "target/proc.h"
#include "target/system.h"

struct system_threads;

/* NULL: out of memory. */
struct system_threads *system_threads_create(void);
void system_threads_destroy(struct system_threads *threads);

/* Read the threads and fill in what they tell.  `count` is how many there are, 0: not known. */
void system_threads_sample(
    struct system_threads *threads, const struct proc *proc, uint64_t count, struct system_sample *out);

/* Say of all that they tell why they don't. */
void system_threads_unknown(struct system_sample *out, enum system_known why);

#endif
