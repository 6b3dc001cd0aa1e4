/*
 * memory.h - the memory of a process: its mappings, and the parts of its OCaml heap in them.
 *
 * The runtime's lists of free pools, large blocks and stacks, which are followed in the target's memory, show
 * what anonymous mappings contain.  The kernel reports for each page whether it is resident, a few pages per
 * call: reading smaps would hold the target's mmap lock for as long as a large mapping takes, and delay every
 * thread that maps memory.
 */
#pragma once

#include <sys/types.h>

#include "target/runtime.h"

/*
 * Read the memory of a process.  This costs kernel time and briefly holds the process's mmap lock: do it
 * rarely.  `runtime` NULL: it is not known because of `why`, a clause in static storage; then the parts of
 * the heap and OTHER are unknown.  `proc_root` NULL: /proc.  Returns 0, ESRCH, EACCES or another errno value.
 */
int memory_read(const char *proc_root, pid_t pid, struct runtime *runtime, const char *why, uint64_t now,
    struct system_memory *out);
