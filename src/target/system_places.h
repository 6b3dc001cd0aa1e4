/*
 * system_places.h - where the control groups of a process are mounted: its path in a hierarchy and our mounts give directories.
 */
#ifndef TARGET_SYSTEM_PLACES_H
#define TARGET_SYSTEM_PLACES_H

#include <stdbool.h>
#include <stddef.h>

#include "target/system.h"

#define PLACE_LEVELS 16 /* groups from the process's own upwards that are looked at */

/* The directories of one hierarchy that limit a process, its own group first. */
struct place {
	bool second; /* a hierarchy of the second version */
	unsigned levels;
	int dirs[PLACE_LEVELS];
};

/*
 * Find the groups of a process for a controller: in a hierarchy of the first version that has it, else in that of the second version.  A
 * controller NULL: in that of the second version.  `text` is that of the process's "cgroup", `mounts` of our "mountinfo"; `sys_root` stands before
 * the mount points.  SYSTEM_KNOWN with at least one level, SYSTEM_NO_CGROUP, or SYSTEM_HIDDEN_CGROUP.
 */
enum system_known place_find(struct place *place, const char *text, size_t len, const char *mounts,
    size_t mounts_len, const char *sys_root, const char *controller);
void place_close(struct place *place);

#endif
