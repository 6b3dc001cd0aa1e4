/*
 * system_places.h - directories of the control groups of a process, from its path in a hierarchy and our
 * mounts.
 */
#ifndef TARGET_SYSTEM_PLACES_H
#define TARGET_SYSTEM_PLACES_H

#include <stdbool.h>
#include <stddef.h>

#include "target/system.h"

#define PLACE_LEVELS 16 /* levels opened from the process's group upwards, at most */

/* The directories of one hierarchy that limit a process, its own group first. */
struct place {
	bool second; /* version 2 */
	unsigned levels;
	int dirs[PLACE_LEVELS];
};

/*
 * Find the groups of a process for a controller: in a v1 hierarchy that has it, else in v2.  Controller NULL:
 * v2.  `text` is /proc/PID/cgroup, `mounts` our mountinfo; `sys_root` is a prefix of the mount points.
 * Returns SYSTEM_KNOWN with at least one level, SYSTEM_NO_CGROUP, or SYSTEM_HIDDEN_CGROUP.
 */
enum system_known place_find(struct place *place, const char *text, size_t len, const char *mounts,
    size_t mounts_len, const char *sys_root, const char *controller);
void place_close(struct place *place);

#endif
