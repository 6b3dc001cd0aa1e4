/*
 * prom_file.h - the file that a scraper reads: replaced as a whole, and removed at the end.
 *
 * A new version is written beside it under a name that a collector of *.prom does not take, then renamed.  A file that is there already is
 * replaced only if it begins with METRICS_FIRST_LINE.
 */
#ifndef APP_METRICS_PROM_FILE_H
#define APP_METRICS_PROM_FILE_H

#include <stdbool.h>

#include "record/out.h"

struct prom_file {
	char path[4096], part[4096 + 32];
	int fd;	      /* of the version being written; -1: none */
	bool written; /* there is a file of ours */
};

/* An exit status after the reason was reported. */
int prom_file_open(struct prom_file *file, const char *path);

/* Begin a version, to be written to `out`.  False when it can't be made; errno says why. */
bool prom_file_begin(struct prom_file *file, struct out *out);

/* Put it in place; `error` is that of `out`.  0 or an errno value: the old version stands. */
int prom_file_end(struct prom_file *file, int error);

/* Remove it, unless it is to be kept. */
void prom_file_close(struct prom_file *file, bool keep);

#endif
