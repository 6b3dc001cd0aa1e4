/*
 * table.h - fit the columns of a table and draw its rows; the position in a list.
 *
 * Every column has a least and a wished width.  If the least widths do not fit, columns are dropped by rank,
 * the highest first; those of rank 0 last, from the right.  Spare width goes to columns below their wish,
 * then to the first column that grows.  A column of names takes what its names need, as far as there is room;
 * a name that does not fit is shortened in its middle.
 */
#pragma once

#include "canvas/canvas.h"

#define TABLE_COLUMNS_MAX 24
#define TABLE_HIDDEN (-1) /* least width of a column that is never drawn */

enum table_room {
	TABLE_FIXED, /* no more than its wish */
	TABLE_GROWS, /* all the rest */
	TABLE_NAMES, /* names: see table_fit_name */
	TABLE_PHASES /* names of phases: a short name (core/event.h) replaces one that does not fit */
};

struct table_column {
	const char *title;
	int least, wish;
	enum align align;
	int rank;
	enum table_room room;
};

/*
 * Columns are listed as X(NAME, title, least, wish, alignment, rank, room, cell).  TABLE_LIST numbers them COLUMN_NAME,
 * and makes them.  TABLE_RETURN ends a function that returns the cell of a column; the list's cells are expressions over
 * its variables.
 */
#define TABLE_LIST(list, columns, count)                                                                     \
	enum { list(TABLE_ENUM) count };                                                                     \
	static const struct table_column columns[count] = {list(TABLE_ROW)}
#define TABLE_RETURN(list)                                                                                   \
	switch (column) {                                                                                    \
		list(TABLE_CELL)                                                                             \
	}                                                                                                    \
	return cell_empty()
#define TABLE_ENUM(name, ...) COLUMN_##name,
#define TABLE_ROW(name, title, least, wish, align, rank, room, ...)                                          \
	{title, least, wish, ALIGN_##align, rank, TABLE_##room},
#define TABLE_CELL(name, title, least, wish, align, rank, room, ...)                                         \
	case COLUMN_##name:                                                                                  \
		return __VA_ARGS__;

/* Positions: offset from the table's left edge, and width; 0: dropped. */
struct table {
	const struct table_column *columns;
	int count;
	int offset[TABLE_COLUMNS_MAX], width[TABLE_COLUMNS_MAX];
};

struct table_cell {
	const char *text; /* NULL: empty */
	enum style style;
};

/* Fit the columns into `width` cells with `gap` cells between; `columns` must stay valid. */
void table_layout(struct table *table, const struct table_column *columns, int count, int width, int gap);

/* Before table_layout: make a column at least this wide; figures are never cut. */
void table_widen(struct table_column *column, int width);

/* Before table_layout: let a column of names have this width, and at least two thirds of the wish in `given`,
 * the column as declared. */
void table_fit_name(struct table_column *column, const struct table_column *given, int width);

/* Draw the titles, with an arrow at the sort column; `sorted` is -1 for none. */
void table_header(
    struct canvas *canvas, const struct table *table, int row, int col, int sorted, bool ascending);

/* Draw one row of cells, one for each column. */
void table_row(
    struct canvas *canvas, const struct table *table, int row, int col, const struct table_cell *cells);

/* Return the rectangle of a cell, for plots; empty if the column was dropped. */
struct rect table_cell_rect(const struct table *table, int row, int col, int column);

/* ---- lists ---- */

/*
 * Selection and scroll position of a list.  `selected` is 0..count-1 (0 for an empty list).  `first` is the
 * first line shown, such that the selected line is visible and no space is left after the end. list_update
 * restores both after the list or the screen changed size.
 */

struct list {
	int count; /* number of lines */
	int page;  /* visible lines, at least 1 after list_update */
	int first, selected;
};

enum list_move { LIST_UP, LIST_DOWN, LIST_PAGE_UP, LIST_PAGE_DOWN, LIST_HOME, LIST_END };

/* Set new sizes; keep the selection, clamped. */
void list_update(struct list *list, int count, int page);

/* Move the selection.  Returns true if it moved. */
bool list_go(struct list *list, enum list_move move);

/* Select a line, clamped. */
void list_select(struct list *list, int line);
