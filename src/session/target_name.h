/*
 * target_name.h - what a TARGET of the command line names.
 */
#ifndef SESSION_TARGET_NAME_H
#define SESSION_TARGET_NAME_H

#include <stdbool.h>
#include <stdint.h>

enum target_kind { TARGET_PID, TARGET_DIR_PID, TARGET_FILE };

struct target_name {
	enum target_kind kind;
	int64_t pid;
	char dir[4096];
	const char *path;
};

/* Parse a TARGET: digits are a pid; DIR:DIGITS is a pid and its directory, unless a file has that name;
 * anything else is a path.  Returns false if it is none of them. */
bool target_name_parse(struct target_name *out, const char *text);

#endif
