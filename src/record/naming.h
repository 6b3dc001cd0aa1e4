/*
 * naming.h - new files named by a pattern: %p the pid, %t the time, %n a number, %% a percent sign.
 *
 * A directory stands for the pattern DIR/rtevtop-NAME-%p-%t in it, with the ending of the file's form.  Nothing of
 * naming_open ever replaces a file: where the pattern has a number the next one is tried, else "-2", "-3" .. goes before the ending.
 */
#ifndef RECORD_NAMING_H
#define RECORD_NAMING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NAMING_PATH 4096

struct naming {
	const char *where;  /* directory or pattern; NULL: the working directory */
	const char *ending; /* ".fxt" */
	const char *name;   /* of the target, untrusted bytes */
	int64_t pid;	    /* 0: has none, and the default leaves it out */
	uint64_t number;    /* that the next file gets; start from 1 */
};

/* Whether a pattern has no placeholder but those above; if not, *unknown tells which ('\0': it ends in a lone %). */
bool naming_valid(const char *pattern, char *unknown);

/* Whether a pattern makes more than one name. */
bool naming_varies(const char *pattern);

/* Whether a valid pattern has a placeholder: 'p', 't' or 'n'. */
bool naming_has(const char *pattern, char placeholder);

/* The path that a pattern makes for a moment, in seconds since 1970: with %n the next that is not taken.  False with errno set. */
bool naming_path(struct naming *naming, int64_t seconds, char path[NAMING_PATH]);

/* Make a new file, readable by us alone, named for a moment, in seconds since 1970.  Returns its descriptor and its path; -1 with
 * errno set, in words of folder_strerror, and the path that was tried. */
int naming_open(struct naming *naming, int64_t seconds, char path[NAMING_PATH]);

/* Take away a file that was made here and got nothing; false: it holds something. */
bool naming_discard(const char *path);

#endif
