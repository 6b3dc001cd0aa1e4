/*
 * namespace_pid.h - pids of other pid namespaces.
 *
 * The events of a process in a container contain pids of its own namespace.
 */
#ifndef TARGET_NAMESPACE_PID_H
#define TARGET_NAMESPACE_PID_H

#include <sys/types.h>

/* The pid in our namespace of the process that process `of` knows as `inner`.  Returns 0 if there is none, or
 * if that may not be read.  `proc_root` NULL: /proc. */
pid_t inner_pid(const char *proc_root, pid_t of, pid_t inner);

#endif
