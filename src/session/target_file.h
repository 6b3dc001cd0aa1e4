/*
 * target_file.h - a TARGET that is a file: opened once, and classified by its first bytes.
 *
 * The kind only tells apart what is certainly no ring.  Whatever begins in no known way is TARGET_FILE_RING, and whoever reads its
 * header judges it.
 */
#ifndef SESSION_TARGET_FILE_H
#define SESSION_TARGET_FILE_H

#include <stdbool.h>

#include "session/reporter.h"

enum target_file_kind {
	TARGET_FILE_RING,
	TARGET_FILE_FXT,      /* a Fuchsia trace: perhaps a recording of ours */
	TARGET_FILE_MEMTRACE, /* what the memtrace library writes */
	TARGET_FILE_EMPTY     /* empty for so long that no runtime is creating it */
};

struct target_file {
	const char *path;
	int fd;	    /* open for reading, -1 when it could not be opened: */
	int status; /* RTEV_OK, or why not */
	enum target_file_kind kind;
};

/* Open the file and read its first bytes.  Never blocks: what is no regular file is not opened. */
void target_file_open(struct target_file *file, const char *path);
void target_file_close(struct target_file *file);

/* Report a file that no command but `memtrace` can take.  An empty one passes when the caller `waits` for a ring.  False when there was
 * nothing to report. */
bool target_file_refuse(const struct target_file *file, bool waits, const struct reporter *report);

/* Report why no ring could be read at a path, by the library's status.  `suggest` (may be NULL) returns the subcommand that a path
 * which is not there was meant to be, or NULL. */
void target_file_explain(
    const char *path, int status, const char *(*suggest)(const char *path), const struct reporter *report);

#endif
