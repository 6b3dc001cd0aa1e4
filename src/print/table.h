/*
 * table.h - columns of text, and text wrapped to the width of a report.
 *
 * Texts are untrusted: they are printed as by out_foreign, and padded by their number of characters.
 */
#pragma once

#include "print/out.h"

#define TABLE_COLUMNS 80 /* width of a text report */

/* A column; the last of a table is followed by one without a title. */
struct table_column {
	const char *title; /* NULL: the end */
	int width;	   /* negative: left-aligned */
};

/* Print `count` blanks; none for a negative number. */
void table_blanks(struct out *out, int count);

/* Print a text in a column of a given width; longer text is printed in full. */
void table_cell(struct out *out, int width, const char *text);

/* Print the cells of a line, separated by blanks, without the end of the line; or the titles of the columns,
 * with the end of the line. */
void table_cells(struct out *out, const struct table_column *columns, const char *const *cells);
void table_head(struct out *out, const struct table_column *columns);

/* Print words, wrapped at TABLE_COLUMNS, and the end of the line.  The first word begins at column `at`,
 * further lines at `indent`. */
void table_wrap(struct out *out, const char *text, int at, int indent);
