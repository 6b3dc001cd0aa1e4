/*
 * line.h - a line of items, dropped by rank where they do not fit.
 *
 * An item is a label and a value, each with a style; either may be empty.  Items are drawn from the left
 * in order, those marked `right` at the right edge: two groups, each with a blank column on both sides
 * (also outside the line), so that a line may be drawn over a rule.  If the line is too short, the item
 * with the highest `rank` is dropped first; items of rank 0 stay and are cut at the edge.  An item with a
 * `brief` value switches to it when its `brief_rank` is the highest.
 */
#ifndef UI_WIDGETS_LINE_H
#define UI_WIDGETS_LINE_H

#include <stdbool.h>

#include "canvas/canvas.h"

#define LINE_ITEMS_MAX 48

struct line_item {
	const char *label, *value; /* NULL or "": none.  A blank stands between the two. */
	const char *brief;	   /* a shorter value; NULL or "": none */
	enum style label_style, value_style;
	int rank, brief_rank;
	bool right;
};

/* An item with the usual styles of label and value. */
struct line_item line_labelled(const char *label, const char *value, int rank);

/* An item that is a value alone. */
struct line_item line_value(const char *value, enum style style, int rank);

/* Draw up to LINE_ITEMS_MAX items into a row of `width` columns with `gap` columns between items.  Cells
 * between the two groups are not touched.  Returns the column after the left group. */
int line_draw(
    struct canvas *canvas, int row, int col, int width, int gap, const struct line_item *items, int count);

/* ---- words ---- */

/* Draw a text at the top of an area behind a label of `label_cols` columns, and cut the lines it takes off
 * the area.  A word longer than a line is shortened in its middle; what does not fit into the area is left
 * out. */
void words_draw(struct canvas *canvas, struct rect *area, const char *label, int label_cols, enum style style,
    const char *text);

#endif
