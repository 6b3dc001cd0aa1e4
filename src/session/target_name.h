/*
 * target_name.h - what a TARGET on the command line names.
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

/* Digits are a pid; DIR:DIGITS a pid and its directory unless a file of that name exists; all else a path. */
bool target_name_parse(struct target_name *out, const char *text);

#endif
