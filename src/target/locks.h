/*
 * locks.h - which lock each thread of a process waits for, and which thread has it.
 *
 * The kernel tells the word on which a thread sleeps.  Where that word lies, and what stands beside it, tells the kind of lock:
 * a mutex of the program or of a channel, the master lock of a domain with systhreads, what the runtime has of its own, a
 * lock of a C library.  A mutex of glibc names its owner.  Nothing is stopped: all is read twice, and what differs is not told.
 * The structures are glibc's on x86-64; another C library's locks are not known.
 */
#pragma once

#include "samples/lock_look.h"
#include "target/runtime.h"

struct locks;

#define LOCKS_MUSL "those of its C library, musl, are not known"

/* The name of a kind in reports; NULL for LOCK_NONE.  Static storage. */
const char *lock_kind_name(enum lock_kind kind);

#define LOCKS_THREADS_MAX 4096

/* Learn where the locks of a runtime are, which must outlive this.  NULL with a reason, a clause in static storage.
 * `proc_root` NULL: /proc. */
struct locks *locks_create(struct runtime *runtime, const char *proc_root, pid_t pid, const char **why);
void locks_destroy(struct locks *locks);

/* Look at all threads.  0, or an errno value: ESRCH, the process has ended; EACCES and the like, it may not be read; ENOSYS, its C
 * library turned out to be musl. */
int locks_look(struct locks *locks, uint64_t now, struct locks_look *out);

/* The later look at a thread that waited for one lock at both, so that it waited meanwhile; NULL: it did not. */
const struct lock_thread *locks_wait(
    const struct locks_look *before, const struct locks_look *after, int32_t tid);

/* ---- parts, for tests ---- */

/* Whether the words of a mutex of OCaml say that it is held and waited for. */
struct lock_words {
	int32_t lock;
	uint32_t count;
	int32_t owner;
	uint32_t users;
	int32_t kind;
};
bool lock_words_held(const struct lock_words *words);
