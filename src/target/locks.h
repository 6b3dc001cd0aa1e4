/*
 * locks.h - which lock each thread of a process waits for, and which thread holds it.
 *
 * The kernel reports the address of the word on which a thread sleeps.  Its location and the words beside it
 * show the kind of lock: a mutex of the program or of a channel, the master lock of a domain with systhreads,
 * a lock of the runtime, a lock of a C library.  A mutex of glibc names its owner.  No thread is stopped:
 * everything is read twice, and what differs is ignored.  The structures are glibc's on x86-64; other C
 * libraries' locks are not recognised.
 */
#pragma once

#include "samples/lock_look.h"
#include "target/runtime.h"

struct locks;

#define LOCKS_MUSL "those of its C library, musl, are not known"

/* Return the name of a kind in reports; NULL for LOCK_NONE.  Static storage. */
const char *lock_kind_name(enum lock_kind kind);

#define LOCKS_THREADS_MAX 4096

/* Learn where the locks of a runtime are; the runtime must outlive the handle.  `proc_root` NULL: /proc.
 * Returns NULL with a reason, a clause in static storage. */
struct locks *locks_create(struct runtime *runtime, const char *proc_root, pid_t pid, const char **why);
void locks_destroy(struct locks *locks);

/* Look at all threads.  Returns 0 or an errno value: ESRCH if the process has ended, EACCES and similar if it
 * may not be read, ENOSYS if its C library is musl. */
int locks_look(struct locks *locks, uint64_t now, struct locks_look *out);

/* Return the later look at a thread that waited for one lock during both looks and between them; NULL: it did
 * not. */
const struct lock_thread *locks_wait(
    const struct locks_look *before, const struct locks_look *after, int32_t tid);

/* ---- parts, for tests ---- */

/* Whether the words of an OCaml mutex are those of a mutex that is held and waited for. */
struct lock_words {
	int32_t lock;
	uint32_t count;
	int32_t owner;
	uint32_t users;
	int32_t kind;
};
bool lock_words_held(const struct lock_words *words);
