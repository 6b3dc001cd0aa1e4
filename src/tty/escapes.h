/*
 * escapes.h - control sequences that ncurses' screen handling does not cover.
 */
#pragma once

#include "tty/tty.h"

/* Remove from the environment the description of a terminal that escapes_check has put there, so that programs
 * started from here do not inherit it. */
void escapes_take_back(void);

/* Check that a terminal type is known and can place the cursor.  Returns TTY_OK, TTY_UNKNOWN or TTY_DUMB. */
enum tty_status escapes_check(const char *term, int fd);

/* The sequence that turns reports of the mouse on, or off; NULL if terminals of this type have none.  With the screen
 * open. */
const char *escapes_mouse(const char *term, bool on);

/* Write the questions for the colour of the ground (OSC 11), if asked for, and for synchronised output (DECRQM 2026), and the
 * one that every terminal answers, device attributes.  Returns false and writes nothing if terminals of this type may
 * not know how to read over what they don't know.  With the screen open. */
bool escapes_ask(FILE *out, const char *term, bool ground, bool synchronised);

/* Write the sequence that puts a text on the clipboard (OSC 52), wrapped as tmux or screen asks for.  Returns false and
 * writes nothing if terminals of this type are not known to have it. */
bool escapes_copy(FILE *out, const char *term, bool tmux, const char *text, size_t len);

/* Collect the bytes that restore the terminal for the shell.  Returns their number, at most `room`. */
size_t escapes_to_restore(char *bytes, size_t room, const char *term, int rows, bool synchronised);
