/*
 * reports.h - the reports that are compared: read from a file, or made by running `rtevtop stats --json`.
 *
 * Each comes from a process of its own, so a run is what `stats` makes of it, messages and exit status included.
 */
#ifndef APP_DIFF_REPORTS_H
#define APP_DIFF_REPORTS_H

#include "app/diff/figures.h"
#include "app/diff/json.h"
#include "app/options.h"

struct report {
	char *text; /* that the tree stands in */
	struct json_tree *tree;
	const struct json *root;
	struct diff_figures figures;
};

/* Read a file: a report, or what `stats` makes one of.  An exit status; what failed has been reported. */
int report_of_file(struct report *out, const char *path, const struct options *options);

/* Run a COMMAND once; its standard output goes to our standard error.  EXIT_DONE, EXIT_FAILED (it failed, or sent no events), or 125
 * to 127; what failed has been reported. */
int report_of_command(struct report *out, char *const *command, const struct options *options);

void report_fini(struct report *report);

#endif
