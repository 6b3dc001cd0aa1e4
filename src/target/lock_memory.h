/*
 * lock_memory.h - what memory says of the locks of a process: which lock a word is of on which a thread sleeps, and who has it.
 */
#pragma once

#include "target/locks.h"
#include "target/status.h"

enum {
	LOCK_CHANNELS = 256,
	LOCK_RANGES = 2048,
	LOCK_MUTEXES = 64 /* that were seen with an owner, of which it is known */
};

/* Memory of files, and what follows it without one: variables of the program and of libraries. */
struct range {
	uint64_t start, end;
	bool program;
};

struct lock_memory {
	struct runtime *runtime;
	const struct runtime_layout *layout;
	struct memory_reader reader;
	struct range ranges[LOCK_RANGES];
	size_t range_count;
	char program[PROC_PATH_SIZE];
	bool musl, glibc;
	uint64_t libc_start, libc_end; /* where the file of glibc is mapped */
	bool libc_read;
	char libc[LOCK_LIBC];
	uint64_t domains, masters;	 /* the tables, at this look; 0: not known */
	bool channels_read, tables_read; /* at this look */
	struct {
		uint64_t mutex;
		int fd;
	} channels[LOCK_CHANNELS];
	size_t channel_count;
	uint64_t mutexes[LOCK_MUTEXES]; /* by address */
};

/* Learn where the memory of files is; all zero before.  0, or an errno value. */
int lock_memory_open(struct lock_memory *m, struct runtime *runtime, struct proc *proc);

/* A look begins: what was read for the last one may have changed. */
void lock_memory_begin(struct lock_memory *m);

/* See which lock a thread waits for that sleeps in a futex; *owner: who has it, as the process numbers threads; 0: nobody, or not
 * known. */
void lock_memory_see(
    struct lock_memory *m, struct lock_thread *thread, const struct status_place *place, int32_t *owner);

/* How many threads a master lock counts that wait for it.  False if that can't be read. */
bool lock_memory_waiters(const struct lock_memory *m, uint64_t master, uint64_t *out);

/* Find the threads that have those of a domain take turns, by pthread_t, and the domains that have one or of which it is not known.
 * Returns how many. */
unsigned lock_memory_ticks(
    struct lock_memory *m, uint64_t ticks[LOCK_DOMAINS], uint64_t shared[LOCK_DOMAINS / LOCK_WORD_BITS]);

/* The release of its glibc, from the sentence that the library says of itself; "": not known. */
const char *lock_memory_libc(struct lock_memory *m);
