/*
 * escapes.h - control sequences that ncurses' screen handling does not cover.
 */
#pragma once

#include "tty/tty.h"

/* Remove from the environment the terminal description that escapes_check has put there, so that child
 * processes do not inherit it. */
void escapes_take_back(void);

/* Check that a terminal type is known and can place the cursor.  Returns TTY_OK, TTY_UNKNOWN or TTY_DUMB. */
enum tty_status escapes_check(const char *term, int fd);

/* The sequence that turns mouse reports on or off; NULL if terminals of this type have none.  The screen must
 * be open. */
const char *escapes_mouse(const char *term, bool on);

/* Ask for the background colour (OSC 11), if wanted, for synchronised output (DECRQM 2026), and for the
 * device attributes, which every terminal answers.  Returns false and writes nothing if terminals of this
 * type may show sequences that they don't know.  The screen must be open. */
bool escapes_ask(FILE *out, const char *term, bool ground, bool synchronised);

/* Write the sequence that puts a text on the clipboard (OSC 52), wrapped for tmux or screen.  Returns false
 * and writes nothing if terminals of this type are not known to have a clipboard. */
bool escapes_copy(FILE *out, const char *term, bool tmux, const char *text, size_t len);

/* Collect the bytes that restore the terminal for the shell.  Returns their number, at most `room`. */
size_t escapes_to_restore(char *bytes, size_t room, const char *term, int rows, bool synchronised);
