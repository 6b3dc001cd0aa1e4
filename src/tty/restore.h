/*
 * restore.h - give the terminal back from anywhere, a signal handler included.
 *
 * While armed, the modes to restore, the bytes to send and the captured standard error are kept in static
 * storage, since a signal handler has nothing else.  restore_now uses only async-signal-safe calls and does
 * its work once.
 */
#ifndef TTY_RESTORE_H
#define TTY_RESTORE_H

#include <stdbool.h>
#include <stddef.h>
#include <termios.h>

#include "tty/sink.h"

#define RESTORE_BYTES_MAX 512

/* Remember how the terminal was (modes of `in`; `out` is where its screen is), and install the handlers.
 * Standard error is captured if it is the same terminal. */
void restore_arm(int in, struct sink_out out, const struct termios *modes);

/* The bytes that bring the terminal's screen, cursor and keypad back; cut at RESTORE_BYTES_MAX. */
void restore_set_bytes(const char *bytes, size_t len);

/* Restore modes and screen by system calls, once. */
void restore_now(void);

/* Send the bytes alone.  A terminal that takes no output loses what it has not taken yet. */
void restore_screen(void);

/* Undo a Ctrl-S: without that nothing would reach the terminal, and a write would wait. */
void restore_flow(int fd);

/* Take the handlers away, as far as they are still ours, and print what standard error has captured. */
void restore_disarm(void);

/* Whether a SIGTSTP, or a SIGCONT, has come since the last call. */
bool restore_take_stop(void);
bool restore_take_continue(void);

/* Stop this process as the default action of SIGTSTP does; returns when it goes on.  Meanwhile the terminal
 * is not ours: restore_now does nothing. */
void restore_stop(void);

#endif
