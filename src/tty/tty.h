/*
 * tty.h - the terminal: the only user of ncurses.
 *
 * A program draws on a canvas (canvas/canvas.h), flushes it, and reads keys (canvas/keys.h).  The tty copies
 * the changed cells to ncurses, which sends the differences to the terminal.
 *
 * The terminal is restored by tty_close, at exit (through atexit), and on fatal signals.  These are SIGSEGV,
 * SIGBUS, SIGILL, SIGFPE, SIGABRT and SIGQUIT, and every other signal that ends a program, if it is at its
 * default when the tty is opened.  The signal handler restores modes and screen with system calls only and
 * passes the signal on to the previous handler.  A program that wants to return from main on SIGTERM and the
 * like installs its own handlers.  A program that can recover from a SIGBUS installs its handler after
 * tty_open, and calls the handler it replaced when it can't recover.  No function waits long for a terminal
 * that takes no output; output that it has not taken is dropped when the terminal is restored.
 *
 * While the tty is open, standard error is redirected to memory if it is this terminal.  It is printed when
 * the terminal has been restored.
 *
 * Only one tty can be open at a time, in the process that opened it; a forked child does not touch the
 * terminal.  The locale must be set (characters_set) before tty_open.
 */
#pragma once

#include "canvas/canvas.h"
#include "canvas/keys.h"

struct tty;

/* X(NAME, sentence) */
#define TTY_STATUSES(X)                                                                                      \
	X(TTY_OK, "no error")                                                                                \
	X(TTY_NOT_A_TERMINAL, "standard input and output are not a terminal")                                \
	X(TTY_NO_TERM, "TERM is not set")                                                                    \
	X(TTY_UNKNOWN, "this type of terminal is not known here (TERM)")                                     \
	X(TTY_DUMB, "this type of terminal cannot place text on its screen (TERM)")                          \
	X(TTY_BUSY, "the terminal is already in use")                                                        \
	X(TTY_NO_MEMORY, "out of memory")

enum tty_status { TTY_STATUSES(LIST_NAME) };

/* The sentence for a status.  Static storage. */
const char *tty_strerror(enum tty_status status);

struct tty_options {
	int in, out;	  /* descriptors, which stay the caller's */
	const char *term; /* the value of TERM */
	bool utf8;	  /* the locale's codeset is UTF-8 */
	bool ascii;
	bool no_color; /* use attributes only */
	bool mouse;    /* ask for mouse reports */
	bool tmux;     /* the terminal is tmux's ($TMUX), whatever TERM says */
	bool no_sync;  /* do not ask for synchronised output */
	/* THEME_DARK or THEME_LIGHT: the background, which the terminal is then not asked for; THEME_MONO: as
	 * no_color. */
	enum theme_id theme;
	/*
	 * For tests and measurements: if above 0, the size of an imaginary terminal.  `out` may then be any
	 * file; standard error and signals are left alone.
	 */
	int rows, cols;
};

/* Check whether tty_open would find a terminal that it can use; changes nothing. */
enum tty_status tty_check(const struct tty_options *options);

/* Open the terminal: alternate screen, single keys, no echo.  On failure nothing is changed and *out is NULL.
 * The terminal is asked for its background colour and for synchronised output (DEC private mode 2026, which
 * then encloses each redraw).  It has a tenth of a second to answer; later answers are ignored.  If the
 * terminal reports its size, LINES and COLUMNS are removed from the environment. */
enum tty_status tty_open(struct tty **out, const struct tty_options *options);

/* Restore the terminal and free the tty.  NULL is allowed. */
void tty_close(struct tty *tty);

/* Blank a canvas and give it the terminal's size, glyph level and colour setting.  Returns false when out of
 * memory. */
bool tty_fit(const struct tty *tty, struct canvas *canvas);

/* Send pending output without waiting.  Returns true when nothing is pending and the terminal takes more.
 * Otherwise (Ctrl-S, a slow or stalled connection), poll the descriptor tty_output for POLLOUT. */
bool tty_ready(struct tty *tty);
int tty_output(const struct tty *tty);

/* Show a canvas.  Cells outside the terminal are not shown; if the canvas is smaller, the rest of the screen
 * is blank.  The changes are sent in one piece, as far as the terminal takes it at once.  Returns false and
 * does nothing while the terminal is not ready; the next call then shows all changes. */
bool tty_flush(struct tty *tty, const struct canvas *canvas);

/* Show the cursor at a place from the next flush on, as for a line of input; row -1 hides it. */
void tty_cursor(struct tty *tty, int row, int col);

/*
 * Return the next key, or UI_KEY_NONE when there is none.  Does not wait for a key, except 25 ms for the rest
 * of a sequence that begins with Esc.  UI_KEY_RESIZE comes before other keys; after it the size may have
 * changed, and the program must draw everything again.  Ctrl-Z is an ordinary key, and a SIGTSTP from outside
 * is reported as Ctrl-Z.  Poll options.in for keys.  SIGWINCH, SIGTSTP and SIGCONT interrupt the poll; call
 * this function after that even if the descriptor is not ready.
 */
ui_key tty_key(struct tty *tty);

/* What the mouse did, after a UI_KEY_MOUSE.  The cell is on the screen. */
struct ui_pointer tty_pointer(const struct tty *tty);

/* Turn mouse reports on or off.  Returns false if the terminal has none. */
bool tty_mouse(struct tty *tty, bool on);

/* Put a text on the clipboard with the next flush, by OSC 52.  The terminal does not answer, so it may have
 * refused. */
#define TTY_COPY_MOST 74000 /* bytes of base64, which terminals take */
enum tty_copied { TTY_COPY_SENT, TTY_COPY_LONG, TTY_COPY_UNKNOWN /* terminals of this type don't have it */ };
enum tty_copied tty_copy(struct tty *tty, const char *text, size_t len);

/* Whether ncurses has failed for lack of memory.  Then no key comes any more and the screen's contents are
 * unknown: close the tty. */
bool tty_broken(const struct tty *tty);

/* Send the whole screen at the next flush, whatever the terminal shows now. */
void tty_redraw(struct tty *tty);

/* Restore the terminal, stop this process as Ctrl-Z does, and set the terminal up again when the process is
 * continued.  The next key is then UI_KEY_RESIZE. */
void tty_suspend(struct tty *tty);

/* Number of bytes that the terminal has taken since it was opened. */
uint64_t tty_bytes(const struct tty *tty);
