/*
 * sampler.h - sample a process (samples/system.h) from /proc and /sys, at most once a second.
 *
 * Files of the process, of its control groups and of up to SYSTEM_THREADS_AT_ONCE threads stay open.  Taking
 * a sample allocates nothing, unless the process was moved to other groups.  The target is only read.
 */
#pragma once

#include <sys/types.h>

#include "samples/system.h"

#define SAMPLER_NS UINT64_C(1000000000) /* least time between two samples */

struct sampler;

struct sampler_options {
	const char *proc_root; /* NULL: /proc */
	const char *sys_root;  /* prefix of "/sys" and of mount points of control groups; NULL: none */
	pid_t pid;
};

/* Returns NULL if memory ran out.  Samples of a process that does not exist or may not be read contain the
 * reason. */
struct sampler *sampler_create(const struct sampler_options *options);
void sampler_destroy(struct sampler *sampler);

/* Whether a sample is due; `now` is CLOCK_MONOTONIC. */
bool sampler_due(const struct sampler *sampler, uint64_t now);

/* Take a sample, due or not.  It is valid until the next one; the caller may add which threads run which
 * domains. */
struct system_sample *sampler_take(struct sampler *sampler, uint64_t now);
