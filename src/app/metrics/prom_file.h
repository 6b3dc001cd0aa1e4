/*
 * prom_file.h - the file that a scraper reads: replaced as record/output.h has it, and removed at the end.
 *
 * The name of a version that is being written does not end in .prom, so that a collector ignores it.  An
 * existing file is replaced only if it begins with METRICS_FIRST_LINE.  With "-" the versions go to standard
 * output, one after another.
 */
#ifndef APP_METRICS_PROM_FILE_H
#define APP_METRICS_PROM_FILE_H

#include <stdbool.h>

#include "print/out.h"
#include "record/output.h"

struct prom_file {
	const char *path;
	bool standard;	      /* output */
	struct output output; /* the version being written */
	bool written;
	struct stat last; /* the last version written */
};

/* Check the path, and prepare to write it.  Returns an exit status; a failure has been reported. */
int prom_file_open(struct prom_file *file, const char *path);

/* Begin a version, to be written to `out`.  False when that fails, with errno set. */
bool prom_file_begin(struct prom_file *file, struct out *out);

/* Complete a version and replace the file; `error` is that of `out`.  Returns 0, or an errno value when the
 * old version is kept. */
int prom_file_end(struct prom_file *file, int error);

/* Remove the file unless it is to be kept. */
void prom_file_close(struct prom_file *file, bool keep);

#endif
