/*
 * reports.h - get the reports to compare, which are those of `rtevtop stats --json`.
 *
 * stats reads files in this process.  A COMMAND is run by a process of stats of its own, so that one run does not
 * differ from the next; that process also prints the messages and determines the exit status.
 */
#ifndef APP_DIFF_REPORTS_H
#define APP_DIFF_REPORTS_H

#include "app/diff/figures.h"
#include "app/options.h"

struct report {
	struct diff_figures figures;
	bool incomplete; /* `stats` could not read the whole file, and has reported why */
};

/* Get a report from a file: a report, or a file that `stats` can read.  Returns an exit status; a failure
 * has been reported. */
int report_of_file(struct report *out, const char *path, const struct options *options);

/* Run a COMMAND once.  Its standard output goes to our standard error.  Returns EXIT_DONE, EXIT_FAILED (it
 * failed, or sent no events), or 125 to 127; a failure has been reported. */
int report_of_command(struct report *out, char *const *command, const struct options *options);

#endif
