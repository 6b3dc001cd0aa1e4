/*
 * namespace_pid.h - pids in another pid namespace.
 *
 * A process in a container writes the pids that it knows into its events.  Here the same processes have others.
 */
#ifndef TARGET_NAMESPACE_PID_H
#define TARGET_NAMESPACE_PID_H

#include <sys/types.h>

/* The pid here of the process that process `of` knows as `inner`; 0 when there is none or we may not know.
 * `proc_root` is NULL for /proc. */
pid_t inner_pid(const char *proc_root, pid_t of, pid_t inner);

#endif
