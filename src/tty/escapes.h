/*
 * escapes.h - control sequences that ncurses' screen handling does not cover.
 */
#ifndef TTY_ESCAPES_H
#define TTY_ESCAPES_H

#include <stdbool.h>
#include <stddef.h>

#include "tty/tty.h"

/* Tell whether a type of terminal is known and can be drawn on: TTY_OK, TTY_UNKNOWN or TTY_DUMB. */
enum tty_status escapes_check(const char *term, int fd);

/* Collect the bytes that bring the terminal back to how a shell wants it; returns how many there are, at most
 * `room`. */
size_t escapes_to_restore(char *bytes, size_t room, int rows, bool synchronised);

#endif
