/*
 * tabular.h - a view that is a table: lines that can be moved through, searched, filtered and sorted.
 *
 * The view says how many items there are and what an item shows in a column; the rest is done here, on the view's struct
 * view_place.  A line is an item that passed the filter, in the order asked for; equal keys keep the items' own order.
 */
#ifndef UI_VIEWS_TABULAR_H
#define UI_VIEWS_TABULAR_H

#include "ui/widgets/table.h"
#include "ui/view.h"

#define TABULAR_TEXT 256
#define TABULAR_ITEMS_MAX 32768

struct tabular_cell {
	char text[TABULAR_TEXT];
	double key; /* what it is sorted by; NAN: by its text */
	enum style style;
};

struct tabular {
	const struct table_column *columns;
	int column_count;
	int sort;	       /* column at first, -1: the items' own order */
	bool ascending;	       /* at first */
	bool filtered;	       /* the view has filtered the items already */
	const char *item_name; /* of one item, where another list stands beside; NULL: nothing else does */
	const char *empty;     /* what to say when there is no item */
	int (*items)(struct ui *ui, const struct subject *subject);
	void (*cell)(
	    struct ui *ui, const struct subject *subject, int item, int column, struct tabular_cell *out);
	/* What keeps an item apart from others while items come and go: the selection then stays on it.  NULL: its number. */
	int64_t (*identity)(struct ui *ui, const struct subject *subject, int item);
	/* Draw a column whose cells are empty texts; NULL: there is none. */
	void (*plot)(
	    struct ui *ui, const struct subject *subject, int item, struct canvas *canvas, struct rect cell);
	int plot_column;
};

/* Draw into an area: a header line, then lines. */
void tabular_draw(struct ui *ui, const struct subject *subject, const struct tabular *t,
    struct canvas *canvas, struct rect area);

/* The item of the selected line, -1 when there is none; of the last drawing. */
int tabular_selected(const struct ui *ui);

/* The item that is selected now: keys may have come since the drawing.  -1 when there is none. */
int tabular_item(struct ui *ui, const struct subject *subject, const struct tabular *t);

/* Moving, sorting, searching and filtering; UI_NOTHING for other actions. */
unsigned tabular_act(
    struct ui *ui, const struct subject *subject, const struct tabular *t, enum ui_action action);

#endif
