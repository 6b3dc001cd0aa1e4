/*
 * reporter.h - messages of a session to the user, and exit statuses.
 *
 * A message is one sentence, with a remedy if there is one.  The program supplies a `struct reporter` and
 * decides where messages go.  Names of files and processes in a message are unsanitised: the program
 * sanitises the text before it shows it.
 */
#pragma once

enum {
	EXIT_DONE = 0,
	EXIT_FAILED = 1,
	EXIT_USAGE = 2,
	EXIT_OURS = 125, /* COMMAND could not be started; env, nohup and timeout use this status too */
	EXIT_NOT_RUN = 126,
	EXIT_NOT_FOUND = 127
};

struct reporter {
	/* `remedy` may be NULL. */
	void (*message)(void *ctx, const char *remedy, const char *text);
	void *ctx;
};

/* Format a message and pass it to the reporter.  Returns EXIT_FAILED. */
__attribute__((format(printf, 3, 4))) int report_message(
    const struct reporter *to, const char *remedy, const char *format, ...);
