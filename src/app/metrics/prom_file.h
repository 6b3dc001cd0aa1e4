/*
 * prom_file.h - the file that a scraper reads: replaced atomically, and removed at the end.
 *
 * A new version is written to a file beside it, whose name a collector of *.prom ignores, and then renamed.
 * An existing file is replaced only if it begins with METRICS_FIRST_LINE.
 */
#ifndef APP_METRICS_PROM_FILE_H
#define APP_METRICS_PROM_FILE_H

#include <stdbool.h>

#include "record/out.h"

struct prom_file {
	char path[4096], part[4096 + 32];
	int fd;	      /* of the version being written; -1: none */
	bool written; /* a file of ours exists */
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
