/*
 * width.h - how many columns a character takes.
 *
 * The answer comes from a table of our own, not from wcwidth, which follows the locale and the C library: the
 * same text has the same width in a test, in a file and on every terminal.
 */
#ifndef CANVAS_WIDTH_H
#define CANVAS_WIDTH_H

#include <stdint.h>

/* Columns that a code point takes: 0 for combining marks and joiners, 2 for wide East Asian characters and
 * emoji, else 1, also for what is not assigned or no character at all. */
int width_of(uint32_t code_point);

#endif
