/*
 * tabular.h - table views: moving, searching, filtering and sorting lines.
 *
 * The view supplies the number of items and the cells; this module does the rest, using the view's struct
 * view_place.  A line is an item that passed the filter.  Sorting is stable.
 */
#pragma once

#include "ui/view.h"
#include "ui/views/cells.h"

#define TABULAR_ITEMS_MAX 32768

/* A line of a settled table moves when its figure exceeds its neighbour's by a tenth. */
#define TABULAR_PASSES 1.1

struct tabular {
	const struct table_column *columns;
	int column_count;
	int sort;	/* initial sort column, -1: the items' order */
	bool ascending; /* initial direction */
	bool settled;	/* a line moves only when it passes its neighbour by TABULAR_PASSES */
	bool steady;	/* columns of unknown figures stay, as while the target pauses its events */
	bool sparse;	/* columns of empty texts are never drawn */
	bool no_cursor; /* the cursor is elsewhere */
	bool filtered;	/* the items are already filtered */
	bool ordered;	/* the items come in the order of `sort` */
	bool follows;	/* the selection also stays with its item on the first line */
	/* Return the position in a table other than the view's first; NULL: use the view's position. */
	struct view_place *(*place)(struct ui *ui);
	const char *item_name; /* name of an item, if the view has another list; else NULL */
	const char *empty;     /* text for an empty table; "": none */
	int (*items)(struct ui *ui, const struct subject *subject);
	struct tabular_cell (*cell)(struct ui *ui, const struct subject *subject, int item, int column);
	/* Return whether an item is left out; NULL: none is. */
	bool (*hides)(struct ui *ui, const struct subject *subject, int item);
	/* Return a key that stays with an item while other items come and go, so that the selection does too.
	 * NULL: the item's number is the key. */
	int64_t (*identity)(struct ui *ui, const struct subject *subject, int item);
	/* Shorten a text that takes more than `cols` columns; NULL: it is cut. */
	void (*fit)(struct ui *ui, const struct subject *subject, int item, int column,
	    enum glyph_level level, int cols, struct tabular_cell *out);
	/* Draw a column whose cells are empty texts; NULL: there is none. */
	void (*plot)(
	    struct ui *ui, const struct subject *subject, int item, struct canvas *canvas, struct rect cell);
	int plot_column;
	/* Write the text to copy for an item; NULL: its line. */
	void (*copy)(struct ui *ui, const struct subject *subject, int item, char *out, size_t size);
};

#define TABULAR_COLUMNS(list) .columns = list, .column_count = sizeof(list) / sizeof(list[0])

/* Draw into an area: a header line, then lines. */
void tabular_draw(struct ui *ui, const struct subject *subject, const struct tabular *t,
    struct canvas *canvas, struct rect area);

/* Draw a table that is no view's: titles and as many rows as fit, without a cursor.  `cell` is called twice for each. */
typedef struct tabular_cell tabular_cell_of(const void *of, int row, int column);
void tabular_rows(const struct table_column *columns, int column_count, int rows, tabular_cell_of *cell,
    const void *of, struct canvas *canvas, struct rect area);

/* Draw a table beside the one that has the cursor and the user's position: it has neither, and no spots. */
void tabular_preview(struct ui *ui, const struct subject *subject, const struct tabular *t,
    struct canvas *canvas, struct rect area);

/* Return the item selected in the last drawing; -1: none. */
int tabular_selected(const struct ui *ui);

/* Return the item that is selected now, as keys may have moved it since the drawing; -1: none. */
int tabular_item(struct ui *ui, const struct subject *subject, const struct tabular *t);

/* Return the column with a title, ignoring case; -1: none. */
int tabular_named(const struct tabular *t, const char *title);

/* Return the drawn column that ACTION_SORT_CPU, _MEMORY or _TIME sorts by; -1: none. */
int tabular_column_of(const struct tabular *t, const struct view_place *place, enum ui_action action);

/* Move in a list.  Returns 1 if the selection moved, 0 if not, -1 if the action does not move. */
int tabular_moves(struct list *list, enum ui_action action);

/* Return the initial direction of sorting by a column: texts ascending, figures descending. */
bool tabular_upwards(const struct tabular *t, int column);

/* Carry out moving, sorting, searching and filtering; UI_NOTHING for other actions. */
unsigned tabular_act(
    struct ui *ui, const struct subject *subject, const struct tabular *t, enum ui_action action);
