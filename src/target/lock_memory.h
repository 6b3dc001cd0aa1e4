/* lock_memory.h - identify locks in the memory of a process: the lock that contains the word on which a
 * thread sleeps, and its owner. */
#pragma once

#include "target/locks.h"
#include "target/status.h"

enum {
	LOCK_CHANNELS = 256,
	LOCK_RANGES = 2048,
	LOCK_MUTEXES = 64 /* mutexes kept that were seen with an owner */
};

/* Memory of files, and anonymous memory that follows it: variables of the program and of libraries. */
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
	uint64_t domains, masters;	 /* addresses of the tables in this look; 0: not known */
	bool channels_read, tables_read; /* read in this look */
	struct {
		uint64_t mutex;
		int fd;
	} channels[LOCK_CHANNELS];
	size_t channel_count;
	uint64_t mutexes[LOCK_MUTEXES]; /* hashed by address */
};

/* Learn where the memory of files is.  *m must be all zero before.  Returns 0 or an errno value. */
int lock_memory_open(struct lock_memory *m, struct runtime *runtime, struct proc *proc);

/* Begin a look: forget what was read in the last one. */
void lock_memory_begin(struct lock_memory *m);

/* Read the addresses of the tables once a look, since pointers may change.  This is skipped while no thread
 * waits. */
void lock_memory_tables(struct lock_memory *m);

/* Determine which lock a thread that sleeps in a futex waits for.  *owner is the owner, numbered as in the
 * process; 0: none, or not known. */
void lock_memory_see(
    struct lock_memory *m, struct lock_thread *thread, const struct status_place *place, int32_t *owner);

/* Read how many threads a master lock counts as waiting.  Returns false if that can't be read. */
bool lock_memory_waiters(const struct lock_memory *m, uint64_t master, uint64_t *out);

/* Find the tick threads, which make the threads of a domain take turns, by pthread_t, and the domains that
 * have one or may have one.  Returns the number of threads. */
unsigned lock_memory_ticks(
    struct lock_memory *m, uint64_t ticks[LOCK_DOMAINS], uint64_t shared[LOCK_DOMAINS / LOCK_WORD_BITS]);

/* Return the release of glibc, from the version text in the library; "": not known. */
const char *lock_memory_libc(struct lock_memory *m);
