/*
 * process_detail.c - see process_detail.h.
 */
#include "target/process_detail.h"

#include <stdbool.h>
#include <string.h>
#include <time.h>

#include "target/proc.h"
#include "target/processes.h"
#include "target/status.h"

void process_detail_read(struct process_detail *out, const char *proc_root, pid_t pid)
{
	char words[PROCESS_COMMAND_SIZE];
	struct status_stat stat;
	struct proc proc;
	size_t len;

	*out = (struct process_detail){.parent = 0};
	if (proc_open(&proc, proc_root, pid) != 0)
		return;
	if (status_read_stat(&proc, &stat) == 0) {
		out->parent = (int64_t)stat.parent;
		out->start_ticks = stat.start_ticks;
	}
	if (proc_read(&proc, "cmdline", words, sizeof(words), &len) == 0)
		words_join(words, len, out->command, sizeof(out->command));
	proc_close(&proc);
}

bool process_began(uint64_t start_ticks, double *seconds)
{
	struct timespec wall, boot;

	if (start_ticks == 0 || clock_gettime(CLOCK_REALTIME, &wall) != 0 ||
	    clock_gettime(CLOCK_BOOTTIME, &boot) != 0)
		return false;
	*seconds = (double)wall.tv_sec - (double)boot.tv_sec + 1e-9 * (double)(wall.tv_nsec - boot.tv_nsec) +
		   (double)start_ticks / (double)status_ticks_per_second();
	return true;
}

const char *process_remedy(enum process_state state)
{
	switch (state) {
	case PROCESS_NOT_STARTED:
		return "start it with OCAML_RUNTIME_EVENTS_START=1";
	case PROCESS_INACCESSIBLE:
		return "run rtevtop as root";
	default:
		return NULL;
	}
}

/* ---- namespace pid ---- */

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
