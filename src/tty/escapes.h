/*
 * escapes.h - control sequences that ncurses' screen handling does not cover.
 */
#ifndef TTY_ESCAPES_H
#define TTY_ESCAPES_H

#include <stdbool.h>
#include <stddef.h>

#include "tty/tty.h"

/* Remove from the environment the description of a terminal that escapes_check has put there, so that programs
 * started from here do not inherit it. */
void escapes_take_back(void);

/* Check that a terminal type is known and can place the cursor.  Returns TTY_OK, TTY_UNKNOWN or TTY_DUMB. */
enum tty_status escapes_check(const char *term, int fd);

/* Collect the bytes that restore the terminal for the shell.  Returns their number, at most `room`. */
size_t escapes_to_restore(char *bytes, size_t room, int rows, bool synchronised);

#endif
