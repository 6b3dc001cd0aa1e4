/*
 * naming.h - name new files by a pattern: %p the pid, %t the time, %n a number, %% a percent sign.
 *
 * A directory stands for the pattern DIR/rtevtop-NAME-%p-%t plus the ending of the file's form.  naming_open
 * never replaces a file: it tries the next number if the pattern has %n, else it inserts "-2", "-3" and so on
 * before the ending.
 */
#pragma once

#include "core/std.h"

#define NAMING_PATH 4096

struct naming {
	const char *where;  /* directory or pattern; NULL: the working directory */
	const char *ending; /* ".fxt" */
	const char *name;   /* of the target, untrusted */
	int64_t pid;	    /* 0: unknown, and left out of the default name */
	uint64_t number;    /* for the next file; starts at 1 */
};

/* Whether all placeholders of a pattern are known.  If not, *unknown is the first other letter, or '\0' for a
 * lone % at the end. */
bool naming_valid(const char *pattern, char *unknown);

/* Whether a pattern yields more than one name. */
bool naming_varies(const char *pattern);

/* Whether a pattern has a placeholder: 'p', 't' or 'n'. */
bool naming_has(const char *pattern, char placeholder);

/* The path for a time, in seconds since 1970; with %n, the next path that does not exist.  Returns false with
 * errno set. */
bool naming_path(struct naming *naming, int64_t seconds, char path[NAMING_PATH]);

/* Create a file with mode 0600, named for a time in seconds since 1970.  Returns its descriptor and path.  On
 * failure returns -1 with errno set, see folder_strerror, and the path that was tried. */
int naming_open(struct naming *naming, int64_t seconds, char path[NAMING_PATH]);

/* Remove a file created here that is still empty.  Returns false if it is not empty. */
bool naming_discard(const char *path);
