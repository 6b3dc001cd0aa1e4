/*
 * sink.h - where ncurses writes to, and how it reaches the terminal.
 *
 * ncurses writes its buffer out at every move of the cursor.  A terminal at the far end of a network would
 * show each redraw in dozens of pieces.  So ncurses writes into memory, and each redraw goes out as one
 * piece.
 */
#ifndef TTY_SINK_H
#define TTY_SINK_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct sink {
	FILE *stream; /* for ncurses; a file in memory */
	int out;      /* the terminal */
	char *piece;
	size_t room;
	uint64_t bytes; /* sent so far */
};

/* Set up a sink for a descriptor, which stays the caller's; false when memory is short. */
bool sink_open(struct sink *sink, int out);

/* Free what sink_open made; what was not sent is dropped.  A sink of zeros is allowed. */
void sink_close(struct sink *sink);

/* Tell whether the terminal takes output now, or is stopped or clogged. */
bool sink_ready(const struct sink *sink);

/* Send all that has been written to the stream, with sequences before and after it; nothing if nothing was
 * written. */
void sink_send(struct sink *sink, const char *before, const char *after);

/* Write everything to a descriptor, blocking or not, by system calls alone.  Returns how much was written: less than
 * all only when the terminal is gone. */
size_t sink_write(int fd, const char *bytes, size_t len);

#endif
