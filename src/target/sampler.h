/*
 * sampler.h - take samples of a process (target/system.h): from /proc and /sys, at most once a second.
 *
 * The files of the process, of its control groups and of up to SYSTEM_THREADS_AT_ONCE of its threads stay open.  A sample allocates nothing,
 * unless the process was moved to other groups.  The target is only looked at.
 */
#ifndef TARGET_SAMPLER_H
#define TARGET_SAMPLER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "target/system.h"

#define SAMPLER_NS UINT64_C(1000000000) /* from one sample to the next at least */

struct sampler;

struct sampler_options {
	const char *proc_root; /* NULL: /proc */
	const char
	    *sys_root; /* stands before "/sys" and the mount points of control groups; NULL: nothing does */
	pid_t pid;
};

/* NULL: out of memory.  A process that is not there, or may not be looked at, gives samples that say so. */
struct sampler *sampler_create(const struct sampler_options *options);
void sampler_destroy(struct sampler *sampler);

/* Whether it is time for the next sample; `now` is CLOCK_MONOTONIC. */
bool sampler_due(const struct sampler *sampler, uint64_t now);

/* Take a sample, due or not.  It is the sampler's and good until the next one. */
const struct system_sample *sampler_take(struct sampler *sampler, uint64_t now);

#endif
