/*
 * restore.h - restore the terminal from anywhere, including a signal handler.
 *
 * While armed, the modes to restore, the bytes to send and the captured standard error are in static storage,
 * because a signal handler has no other way to reach them.  It restores by async-signal-safe calls alone,
 * and once.
 */
#pragma once

#include <termios.h>

#include "tty/sink.h"

#define RESTORE_BYTES_MAX 512

/* Remember the terminal's modes (those of `in`) and its output `out`, and install the signal handlers.
 * Standard error is captured if it is the same terminal. */
void restore_arm(int in, struct sink_out out, const struct termios *modes);

/* Set the bytes that restore the terminal's screen, cursor and keypad; cut at RESTORE_BYTES_MAX. */
void restore_set_bytes(const char *bytes, size_t len);

/* Send only the bytes.  If the terminal takes no output, its pending output is dropped. */
void restore_screen(void);

/* Undo a Ctrl-S.  Otherwise no output would reach the terminal, and a write would block. */
void restore_flow(int fd);

/* Remove the handlers that are still ours, and print the captured standard error. */
void restore_disarm(void);

/* Whether a SIGTSTP, a SIGCONT, or a SIGWINCH, has arrived since the last call. */
bool restore_take_stop(void);
bool restore_take_continue(void);
bool restore_take_resize(void);

/* Stop this process with the default action of SIGTSTP; returns when it is continued.  Meanwhile the terminal
 * is not ours, and is not restored. */
void restore_stop(void);
