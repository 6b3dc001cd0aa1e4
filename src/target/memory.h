/*
 * memory.h - memory use of the target without its ring.
 *
 * Pages of the ring count as the process's own, and a ring can be hundreds of megabytes: they are subtracted.
 * Reading makes the kernel walk the page tables of the process: do it rarely.
 */
#ifndef TARGET_MEMORY_H
#define TARGET_MEMORY_H

#include <stdint.h>
#include <sys/types.h>

struct memory {
	uint64_t resident; /* resident bytes without the ring */
	uint64_t ring;	   /* resident bytes of the ring */
};

/* Returns 0, ESRCH, EACCES or another errno value.  `proc_root` NULL: /proc. */
int memory_read(const char *proc_root, pid_t pid, struct memory *out);

#endif
