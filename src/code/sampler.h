/*
 * sampler.h - samples of the threads of a process while they are on a processor, by perf events.
 *
 * The kernel takes them: at each tick of a thread's own processor time it writes the registers and the top of the
 * stack into a ring of ours.  The target is neither stopped nor written to.  Only the time in the program's code is
 * seen, not that in system calls.  New threads are followed by listing them once a second.  If there are more threads
 * than descriptors or memory for rings, the busiest are sampled, and the rest is counted.
 */
#pragma once

#include <sys/types.h>

#include "code/perf_record.h"

#define CODE_HZ                                                                                              \
	99 /* samples of a thread in a second of its processor time, where nothing else is asked for */
#define CODE_HZ_MAX 999 /* and at most */

struct code_sampler;

struct code_sampler_options {
	const char *proc_root; /* NULL: /proc */
	pid_t pid;
	unsigned hz;	  /* 1 to CODE_HZ_MAX */
	unsigned threads; /* most that are sampled; 0: as many as limits allow */
};

/* Why nothing can be sampled: "could not sample its code: " and the remedy.  Error 0, with a reason: only threads that
 * wait are seen, or, with `some`, not all threads. */
struct code_refusal {
	int error;
	bool some;
	char why[160], remedy[200];
};

/* NULL with a reason.  If the kernel refuses to sample, refusal->error says so, and the sampler lists the threads. */
struct code_sampler *code_sampler_create(
    const struct code_sampler_options *options, struct code_refusal *refusal);
void code_sampler_destroy(struct code_sampler *s);

typedef void code_sample_visit(void *ctx, const struct perf_sample *sample);

/*
 * Have each sample visited as it is taken, by threads of the sampler: each reads on the processor where the sampled thread
 * runs, in its place, so that this does not go on before the visit is over.  False: it can't be; then, and of threads that no
 * reader was found for, code_sampler_read has samples visited, later.
 */
bool code_sampler_start(struct code_sampler *s, code_sample_visit *visit, void *ctx);

/* A visit has the lock.  Whoever uses what visits use needs it, but the longer it is held, the more of the sampled threads go
 * on before they are visited.  The functions here take it themselves. */
void code_sampler_lock(struct code_sampler *s);
void code_sampler_unlock(struct code_sampler *s);

/* Walk the stack of a sample during its visit: by memory of its instant, if the thread has not gone on by the end. */
void code_sampler_walk(struct code *code, const struct perf_sample *sample, struct code_stack *out);

/* Whether the thread of a sample has not gone on since: what was read during the visit is of the sample's instant. */
bool code_sampler_stands(const struct perf_sample *sample);

/* Read all rings: first what was sampled before, then threads that are new.  `sample` is valid during its visit. */
void code_sampler_read(struct code_sampler *s, uint64_t now, code_sample_visit *visit, void *ctx);

/* Nanoseconds between two readings, at most, that keep the rings from running over. */
uint64_t code_sampler_pause(const struct code_sampler *s);

struct code_sampler_totals {
	unsigned hz; /* less than asked for where the kernel allows no more */
	uint64_t samples, lost;
	uint64_t malformed; /* records that made no sense */
	uint64_t late;	    /* samples that were read late, as no reader can be in time */
	uint64_t
	    real_time; /* samples of threads before which no reader runs, for they are of real-time priority */
	uint64_t readers_ns;	    /* processor time of the readers, for which sampled threads wait */
	unsigned threads, left_out; /* sampled now, and not sampled for want of descriptors or memory */
	int files; /* EMFILE or ENFILE: some thread was not sampled, listed or looked at for want of descriptors; 0: none */
};
void code_sampler_totals(struct code_sampler *s, struct code_sampler_totals *out);

/* Bring up to date why not all is seen: threads that run are sampled after all, or descriptors ran out. */
void code_refusal_now(struct code_refusal *refusal, const struct code_sampler_totals *totals);

/* A thread could not be seen, for an errno value. */
void code_sampler_failed(struct code_sampler *s, int error);

/* The threads of the latest listing, ascending; valid until the next reading. */
const int32_t *code_sampler_threads(const struct code_sampler *s, size_t *count);

/* Whether one of them, by its place, is sampled. */
bool code_sampler_has(const struct code_sampler *s, size_t place);

/* What a sample costs the thread that it is of, in nanoseconds, as measured on the calling thread: some 50 ms of its
 * processor time.  0: it can't be measured. */
uint64_t code_sampler_cost(unsigned hz);
