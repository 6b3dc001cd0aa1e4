/*
 * threads.h - what each thread of a process does now, on a processor or not.
 *
 * A thread that waits in a system call stays where it is meanwhile, so its stack is read as it is.  Where a running one
 * is can only be told by a sample that the kernel takes.
 */
#pragma once

#include "code/code.h"

enum code_seen {
	CODE_SEEN_ASLEEP,  /* it waits, and did while it was looked at */
	CODE_SEEN_STILL,   /* it has not been on a processor since the last look, at which it waited */
	CODE_SEEN_RUNNING, /* on a processor, or ready */
	CODE_SEEN_GONE,
	CODE_SEEN_REFUSED /* the kernel does not tell, or not to us: errno is why, 0 if what it tells makes no sense */
};

/* Look at a thread, and walk its stack if it is asleep; else *out has no frames.  *runs: how often it had been put on a
 * processor when it was last seen asleep (0: it was not), which is brought up to date. */
enum code_seen code_look(struct code *code, int32_t tid, uint64_t *runs, struct code_stack *out);

enum code_thread_kind {
	CODE_THREAD_OCAML,
	CODE_THREAD_BACKUP, /* collects for a domain that waits */
	CODE_THREAD_TICK,   /* has threads of a domain take turns */
	CODE_THREAD_C
};

/* "ocaml", "backup", "tick", "c".  Static storage. */
const char *code_thread_kind_name(enum code_thread_kind kind);

/* The kind of a thread of which nothing was seen, and its domain (-1: none): what runs a domain has its lock. */
enum code_thread_kind code_kind_by_lock(const struct code *code, int32_t tid, int *domain);

/* The number of a thread in its own pid namespace; 0: not known. */
int32_t code_tid_inside(const struct code *code, int32_t tid);

/* A thread in a report. */
struct code_thread {
	int32_t tid;
	enum code_thread_kind kind;
	int domain; /* -1: none, or not known */
	enum code_seen seen;
	bool sampled;  /* it runs, and was sampled; else what runs has no frames */
	char name[16]; /* as the kernel has it, untrusted; "": not known */
};

typedef void code_thread_visit(void *ctx, const struct code_thread *thread, const struct code_stack *stack);

/* Look at all threads, by tid.  Those that run are sampled, for `patience` ns at most (0: not at all); *refusal says why they
 * can't be, if they can't (its error is 0 else).  0, or an errno value. */
struct code_refusal;
int code_threads(
    struct code *code, uint64_t patience, code_thread_visit *visit, void *ctx, struct code_refusal *refusal);
