/*
 * target_file.h - the kinds of TARGET, and a TARGET that is a file: opened once, and classified by its first
 * bytes.
 *
 * TARGET_FILE_RING is any file that is certainly of no other kind; the reader of its header decides.
 */
#pragma once

#include <sys/types.h>

#include "core/std.h"
#include "launch/reporter.h"

/* ---- target name ---- */

enum target_kind { TARGET_PID, TARGET_DIR_PID, TARGET_FILE };

struct target_name {
	enum target_kind kind;
	int64_t pid;
	char dir[4096];
	const char *path;
};

/* Parse a TARGET: digits are a pid; DIR:DIGITS is a pid and its directory, unless a file has that name;
 * anything else is a path.  Returns false if the text is not valid. */
bool target_name_parse(struct target_name *out, const char *text);

#define TARGET_PIDS_MAX 4096

/* Find the running OCaml processes with the name that a TARGET gives (process_is_called): a word without a
 * slash for which there is no file.  `wait_ns`, how long to wait for the first process, and `dir` are as in
 * session_options.  `pids` gets at most TARGET_PIDS_MAX of them, *count their number.  Returns 0, or the
 * errno value of a resource that ran short. */
int target_name_find(
    const char *text, const char *dir, uint64_t wait_ns, pid_t pids[TARGET_PIDS_MAX], size_t *count);

/* ---- target file ---- */

enum target_file_kind {
	TARGET_FILE_RING,
	TARGET_FILE_FXT,      /* a Fuchsia trace, possibly a recording of ours */
	TARGET_FILE_MEMTRACE, /* what the memtrace library writes */
	TARGET_FILE_EMPTY     /* empty, and no ring that a runtime is creating */
};

struct target_file {
	const char *path;
	int fd;	    /* open for reading; -1 on failure */
	int status; /* RTEV_OK, or why it could not be opened */
	enum target_file_kind kind;
};

/* Open the file and read its first bytes.  Never blocks: only regular files are opened. */
void target_file_open(struct target_file *file, const char *path);
void target_file_close(struct target_file *file);

/* Report a file that only the command memtrace reads, or an empty one unless the caller `waits` for a ring.
 * Returns false if there was nothing to report. */
bool target_file_refuse(const struct target_file *file, bool waits, const struct reporter *report);

/* Report why the ring at a path can't be read.  `suggest` (may be NULL) returns the subcommand that a missing
 * path may stand for, or NULL. */
void target_file_explain(
    const char *path, int status, const char *(*suggest)(const char *path), const struct reporter *report);
