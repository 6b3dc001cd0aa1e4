/*
 * profiler.h - what code a process executes, sampled and walked by a thread of its own.
 *
 * A stack that is walked late may have changed, so samples are walked as they are taken (sampler.h); what has been walked
 * waits until profiler_take puts it into a profile.
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
	const struct version *version; /* of its OCaml */
	unsigned hz;		       /* 1 to CODE_HZ_MAX */
};

/* Start it.  NULL with a reason.  If the kernel refuses to sample threads that run, it goes on with those that wait, and
 * refusal->why says that; it is empty else. */
struct profiler *profiler_create(const struct profiler_options *options, struct code_refusal *refusal);
void profiler_destroy(struct profiler *p);

/* Which locks threads wait for, as seen last: samples tell those that wait for them and those that have them. */
void profiler_locks(struct profiler *p, const struct lock_place *places, size_t count);

/* Add what has been walked since the last call to a profile, always the same one. */
void profiler_take(struct profiler *p, struct profile *into);

struct profiler_state {
	struct code_sampler_totals sampler;
	uint64_t dropped; /* samples that waited in vain for profiler_take */
	uint64_t cpu_ns;  /* processor time that naming, looking and taking took */
	/* What it costs the target: what a sample takes, measured on ourselves, for each, and the readers' time, which run in
	 * its place. */
	uint64_t target_ns;
	uint64_t started, now; /* when, and the time of the latest reading */
	const char *names;     /* what of its symbols and tables is left out (code_left_out); NULL: nothing */
};
void profiler_state(struct profiler *p, struct profiler_state *out);
