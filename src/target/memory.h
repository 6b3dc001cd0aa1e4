/*
 * memory.h - what the memory of a process is: its mappings, and in them the heap of its OCaml runtime.
 *
 * What the mappings without a file hold is known from the runtime: its lists of free pools, large blocks and stacks
 * are followed in the target's memory.  The kernel says page by page which of these, and of files, are resident, a few
 * pages at a time: in smaps it would hold the target's lock of mappings for as long as a large mapping takes, and who
 * maps memory would wait.
 */
#pragma once

#include <sys/types.h>

#include "target/runtime.h"

/*
 * Read it.  It takes the kernel time, and for short times the process's lock of mappings: do it rarely.
 * `runtime` NULL: it is not known, because of `why`, a clause in static storage; all but the parts of the heap and
 * OTHER then are.  Returns 0, ESRCH, EACCES or another errno value.  `proc_root` NULL: /proc.
 */
int memory_read(const char *proc_root, pid_t pid, struct runtime *runtime, const char *why, uint64_t now,
    struct system_memory *out);
