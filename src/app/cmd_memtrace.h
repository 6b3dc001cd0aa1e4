/*
 * cmd_memtrace.h - rtevtop memtrace without a screen: reports about a memtrace file.
 */
#ifndef APP_CMD_MEMTRACE_H
#define APP_CMD_MEMTRACE_H

#include <stdbool.h>
#include <stddef.h>

enum memtrace_report {
	MEMTRACE_NONE,	 /* no report was asked for: the live view */
	MEMTRACE_DUMP,	 /* every event, a line each, as memtrace's own dump */
	MEMTRACE_TOP,	 /* the sites that allocate most */
	MEMTRACE_FOLDED, /* call paths for flame graph tools */
	MEMTRACE_JSON	 /* the trace and its sites, an object a line */
};

struct memtrace_request {
	const char *path;
	enum memtrace_report report;
	size_t top; /* how many sites */
};

/* Read the words that follow "memtrace" on the command line.  False when they are wrong, which has been reported,
 * with the exit status in *status. */
bool memtrace_parse(struct memtrace_request *out, int argc, char **argv, int *status);

/* Print a report to standard output.  Returns an exit status. */
int memtrace_run(const struct memtrace_request *request);

/* Both of these. */
int cmd_memtrace(int argc, char **argv);

#endif
