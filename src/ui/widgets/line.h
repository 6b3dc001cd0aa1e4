/*
 * line.h - one line made of items, as many as there is room for.
 *
 * An item is a label and a value, each with a style and either may be empty.  Items stand from the left in
 * their order, those marked `right` against the right edge: two groups, each with a blank column around it
 * (also outside of the line), so that a line may be drawn over a rule.  When the line is too short, the item
 * with the highest `rank` goes first, then the next; items of rank 0 stay and are cut at the edge.  An item with a
 * `brief` value takes that one when `brief_rank` is the highest.
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

/* An item with the styles that a label and a value mostly have. */
struct line_item line_labelled(const char *label, const char *value, int rank);

/* Draw up to LINE_ITEMS_MAX items into one row of `width` columns with `gap` columns between items; what
 * is there between the two groups stays.  Returns the column after the last item from the left. */
int line_draw(
    struct canvas *canvas, int row, int col, int width, int gap, const struct line_item *items, int count);

#endif
