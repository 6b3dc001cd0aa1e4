/*
 * progress.h - a line of progress on standard error that overwrites itself, if standard error is a terminal.
 *
 * The line is truncated to the width of the terminal, since a wrapped line can't be overwritten.
 */
#ifndef APP_PROGRESS_H
#define APP_PROGRESS_H

#include <stdbool.h>

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

#endif
