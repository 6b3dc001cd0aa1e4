/*
 * lock_look.h - which lock each thread of a process waits for: plain values, which target/locks.h fills in.
 */
#pragma once

#include "core/order.h"
#include "core/std.h"

/* What a thread waits for, and its name in reports. */
#define LOCK_KINDS(X)                                                                                        \
	X(LOCK_NONE, NULL)	       /* no lock, or none that is known */                                  \
	X(LOCK_MUTEX, "mutex")	       /* of the program: Mutex, and what is built with it */                \
	X(LOCK_CHANNEL, "channel")     /* of an in_channel or out_channel */                                 \
	X(LOCK_MASTER, "master")       /* of a domain, which its systhreads take in turns */                 \
	X(LOCK_CONDITION, "condition") /* Condition, Semaphore, Event, of C, or a join that is not known */  \
	X(LOCK_JOIN, "condition")      /* of the end of its owner: Thread.join, Domain.join */               \
	X(LOCK_BARRIER, "barrier")     /* of a stop of all domains */                                        \
	X(LOCK_RUNTIME, "runtime")     /* another one of OCaml's runtime; of C, if of no domain */           \
	X(LOCK_LIBC, "libc")	       /* of malloc, or of a C library */
enum lock_kind { LOCK_KINDS(LIST_NAME) LOCK_KIND_COUNT };

enum lock_doing {
	LOCK_RUNS,    /* on a processor, or ready for one */
	LOCK_IN_CALL, /* in a system call that is no wait for a lock */
	LOCK_WAITS,
	LOCK_UNSEEN, /* the kernel does not tell, or not to us */
	LOCK_GONE,   /* of a lock's owner: it is no thread of the process any more */
	LOCK_DOINGS
};

/* A lock, as a look knows it. */
struct lock_id {
	enum lock_kind kind;
	uint64_t address; /* of the lock; of a condition, and of a master lock, what names it */
	int domain;	  /* LOCK_MASTER, LOCK_RUNTIME: whose it is; -1: not known */
	int fd;		  /* LOCK_CHANNEL */
};

static inline bool lock_same(const struct lock_id *a, const struct lock_id *b)
{
	return a->kind == b->kind && a->address == b->address;
}

/* A thread at a look. */
struct lock_thread {
	int32_t tid; /* in our pid namespace, as all tids here */
	enum lock_doing doing;
	int call;	     /* LOCK_IN_CALL: the number of the system call, -1: stopped outside of one */
	struct lock_id lock; /* LOCK_WAITS: that which it waits for */
	int32_t owner;	     /* the thread that has the lock, or whose end it is; 0: nobody, or not known */
	uint64_t owner_at;   /* of the word that names its holder; 0: there is none */
	bool dead;	     /* the owner of the lock is no thread of the process */
	bool tick;	     /* it has the threads of a domain take turns, and does nothing else */
	uint64_t since;	     /* it waited so at each look from this moment on, in ns of the clock given */
	int next;	     /* index of the owner in the look; -1: none */
	unsigned
	    cycle; /* threads of a number wait for each other in a circle, at this look and the last; 0: none */
	uint64_t turns; /* LOCK_MASTER: how often a thread has begun to sleep for it */
	bool unclaimed; /* LOCK_MASTER: nobody has it, and all that wait for it sleep, so nobody was woken */
};

/* Threads that wait for a master lock sleep on words at these offsets from its address, in OCaml 5.0 to 5.5. */
#define LOCK_MASTER_FREE_AT 72
#define LOCK_MASTER_FREE_END 120

/* Where a lock can be looked at again.  Threads that wait for it sleep on words in [at, end).  The word at `owner_at` (0: there is
 * none) names its owner, by the number that the thread has in its own pid namespace. */
struct lock_place {
	uint8_t number; /* of lock_past.h; never 0 */
	uint64_t at, end, owner_at;
};

/* Whether a thread waits for a lock that the program can do something about. */
static inline bool lock_is_of_program(const struct lock_thread *thread)
{
	return thread->doing == LOCK_WAITS &&
	       (thread->lock.kind == LOCK_MUTEX || thread->lock.kind == LOCK_CHANNEL ||
		   thread->lock.kind == LOCK_MASTER);
}

/* Return the time until the next look: `ns` on average, varied at random.  The threads of a domain take turns every 50 ms, so looks
 * exactly 100 ms apart would find the same thread with the lock each time. */
static inline uint64_t lock_look_pause(uint64_t now, uint64_t ns)
{
	const uint64_t chance = now / 1000 * 2654435761u;

	return ns - ns / 4 + chance % (ns / 2);
}

#define LOCK_DOMAINS 128
#define LOCK_LIBC 16
#define LOCK_WORD_BITS 64

/* A look at all threads. */
struct locks_look {
	uint64_t ts;
	uint64_t ends_ns; /* processor time for what is read rarely, and is rested for by itself */
	const struct lock_thread *threads; /* by tid; valid until the second look from this one */
	size_t count;
	unsigned cycles;
	char libc
	    [LOCK_LIBC]; /* the release of its glibc, "2.36"; "": not known.  It is read once a wake-up seems to be lost */
	/* A bit for each domain: it has had several threads, so what one of them does need not be what the domain does. */
	uint64_t shared[LOCK_DOMAINS / LOCK_WORD_BITS];
};

/* Find a thread among some that are in the order of their tids; NULL: it is not there. */
static inline const struct lock_thread *lock_thread_of(
    const struct lock_thread *threads, size_t count, int32_t tid)
{
	return count > 0 ? bsearch(&tid, threads, count, sizeof(*threads), order_by_int) : NULL;
}
