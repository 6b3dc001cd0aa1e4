/*
 * lock_ends.h - whose end a thread waits for that sleeps in a condition: Thread.join, Domain.join.
 *
 * Each thread has a condition of its own, in which others wait for its end.  What the runtime keeps about the thread leads to it.
 */
#pragma once

#include "target/lock_memory.h"
#include "target/runtime_threads.h"

enum { LOCK_ENDS_READS = 20000 }; /* of memory, at most; of each thread its control block besides */

struct lock_ends {
	struct memory_reader memory;
	struct runtime_threads *threads;
	struct lock_end {
		uint64_t condition;
		int32_t tid; /* whose end it tells, as the process numbers threads */
	} * of;
	size_t count;
	unsigned reads; /* so far */
	/* When they were read, how long to wait for the next time, and the processor time that it took. */
	uint64_t ts, rest, took;
};

/* 0, or an errno value; all zero before.  `proc_root` NULL: /proc. */
int lock_ends_open(struct lock_ends *ends, const char *proc_root, pid_t pid);
void lock_ends_close(struct lock_ends *ends);

/* Find the conditions of all threads that have left OCaml code. */
void lock_ends_read(struct lock_ends *ends, struct lock_memory *m, uint64_t now);

/* Return the thread whose end is waited for in a condition, whose address is as lock_memory_see returns it; 0: none, or not
 * known. */
int32_t lock_ends_of(const struct lock_ends *ends, uint64_t condition);
