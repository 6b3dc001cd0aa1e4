/*
 * tty.h - the terminal: the only user of ncurses.
 *
 * A program draws on a canvas (canvas/canvas.h), flushes it, and asks for keys (canvas/keys.h).  The tty copies the
 * cells that have changed to ncurses, which sends what differs from what the terminal shows.
 *
 * The terminal is given back on every way out: tty_close, exit (through atexit), and signals.  For SIGSEGV,
 * SIGBUS, SIGILL, SIGFPE, SIGABRT and SIGQUIT, and for every other signal that ends a program as far as it
 * stands at its default when the tty is opened, it restores modes and screen by system calls alone and hands
 * the signal on to whoever had it before. A program that wants to leave by its main function installs its own
 * handlers, for SIGTERM and the like.  A program that can mend a SIGBUS installs its handler after tty_open,
 * and calls the one it found there for what it can't mend.  Nothing waits long for a terminal that takes no
 * output: on the way out, what it has not taken is dropped.
 *
 * While the tty is open, what is written to standard error goes to memory if it would go to this terminal; it
 * is printed when the terminal has been given back.
 *
 * There is one tty at a time, in the process that opened it; a forked child leaves the terminal alone.  The
 * locale must be set (setlocale(LC_CTYPE, "")) before tty_open.
 */
#ifndef TTY_TTY_H
#define TTY_TTY_H

#include <stdbool.h>
#include <stdint.h>

#include "canvas/canvas.h"
#include "canvas/keys.h"

struct tty;

/* X(NAME, sentence) */
#define TTY_STATUSES(X)                                                                                      \
	X(OK, "no error")                                                                                    \
	X(NOT_A_TERMINAL, "standard input and output are not a terminal")                                    \
	X(NO_TERM, "TERM is not set")                                                                        \
	X(UNKNOWN, "this type of terminal is not known here (TERM)")                                         \
	X(DUMB, "this type of terminal cannot place text on its screen (TERM)")                              \
	X(BUSY, "the terminal is already in use")                                                            \
	X(NO_MEMORY, "out of memory")

enum tty_status {
#define TTY_STATUS_ENUM(name, sentence) TTY_##name,
	TTY_STATUSES(TTY_STATUS_ENUM)
#undef TTY_STATUS_ENUM
};

/* The sentence for a status.  Static storage. */
const char *tty_strerror(enum tty_status status);

struct tty_options {
	int in, out;	  /* descriptors, which stay the caller's */
	const char *term; /* the value of TERM */
	bool utf8;	  /* the locale's codeset is UTF-8 */
	bool ascii;	  /* use ASCII glyphs only */
	bool no_color;	  /* use attributes only */
	bool
	    synchronised; /* bracket each redraw by the sequences of synchronised output (DEC private mode 2026) */
	/*
	 * For tests and measurements: above 0, the size of a terminal that is not there.  `out` may then be
	 * any file; standard error and signals are left alone.
	 */
	int rows, cols;
};

/* Take the terminal: alternate screen, single keys, no echo.  On failure nothing is changed and *out is NULL.
 * Where the terminal knows its size, LINES and COLUMNS are removed from the environment. */
enum tty_status tty_open(struct tty **out, const struct tty_options *options);

/* Give the terminal back and free.  NULL is allowed. */
void tty_close(struct tty *tty);

void tty_size(const struct tty *tty, int *rows, int *cols);

/* What the terminal can show: its glyphs, and whether colours tell styles apart. */
enum glyph_level tty_level(const struct tty *tty);
bool tty_colour(const struct tty *tty);

/* Make a canvas as large as the terminal, with its look, blank; false when memory is short. */
bool tty_fit(const struct tty *tty, struct canvas *canvas);

/* Send what the terminal has not taken yet, without waiting.  True when it has taken everything and takes more: while
 * it does not (Ctrl-S, a slow or stalled connection), tty_output is a descriptor to poll for POLLOUT. */
bool tty_ready(struct tty *tty);
int tty_output(const struct tty *tty);

/* Show a canvas.  What lies outside the terminal is not shown; where the canvas is smaller, the screen is
 * blank.  What has changed goes out in one piece, as far as the terminal takes it at once.  False, and nothing
 * done, while it is not ready: the next call makes up for it. */
bool tty_flush(struct tty *tty, const struct canvas *canvas);

/* Show the cursor at a place from the next flush on, as for a line of input; row -1 hides it. */
void tty_cursor(struct tty *tty, int row, int col);

/*
 * The next key, UI_KEY_NONE when there is none: never waits for one.  (A sequence that begins with Esc is
 * waited for a fortieth of a second.)  After UI_KEY_RESIZE the size may be another and everything has to be
 * drawn again; it comes before keys that wait.  Ctrl-Z is a key like any other, and so is a SIGTSTP sent from
 * outside.  The descriptor to poll for keys is options.in; SIGWINCH, SIGTSTP and SIGCONT interrupt the poll,
 * and a call of this function is due after it even when the descriptor is not ready.
 */
ui_key tty_key(struct tty *tty);

/* Draw everything anew at the next flush, whatever the terminal may show now. */
void tty_redraw(struct tty *tty);

/* Give the terminal back, stop this process as Ctrl-Z does, and take the terminal again when it goes on.
 * Afterwards the next key is UI_KEY_RESIZE. */
void tty_suspend(struct tty *tty);

/* Bytes that the terminal has taken since it was opened. */
uint64_t tty_bytes(const struct tty *tty);

#endif
