/*
 * namespace_pid.c - pids of other pid namespaces.
 */
#include "target/namespace_pid.h"

#include <stdbool.h>
#include <string.h>

#include "target/proc.h"
#include "target/processes.h"
#include "target/status.h"

enum { LINK_SIZE = 64 };

/* Read the pid namespace of a process and its pid there. */
static bool read_place(const char *proc_root, pid_t pid, char space[LINK_SIZE], pid_t *inner)
{
	struct status_ids ids;
	struct proc proc;

	if (proc_open(&proc, proc_root, pid) != 0)
		return false;
	bool known = status_read_ids(&proc, &ids) == 0 && ids.ns_pid != 0 &&
		     proc_link(&proc, "ns/pid", space, LINK_SIZE) == 0;
	proc_close(&proc);
	*inner = ids.ns_pid;
	return known;
}

pid_t inner_pid(const char *proc_root, pid_t of, pid_t inner)
{
	char space[LINK_SIZE], other[LINK_SIZE];
	pid_t found = 0, number, pid;

	if (!read_place(proc_root, of, space, &number))
		return 0;
	if (number == of) /* it is in our namespace */
		return inner;
	DIR *dir = opendir(proc_root != NULL ? proc_root : "/proc");
	if (dir == NULL)
		return 0;
	while (found == 0 && (pid = process_next(dir)) > 0)
		if (read_place(proc_root, pid, other, &number) && number == inner &&
		    strcmp(space, other) == 0)
			found = pid;
	closedir(dir);
	return found;
}
