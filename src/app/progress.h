/*
 * progress.h - one line of progress on standard error, when that is a terminal: written over the one before.
 *
 * It is cut where the terminal ends, since a line that wraps can't be written over.
 */
#ifndef APP_PROGRESS_H
#define APP_PROGRESS_H

#include <stdbool.h>

struct progress {
	bool terminal; /* standard error is one */
	bool shown;    /* there is an unfinished line on it */
};

void progress_init(struct progress *p);

/* Show a text of ASCII characters. */
__attribute__((format(printf, 2, 3))) void progress_show(struct progress *p, const char *format, ...);

/* Take the line away, before something else is written to the terminal. */
void progress_clear(struct progress *p);

/* Leave the line as it is, and go on below it. */
void progress_end(struct progress *p);

#endif
