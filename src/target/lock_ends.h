/*
 * lock_ends.h - for a thread that sleeps in Thread.join or Domain.join: the thread whose end it waits for.
 *
 * Each thread has a condition of its own, on which others wait for its end.  The runtime's record of a thread leads to it.
 */
#pragma once

#include "target/lock_memory.h"
#include "target/runtime_threads.h"

enum { LOCK_ENDS_READS = 20000 }; /* most reads of memory, not counting one of each thread's control block */

struct lock_ends {
	struct memory_reader memory;
	struct runtime_threads *threads;
	struct lock_end {
		uint64_t condition;
		int32_t tid; /* the thread whose end the condition tells, as the process numbers threads */
	} * of;
	size_t count;
	unsigned reads; /* so far */
	/* When the conditions were read last, how long to wait before the next time, and the processor time that reading took. */
	uint64_t ts, rest, took;
};

/* Open a process; *ends must be all zero before.  `proc_root` NULL: /proc.  Returns 0 or an errno value. */
int lock_ends_open(struct lock_ends *ends, const char *proc_root, pid_t pid);
void lock_ends_close(struct lock_ends *ends);

/* Find the conditions of all threads that have left OCaml code. */
void lock_ends_read(struct lock_ends *ends, struct lock_memory *m, uint64_t now);

/* Return the thread whose end is waited for on a condition, given by its address as lock_memory_see returns it; 0: none, or
 * not known. */
int32_t lock_ends_of(const struct lock_ends *ends, uint64_t condition);
