/*
 * sink.h - collect the output of ncurses and send it to the terminal.
 *
 * ncurses flushes its buffer at every cursor move, so a terminal behind a network would show each redraw in
 * dozens of pieces.  So ncurses writes into memory, and each redraw is sent as one *piece*.
 *
 * A terminal may take its output slowly, or not at all (Ctrl-S, a stalled connection).  The sink does not
 * wait for it: bytes that the terminal does not take stay *pending*, and no new piece is made before the last
 * one has been sent completely.  For this, the sink opens the terminal again to get its own non-blocking file
 * description.  The given one is shared with the shell, so its flags must not change.
 */
#pragma once

#include "core/std.h"

/* A descriptor to write to without waiting. */
struct sink_out {
	int fd;
	bool blocks; /* it could not be opened again: call poll before each byte */
};

struct sink {
	FILE *stream; /* for ncurses; a file in memory */
	struct sink_out out;
	int given; /* the descriptor passed to sink_open */
	char *piece;
	size_t room;
	size_t at, len; /* bytes from `at` up to `len` of the piece are pending */
	bool late;	/* the terminal did not take all of the last piece at once */
	uint64_t bytes; /* sent so far */
};

/* Open the file of a descriptor again.  The descriptor stays the caller's; sink_out_close closes only the new
 * one. */
struct sink_out sink_out_open(int given);
void sink_out_close(struct sink_out out, int given);

/* Set up a sink for a descriptor, which stays the caller's.  Returns false when out of memory. */
bool sink_open(struct sink *sink, int out);

/* Free the sink's resources.  Unsent output is dropped.  A sink of zeros is allowed. */
void sink_close(struct sink *sink);

/* Send as much pending output as the terminal takes.  Returns true when nothing is pending and the terminal
 * takes more. */
bool sink_ready(struct sink *sink);

/* Start sending everything written to the stream, with sequences before and after it.  Does nothing if
 * nothing was written.  No output may be pending.  Returns true when nothing is left to be sent. */
bool sink_send(struct sink *sink, const char *before, const char *after);

/* Drop what was written to the stream and what is pending.  If the terminal is late, the output in its queue
 * is discarded too. */
void sink_drop(struct sink *sink);

/* Whether two descriptors refer to the same terminal. */
bool sink_same_terminal(int a, int b);

/*
 * Write all bytes with async-signal-safe calls only.  Returns the number of bytes written.  Waits up to
 * SINK_PATIENCE_MS at a time as long as the terminal takes output.  When it takes none, `make_room` discards
 * its output queue once and the bytes are sent again from the first; otherwise the rest is dropped.
 */
#define SINK_PATIENCE_MS 100
size_t sink_write(struct sink_out out, const char *bytes, size_t len, bool make_room);
