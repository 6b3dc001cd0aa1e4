/*
 * threads.h - what each thread of a process is doing now, on a processor or not.
 *
 * A thread that waits in a system call does not move, so its stack can be read directly.  The place of a
 * running thread is known only from a sample that the kernel takes.
 */
#pragma once

#include "code/code.h"

enum code_seen {
	CODE_SEEN_ASLEEP,  /* it waits, and did so during the whole look */
	CODE_SEEN_STILL,   /* it has not run since the last look, when it waited */
	CODE_SEEN_RUNNING, /* it is on a processor, or ready to run */
	CODE_SEEN_GONE,
	CODE_SEEN_REFUSED /* the kernel refuses to say: errno is why, 0 if its text is invalid */
};

/* Look at a thread, and walk its stack if it is asleep; otherwise *out has no frames.  *runs is updated: how
 * often the thread had been put on a processor when it was last seen asleep (0: it was not). */
enum code_seen code_look(struct code *code, int32_t tid, uint64_t *runs, struct code_stack *out);

enum code_thread_kind {
	CODE_THREAD_OCAML,
	CODE_THREAD_BACKUP, /* collects for a blocked domain */
	CODE_THREAD_TICK,   /* makes the threads of a domain take turns */
	CODE_THREAD_C
};

/* "ocaml", "backup", "tick", "c".  Static storage. */
const char *code_thread_kind_name(enum code_thread_kind kind);

/* Return the kind of a thread of which nothing else is known, and its domain (-1: none): the thread that
 * holds a domain's lock runs the domain. */
enum code_thread_kind code_kind_by_lock(const struct code *code, int32_t tid, int *domain);

/* Return the tid of a thread in its own pid namespace; 0: not known. */
int32_t code_tid_inside(const struct code *code, int32_t tid);

/* A thread in a report. */
struct code_thread {
	int32_t tid;
	enum code_thread_kind kind;
	int domain; /* -1: none, or not known */
	enum code_seen seen;
	bool sampled;  /* it runs and was sampled; without a sample it has no frames, and `end` says why */
	char name[16]; /* the kernel's name, untrusted; "": not known */
};

typedef void code_thread_visit(void *ctx, const struct code_thread *thread, const struct code_stack *stack);

/* Look at all threads, in the order of tids.  Running ones are sampled, for `patience` ns at most (0: not at
 * all); *refusal is why that is not possible (else its error is 0).  Returns 0 or an errno value. */
struct code_refusal;
int code_threads(
    struct code *code, uint64_t patience, code_thread_visit *visit, void *ctx, struct code_refusal *refusal);
