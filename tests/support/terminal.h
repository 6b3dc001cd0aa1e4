/*
 * terminal.h - a terminal (a pty of 50 rows and 200 columns) for a program, whose other side the test is.
 */
#pragma once

#include <stddef.h>
#include <sys/types.h>
#include <termios.h>

#define TERMINAL_SEEN_MAX (1 << 24)

/* All that the terminal has got since the last terminal_start, with a NUL. */
extern char terminal_seen[TERMINAL_SEEN_MAX + 1];
extern size_t terminal_seen_len;

struct terminal {
	int master, slave;
	pid_t child;
	struct termios before;
};

/* Make a terminal and run a program on it, which ends with the test. */
struct terminal terminal_start(const char *const argv[]);

/* Read what there is, at least a byte. */
void terminal_read(struct terminal *t);

/* Read until a text has come that begins at `from` or later. */
void terminal_read_until(struct terminal *t, size_t from, const char *text);

/* Press keys, or send what a terminal sends. */
void terminal_press(const struct terminal *t, const char *keys);
