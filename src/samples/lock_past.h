/*
 * lock_past.h - looks at the locks of the process (samples/lock_look.h) over time, summed by lock.
 *
 * The mean number of threads that wait for a lock, over the number of threads, is the part of their time that it takes.
 * What a single look shows may last for a moment only.  Threads that are stuck are therefore reported with the time since which they
 * are.
 */
#pragma once

#include "samples/lock_look.h"
#include "samples/system.h"

enum {
	LOCK_PAST_LOOKS = 640, /* looks that are kept: those of the last minute, or of more */
	LOCK_WAIT_LOOKS =
	    8192,	 /* looks of which the waiting domains are kept: a quarter of an hour's or more */
	LOCK_ROWS = 8,	 /* locks that a look, and a window, has at most: those that were seen first */
	LOCK_CIRCLE = 8, /* threads of a circle that are named */
	LOCK_NAMED = 16, /* locks whose functions are kept */
	LOCK_NAME = 96
};
#define LOCK_KEPT_NS                                                                                         \
	UINT64_C(150000000) /* OCaml code gives a master lock up every 50 ms that others wait for */
#define LOCK_NAMED_NS UINT64_C(10000000000) /* names that were read within this time are still believed */

/* The functions of the program in which threads wait for a lock and hold it.  They serve as its name. */
struct lock_named {
	uint64_t address, ts;		       /* ts 0: nothing is known */
	char waits[LOCK_NAME], has[LOCK_NAME]; /* untrusted, "Bank.transfer bank.ml:31"; "": not known */
};

/* Threads that can't go on. */
struct lock_stuck {
	uint64_t since; /* 0: there is none */
	struct lock_id lock;
	unsigned count;			 /* threads of the circle, or that wait */
	int32_t tids[LOCK_CIRCLE];	 /* of the circle, each waits for the next one; or that wait */
	uint64_t addresses[LOCK_CIRCLE]; /* of what they wait for, and its kinds */
	enum lock_kind kinds[LOCK_CIRCLE];
};

/* A lock in a window of looks. */
struct lock_row {
	uint8_t
	    number; /* as that of samples (calls/profile.h): one lock has it from `since` on, and another one had it before */
	uint64_t since;
	struct lock_id lock;
	unsigned looks; /* with a thread that waits for it */
	/* How long there was one, and how long threads waited in all, in ns of the times that these looks stand for. */
	uint64_t ns, waited_ns;
	/* LOCK_MASTER: one thread serves others, or is never seen to have the lock, and waits for it most often.  In how many looks
	 * of about the last minute that thread waited for the lock, and was in a blocking system call. */
	unsigned server_waits, server_calls;
	unsigned
	    computing; /* LOCK_MASTER: threads that had it or wanted it, and never waited for anything else */
	unsigned did[LOCK_DOINGS];  /* these looks by what its owner did */
	int call;		    /* the system call that an owner was in last; -1: none */
	struct lock_id owner_waits; /* what an owner waited for last; LOCK_NONE: none did */
	/* The longest time in ns from the first to the last of consecutive looks with the same owner; of a master lock, without a
	 * turn of another thread in between. */
	uint64_t longest;
	unsigned kept;	  /* LOCK_MASTER: how often that was LOCK_KEPT_NS or more, */
	uint64_t kept_ns; /* and for how long in all */
};

struct lock_window {
	unsigned looks;
	uint64_t ns; /* from the first to the last */
	uint64_t
	    known; /* of that, what looks stand for: each for the time half-way to those beside it, of those that are near */
	double threads; /* in the mean, that do something or wait for somebody who has a lock */
	unsigned count;
	struct lock_row rows[LOCK_ROWS]; /* by waited_ns, descending */
	/* At the last look of all: in a circle, behind an owner that is no thread, at a master lock that nobody takes. */
	uint64_t ts;
	struct lock_stuck circle, dead, unclaimed;
	const struct lock_named *named; /* valid as long as the past */
	const char *libc;		/* of struct locks_look; also valid as long as the past */
};

/* The part of the time in which a thread waits for a lock.  Looks are closer to each other while threads wait, so their number does
 * not tell it. */
static inline double lock_share(const struct lock_window *w, const struct lock_row *row)
{
	return (double)row->ns / (double)w->known;
}

/* Threads that wait for it in the mean. */
static inline double lock_mean(const struct lock_window *w, const struct lock_row *row)
{
	return (double)row->waited_ns / (double)w->known;
}

/* The part of the threads' time that a lock takes. */
static inline double lock_takes(const struct lock_window *w, const struct lock_row *row)
{
	return lock_mean(w, row) / w->threads;
}

struct lock_past;
struct lock_past *lock_past_create(void);			/* NULL when memory ran out */
struct lock_past *lock_past_copy(const struct lock_past *from); /* NULL of NULL, too */
void lock_past_destroy(struct lock_past *past);

/* Add a look, later than the one before; `threads` (NULL: none is known) says which thread runs which domain.  Returns whether
 * looks should be frequent: a thread waits for a lock of the program, or did at one of the last looks.  This look alone does not
 * decide, because each look stands for a part of the time after it. */
bool lock_past_add(
    struct lock_past *past, const struct locks_look *look, const struct system_sample *threads);

/* What was seen at all looks so far: how many, the time that they stand for, and how long threads waited in it, in ns. */
struct lock_sums {
	uint64_t looks, ns, mutex, master; /* mutexes of channels, too */
};
struct lock_sums lock_past_sums(const struct lock_past *past);

/* What a domain did in a stretch of time: looks at its thread, those of them at which it waited for a lock of the program, and how
 * long it waited by them.  A look stands for the time up to half-way to the next one, so that this is about a look's distance off
 * for each wait. */
struct lock_waited {
	unsigned looks, waits;
	uint64_t ns;
};

/* Get what a domain did from `from` to `to`.  False unless two looks or more, spread over all of that time, saw the only
 * thread of the domain. */
bool lock_past_waited(
    const struct lock_past *past, unsigned domain, uint64_t from, uint64_t to, struct lock_waited *out);

/* The locks that threads wait for at the last look.  Returns how many. */
unsigned lock_past_places(const struct lock_past *past, struct lock_place out[LOCK_ROWS]);

/* Forget all: the process runs another program. */
void lock_past_break(struct lock_past *past);

/* Sum the looks from a time on. */
void lock_past_read(const struct lock_past *past, uint64_t from, struct lock_window *out);

/* What is known of a lock by its address, of a window's `named`. */
const struct lock_named *lock_named_of(const struct lock_named *named, uint64_t address);

/* Return whether the functions of a lock should be read now: threads are stuck or wait for it at many looks, and none were read
 * lately.  Set the functions that were read. */
bool lock_past_unnamed(const struct lock_past *past, uint64_t now);
void lock_past_name(struct lock_past *past, uint64_t now, const struct lock_named *named);
