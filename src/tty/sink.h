/*
 * sink.h - where ncurses writes to, and how it reaches the terminal.
 *
 * ncurses writes its buffer out at every move of the cursor.  A terminal at the far end of a network would
 * show each redraw in dozens of pieces.  So ncurses writes into memory, and each redraw is sent as one
 * *piece*.
 *
 * A terminal may take its output slowly, or not at all (Ctrl-S, a stalled connection).  Nothing here waits for
 * it: what it does not take stays *pending*, and no new piece is made before the last one has been sent in
 * whole.  For this the terminal is opened anew, with a file description of our own that does not block: the
 * one that we were given is shared with the shell, and its flags are not ours to change.
 */
#ifndef TTY_SINK_H
#define TTY_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A descriptor to write to without waiting. */
struct sink_out {
	int fd;
	bool blocks; /* it could not be opened anew: poll is asked before each byte */
};

struct sink {
	FILE *stream; /* for ncurses; a file in memory */
	struct sink_out out;
	int given; /* the descriptor that sink_open was told */
	char *piece;
	size_t room;
	size_t at, len; /* pending: from `at` up to `len` of the piece */
	bool late;	/* the last piece was not taken at once */
	uint64_t bytes; /* sent so far */
};

/* Open what a descriptor, which stays the caller's, stands for anew; sink_out_close closes what was opened. */
struct sink_out sink_out_open(int given);
void sink_out_close(struct sink_out out, int given);

/* Set up a sink for a descriptor, which stays the caller's; false when memory is short. */
bool sink_open(struct sink *sink, int out);

/* Free what sink_open made; what was not sent is dropped.  A sink of zeros is allowed. */
void sink_close(struct sink *sink);

/* Send what is pending, as far as the terminal takes it.  True when nothing is left and the terminal takes more. */
bool sink_ready(struct sink *sink);

/* Begin to send all that has been written to the stream, with sequences before and after it; nothing if nothing
 * was written.  Nothing may be pending. */
void sink_send(struct sink *sink, const char *before, const char *after);

/* Forget what was written to the stream and what is pending, and let the terminal's queue be emptied if the terminal
 * is behind. */
void sink_drop(struct sink *sink);

/* Tell whether two descriptors are the same terminal. */
bool sink_same_terminal(int a, int b);

/*
 * Write everything by system calls alone, as a signal handler may; returns how much was written.  A terminal is waited for
 * SINK_PATIENCE_MS at a time, as long as it takes something.  If it takes nothing, its queue is emptied if `make_room`, and the
 * bytes are sent anew from the first on; else the rest is dropped.
 */
#define SINK_PATIENCE_MS 100
size_t sink_write(struct sink_out out, const char *bytes, size_t len, bool make_room);

#endif
