/*
 * glance.h - tell with few system calls that a process has nothing to do with OCaml.
 *
 * Most processes of a machine have not.  What a glance can't tell is left to locate and version_of_process.
 */
#ifndef TARGET_GLANCE_H
#define TARGET_GLANCE_H

#include <sys/types.h>

#include "target/version.h"

enum glance {
	GLANCE_NOTHING, /* no ring and no OCaml 5 runtime, or it is the kernel's, or has ended */
	GLANCE_DENIED,	/* it may not be looked into */
	GLANCE_UNKNOWN
};

/*
 * Glance at a process.  `proc` is a descriptor of /proc itself, not of a made-up tree.  The calls go by pid:
 * if that is reused between them, the result is of neither process.
 */
enum glance glance_at(int proc, pid_t pid, const struct version_cache *cache);

#endif
