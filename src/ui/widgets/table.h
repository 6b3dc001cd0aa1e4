/*
 * table.h - columns of a table: which fit, how wide, and the drawing of rows.
 *
 * Every column has a least and a wished width.  When the least widths do not fit, columns go in the order of
 * their rank, the highest first; those of rank 0 go last, from the right.  What is left over goes to columns
 * that wish for more, and in the end to the first column that is marked `grows`.
 */
#ifndef UI_WIDGETS_TABLE_H
#define UI_WIDGETS_TABLE_H

#include <stdbool.h>

#include "canvas/canvas.h"

#define TABLE_COLUMNS_MAX 24

struct table_column {
	const char *title;
	int least, wish;
	enum align align;
	int rank;
	bool grows;
};

/* Where the columns stand: offset from the table's left edge, and width, 0 for a column left out. */
struct table {
	const struct table_column *columns;
	int count;
	int offset[TABLE_COLUMNS_MAX], width[TABLE_COLUMNS_MAX];
};

struct table_cell {
	const char *text; /* NULL: empty */
	enum style style;
};

enum table_order { TABLE_UNSORTED, TABLE_ASCENDING, TABLE_DESCENDING };

/* Work out the columns for `width` columns with `gap` between them; `columns` must stay in place. */
void table_layout(struct table *table, const struct table_column *columns, int count, int width, int gap);

/* Before a layout: make a column wide enough for figures of so many columns, which are never cut. */
void table_widen(struct table_column *column, int width);

/* Draw the titles; the one that the table is sorted by carries an arrow.  `sorted` is -1 for none. */
void table_header(
    struct canvas *canvas, const struct table *table, int row, int col, int sorted, enum table_order order);

/* Draw one row of cells, one for each column. */
void table_row(
    struct canvas *canvas, const struct table *table, int row, int col, const struct table_cell *cells);

/* The place of a column's cell in a row, empty if it is left out: for cells that hold a plot. */
struct rect table_cell_rect(const struct table *table, int row, int col, int column);

#endif
