/*
 * fail.h - messages on standard error: "rtevtop: what failed: why", and a second line with the remedy.
 */
#pragma once

#include "code/sampler.h"
#include "model/model.h"
#include "print/out.h"
#include "rtev/memtrace.h"
#include "launch/reporter.h"

/* Print a message; `remedy` may be NULL.  The text is sanitised.  Returns EXIT_FAILED. */
__attribute__((format(printf, 2, 3))) int say(const char *remedy, const char *format, ...);

/* A reporter that prints messages on standard error. */
extern const struct reporter fail_report;

/* A reporter that drops messages, for processes that nobody named: their state says enough. */
extern const struct reporter fail_silent;

/* From now on pass the lines of messages to a function, instead of writing them to standard error. */
void fail_divert(void (*take)(const char *line, size_t len));

/* The last message without its remedy; "" before the first. */
const char *fail_last(void);

/* Report damage of a ring, if any: words that were skipped, and how often timestamps went back.  `where`
 * tells the user where to look.  Returns EXIT_FAILED if there was damage, else EXIT_DONE. */
int fail_corrupt(const char *path, uint64_t words, uint64_t falls, const char *where);

/* Report the lost words, if any, and the size of a ring that would have held them.  `where` is a sentence
 * about where to look, or "". */
void fail_lost(const struct model *m, uint64_t ring_words, const char *where);

/* Let messages about wrong usage refer to the help of a subcommand. */
void fail_help(const char *command);

/* Print a message about wrong usage and refer to the help.  Returns EXIT_USAGE. */
__attribute__((format(printf, 1, 2))) int fail_usage(const char *format, ...);

/* Report that a file could not be written, by an errno value or one for folder_strerror, and what helps.
 * Returns EXIT_FAILED. */
int fail_file(const char *path, int error);

/*
 * Begin output to a descriptor; characters that the locale lacks are escaped.  `stops` is the number of
 * requests to stop (launch/signals.h) that the caller knows of: one more ends the wait for a stuck reader.
 * With NULL writes block.
 */
void fail_output_begin(struct out *out, int fd, unsigned *stops);

/* Report why the code of a target, or a part of it, can't be sampled, if so.  Returns EXIT_FAILED if none of
 * it can be, else EXIT_DONE. */
int fail_code(const struct code_refusal *refusal, const char *name);

/* Report a failed write of `what` to standard output.  `error` is the errno value of the first failed write,
 * 0 if none failed.  A reader that closed the pipe is no failure.  Returns an exit status. */
int fail_output(int error, const char *what);

/* Format a fault of a memtrace file: "malformed trace: what, at byte 4711" or "could not be read: why". */
void fail_memtrace_text(const struct rtev_memtrace_fault *fault, char *buf, size_t size);

/* Report a fault of a memtrace file, with a remedy if there is one.  Returns EXIT_FAILED. */
int fail_memtrace(const char *path, const struct rtev_memtrace_fault *fault);

/* ---- slow readers: how long to wait for one after a request to stop ---- */

struct reader_timeout {
	unsigned stops;		 /* requests to stop that still let the rest be written */
	uint64_t written, moved; /* bytes written; when they last grew, or when no request had come yet */
};

void reader_timeout_init(struct reader_timeout *p, unsigned stops);

/* Whether to give up on a reader: after more requests than `stops`, or after one request and two seconds
 * without progress.  Signals are delivered meanwhile. */
bool reader_timeout_ends(struct reader_timeout *p, uint64_t written);

/* Wait a moment between two calls. */
void reader_timeout_wait(void);

/* ---- progress ---- */

/*
 * A line of progress on standard error that overwrites itself, if standard error is a terminal.
 *
 * The line is truncated to the width of the terminal, since a wrapped line can't be overwritten.
 */

struct progress {
	bool terminal; /* standard error is a terminal */
	bool shown;    /* an unfinished line is shown */
};

void progress_init(struct progress *p);

/* Show a line of ASCII text. */
__attribute__((format(printf, 2, 3))) void progress_show(struct progress *p, const char *format, ...);

/* Erase the line, before other output to the terminal. */
void progress_clear(struct progress *p);

/* Keep the line and continue below it. */
void progress_end(struct progress *p);
