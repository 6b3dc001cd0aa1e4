/* sampler_private.h - the parts of the sampler: the control groups that limit a process, and its threads. */
#pragma once

#include "target/proc.h"
#include "target/system_parse.h"

/* ---- groups ---- */

/*
 * Quota and throttling, processors, memory, pressure.
 *
 * A *hierarchy* is a tree of groups: the one of version 2, or one of version 1 for each controller (many
 * machines have both).  A *level* is a group between the process's own and the root that is visible here;
 * limits of all levels apply.  In a container the tree begins at the container's group: limits above it are
 * invisible.
 */
struct system_groups;

/* `proc_root` NULL: /proc.  `sys_root` is a prefix of the mount points: "" or a made-up tree.  Returns NULL
 * if memory ran out. */
struct system_groups *system_groups_create(const char *proc_root, const char *sys_root);
void system_groups_destroy(struct system_groups *groups);

/* Fill in the values of the groups.  `text` is the process's "cgroup"; if it has changed, its groups are
 * looked up again.  `online` may be NULL: not known. */
void system_groups_sample(struct system_groups *groups, const char *text, size_t len,
    const struct system_cpus *online, struct system_sample *out);

/* Mark all values of groups as unknown. */
void system_groups_unknown(struct system_sample *out, enum system_known why);

/* ---- threads ---- */

/* Times, run-queue delay, context switches.  Up to SYSTEM_THREADS_AT_ONCE threads are read in each sample; if
 * there are more, they are read in turns, by tid. */
struct system_threads;

/* Returns NULL if memory ran out. */
struct system_threads *system_threads_create(void);
void system_threads_destroy(struct system_threads *threads);

/* Read the threads and fill in their values.  `count` is their number; 0: unknown. */
void system_threads_sample(
    struct system_threads *threads, const struct proc *proc, uint64_t count, struct system_sample *out);

/* Mark all values of threads as unknown. */
void system_threads_unknown(struct system_sample *out, enum system_known why);
