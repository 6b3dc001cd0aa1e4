/*
 * reporter.h - how a session tells people what went wrong, and the exit status that stands for it.
 *
 * A message is one sentence and perhaps a remedy.  The program gives a `struct reporter` and decides where messages go.  Names of files and
 * processes stand in them as found: whoever shows a message sanitises it.
 */
#ifndef SESSION_REPORTER_H
#define SESSION_REPORTER_H

enum {
	EXIT_DONE = 0,
	EXIT_FAILED = 1,
	EXIT_USAGE = 2,
	EXIT_OURS = 125, /* of a COMMAND that could not be started; as of env, nohup and timeout */
	EXIT_NOT_RUN = 126,
	EXIT_NOT_FOUND = 127
};

struct reporter {
	/* A message; `remedy` may be NULL. */
	void (*message)(void *ctx, const char *remedy, const char *text);
	void *ctx;
};

/* Format a message and pass it on. */
__attribute__((format(printf, 3, 4))) void report_message(
    const struct reporter *to, const char *remedy, const char *format, ...);

#endif
