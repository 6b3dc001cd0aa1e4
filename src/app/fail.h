/*
 * fail.h - the one form of messages: "rtevtop: what failed: why", then a line with the remedy.
 */
#ifndef APP_FAIL_H
#define APP_FAIL_H

#include <stddef.h>
#include <stdint.h>

#include "session/reporter.h"

/* Print a message to standard error; `remedy` may be NULL.  Foreign bytes in the text are made harmless. */
__attribute__((format(printf, 2, 3))) void fail_message(const char *remedy, const char *format, ...);

/* For a session: its messages are ours. */
extern const struct reporter fail_report;

/* Hand the lines of messages to a function from now on, instead of writing them to standard error. */
void fail_divert(void (*say)(const char *line, size_t len));

/* The last message, without its remedy; "" before the first. */
const char *fail_last(void);

/* Report what of a ring made no sense, if anything did: words that were skipped, and how often stamps went back.  `where` says
 * where to see it.  EXIT_FAILED if there was something, else EXIT_DONE. */
int fail_corrupt(const char *path, uint64_t words, uint64_t falls, const char *where);

/* Print a message about wrong usage, with where to read more.  Returns EXIT_USAGE. */
__attribute__((format(printf, 1, 2))) int fail_usage(const char *format, ...);

/* At the end of an output to standard output: `error` is the errno of its first failed write, 0 when there was none.  Reports a
 * failure to write `what`; that a reader has seen enough is none.  The exit status. */
int fail_output(int error, const char *what);

#endif
