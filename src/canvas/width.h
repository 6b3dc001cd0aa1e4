/*
 * width.h - the number of columns that a character takes.
 *
 * The widths come from our own table.  wcwidth depends on the locale and the C library; with the table, a
 * text has the same width in a test, in a file and on every terminal.
 */
#ifndef CANVAS_WIDTH_H
#define CANVAS_WIDTH_H

#include <stdint.h>

/* Number of columns of a code point: 0 for combining marks and joiners, 2 for wide East Asian characters and
 * emoji, otherwise 1, including unassigned and invalid code points. */
int width_of(uint32_t code_point);

#endif
