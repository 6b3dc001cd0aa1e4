/*
 * profiler.h - what code a process executes, sampled and walked by a thread of its own.
 *
 * A stack that is walked late may have changed, so samples are walked as they are taken (sampler.h); the
 * results wait until profiler_take adds them to a profile.
 */
#pragma once

#include "calls/profile.h"
#include "code/sampler.h"
#include "samples/lock_look.h"
#include "target/version.h"

struct profiler;

struct profiler_options {
	const char *proc_root; /* NULL: /proc */
	pid_t pid;
	const struct version *version; /* release of the target's OCaml */
	unsigned hz;		       /* 1 to CODE_HZ_MAX */
};

/* Start the profiler.  Returns NULL with a reason.  If the kernel refuses to sample running threads, only
 * waiting threads are seen, and refusal->why says so; otherwise it is empty. */
struct profiler *profiler_create(const struct profiler_options *options, struct code_refusal *refusal);
void profiler_destroy(struct profiler *p);

/* Set the locks that threads were last seen waiting for: samples are marked that wait for one of them or hold
 * one. */
void profiler_locks(struct profiler *p, const struct lock_place *places, size_t count);

/* Add the samples since the last call to a profile, which must always be the same one. */
void profiler_take(struct profiler *p, struct profile *into);

struct profiler_state {
	struct code_sampler_totals sampler;
	uint64_t dropped; /* samples lost because profiler_take was not called */
	uint64_t cpu_ns;  /* processor time for naming, looking and taking */
	/* Cost to the target: the time of a sample, measured on ourselves, for each, plus the time of
	 * readers, which run in its place. */
	uint64_t target_ns;
	uint64_t started, now; /* start, and the latest turn */
	const char *names;     /* symbols and tables that were left out (code_left_out); NULL: none */
};
void profiler_state(struct profiler *p, struct profiler_state *out);
