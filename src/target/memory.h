/*
 * memory.h - how much memory the target has in use, without the ring that we look at.
 *
 * The pages of a ring count as the process's own, and a ring can be hundreds of megabytes; what the program
 * itself uses is the rest.  Reading this walks the page tables of the process in the kernel: ask seldom.
 */
#ifndef TARGET_MEMORY_H
#define TARGET_MEMORY_H

#include <stdint.h>
#include <sys/types.h>

struct memory {
	uint64_t resident; /* bytes in main memory, the ring left out */
	uint64_t ring;	   /* bytes of the ring in main memory */
};

/* 0, ESRCH, EACCES or another errno value.  `proc_root` NULL: /proc. */
int memory_read(const char *proc_root, pid_t pid, struct memory *out);

#endif
