/*
 * sampler.h - samples of the threads of a process while they are on a processor, by perf events.
 *
 * At each tick of a thread's own processor time, the kernel writes the registers and the top of the stack
 * into our ring.  The target is neither stopped nor written to.  Only code of the program is sampled, not
 * time in system calls.  New threads are found by listing them once a second.  If there are more threads than
 * descriptors or memory for rings, the busiest are sampled, and the others are counted.
 */
#pragma once

#include <sys/types.h>

#include "code/perf_record.h"

#define CODE_HZ 99	/* default: samples in a second of a thread's processor time */
#define CODE_HZ_MAX 999 /* maximum number of samples */

struct code_sampler;

struct code_sampler_options {
	const char *proc_root; /* NULL: /proc */
	pid_t pid;
	unsigned hz;	  /* 1 to CODE_HZ_MAX */
	unsigned threads; /* maximum number of sampled threads; 0: as many as the limits allow */
};

/* Why nothing can be sampled: "could not sample its code: " and the remedy.  Error EAGAIN: another attempt may
 * succeed.  Error 0 with a reason: only waiting threads are seen, or, with `some`, not all threads. */
struct code_refusal {
	int error;
	bool some;
	char why[160], remedy[200];
};

/* Create a sampler.  Returns NULL with a reason.  If the kernel refuses to sample, refusal->error is set, and
 * the sampler only lists the threads. */
struct code_sampler *code_sampler_create(
    const struct code_sampler_options *options, struct code_refusal *refusal);
void code_sampler_destroy(struct code_sampler *s);

typedef void code_sample_visit(void *ctx, const struct perf_sample *sample);

/*
 * Start threads that have each sample visited as it is taken: each reads on the processor of the sampled
 * thread, in its place, so that it does not continue before the visit is over.  Returns false if that is not
 * possible.  Then, and for threads without a reader, code_sampler_read has samples visited later.
 */
bool code_sampler_start(struct code_sampler *s, code_sample_visit *visit, void *ctx);

/* A visit holds the lock.  Others who use the same data must take it, but the longer they hold it, the more
 * sampled threads continue before they are visited.  The functions here take the lock themselves. */
void code_sampler_lock(struct code_sampler *s);
void code_sampler_unlock(struct code_sampler *s);

/* Walk the stack of a sample during its visit.  Memory is of the sample's instant if the thread has not
 * continued by the end. */
void code_sampler_walk(struct code *code, const struct perf_sample *sample, struct code_stack *out);

/* Whether the thread of a sample has not continued since, so that what was read during the visit is of the
 * sample's instant. */
bool code_sampler_stands(const struct perf_sample *sample);

/* Read all rings: first those of threads that are known, then look for new threads.  `sample` is valid during
 * its visit. */
void code_sampler_read(struct code_sampler *s, uint64_t now, code_sample_visit *visit, void *ctx);

/* Return the maximum time in ns between two readings that keeps the rings from overflowing. */
uint64_t code_sampler_pause(const struct code_sampler *s);

struct code_sampler_totals {
	unsigned hz; /* below the requested rate if the kernel limits it */
	uint64_t samples, lost;
	uint64_t malformed;  /* invalid records */
	uint64_t late;	     /* samples that no reader could read in time */
	uint64_t real_time;  /* samples of threads of real-time priority, which no reader can precede */
	uint64_t readers_ns; /* processor time of the readers, for which sampled threads wait */
	bool slow;	     /* a reader may not raise its priority */
	unsigned threads, left_out; /* sampled now; not sampled for lack of descriptors or memory */
	int files; /* EMFILE or ENFILE: for lack of descriptors some thread was not seen; 0: none */
};
void code_sampler_totals(struct code_sampler *s, struct code_sampler_totals *out);

/* Update the reason why not all is seen: running threads may be sampled by now, or descriptors may have run
 * out. */
void code_refusal_now(struct code_refusal *refusal, const struct code_sampler_totals *totals);

/* Record that a thread could not be seen, with an errno value. */
void code_sampler_failed(struct code_sampler *s, int error);

/* Return the threads of the latest listing, ascending; valid until the next reading. */
const int32_t *code_sampler_threads(const struct code_sampler *s, size_t *count);

/* Whether the thread at an index of the listing is sampled. */
bool code_sampler_has(const struct code_sampler *s, size_t place);

/* Return what a sample costs the sampled thread, in ns.  It is measured on the calling thread, in about 50 ms
 * of processor time.  0: it can't be measured. */
uint64_t code_sampler_cost(unsigned hz);
