/*
 * sampler_private.h - the parts of the sampler: the control groups that limit a process, and its threads.
 */
#pragma once

#include "target/proc.h"
#include "target/system_parse.h"

/* ---- groups ---- */

/*
 * Quota and throttling, processors, memory, pressure.
 *
 * A *hierarchy* is a tree of groups: one of the second version, or one of the first for each controller (both
 * on many machines).  A *level* is a group from the process's own up to the root that can be seen from here;
 * limits of all levels count.  In a container the tree begins at the container's group: what limits that from
 * above can't be seen.
 */
struct system_groups;

/* `proc_root` NULL: /proc.  `sys_root`: what stands before the mount points, "" or a made-up tree.  NULL: out
 * of memory. */
struct system_groups *system_groups_create(const char *proc_root, const char *sys_root);
void system_groups_destroy(struct system_groups *groups);

/* Fill in what the groups tell; `text` is that of the process's "cgroup".  Where it is another than before
 * its groups are looked up. `online` may be NULL: not known. */
void system_groups_sample(struct system_groups *groups, const char *text, size_t len,
    const struct system_cpus *online, struct system_sample *out);

/* Say of all that they tell why they don't. */
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

/* Mark all their values as unknown. */
void system_threads_unknown(struct system_sample *out, enum system_known why);
