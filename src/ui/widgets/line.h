/*
 * line.h - a line of items, dropped by rank if they do not fit.
 *
 * An item is a label and a value, each with a style; either may be empty.  Items are drawn from the left in
 * order, those marked `right` at the right edge: two groups, each with a blank column on both sides (also
 * outside the line), so that a line may be drawn over a rule.  If the line is too short, the item with the
 * highest `rank` is dropped first; items of rank 0 stay and are cut at the edge.  An item with a `brief`
 * value switches to it when its `brief_rank` is the highest.
 */
#pragma once

#include "canvas/canvas.h"
#include "print/number.h"

#define LINE_ITEMS_MAX 48
#define LINE_TEXT 160

struct line_item {
	const char *label, *value; /* NULL or "": none.  A blank separates the two */
	char text[LINE_TEXT];	   /* the value if `value` is NULL */
	const char *brief;	   /* a shorter value; NULL or "": none */
	enum style label_style, value_style;
	int rank, brief_rank;
	bool right;
	struct rect *drawn; /* set to its place if it was drawn; NULL: not needed */
};

/* Return an item with the usual styles of label and value: a text, or a stored figure or formatted text. */
struct line_item line_labelled(const char *label, const char *value, int rank);
struct line_item line_figure(const char *label, struct formatted figure, int rank);
__attribute__((format(printf, 3, 4))) struct line_item line_said(
    const char *label, int rank, const char *format, ...);

/* Return an item with only a value, or only a label. */
struct line_item line_value(const char *value, enum style style, int rank);
struct line_item line_label(const char *label, enum style style, int rank);

/* Return the item with other styles of its label and value, or of its value; with a shorter value for narrow
 * lines; at the right end of the line; or left out unless `there`. */
struct line_item line_styles(struct line_item item, enum style label, enum style value);
struct line_item line_styled(struct line_item item, enum style style);
struct line_item line_brief(struct line_item item, const char *brief, int rank);
struct line_item line_right(struct line_item item);
struct line_item line_if(bool there, struct line_item item);

/* Return the columns that an item takes in full. */
int line_width(const struct canvas *canvas, const struct line_item *item);

/* Draw up to LINE_ITEMS_MAX items into the first row of a rectangle with `gap` columns between items.  Cells
 * between the two groups are not touched.  Returns the column after the left group. */
int line_draw(struct canvas *canvas, struct rect line, int gap, const struct line_item *items, int count);

/* ---- words ---- */

/* Draw a text at the top of an area behind a label of `label_cols` columns, and cut its lines off the area.
 * A word longer than a line is shortened in its middle; text that does not fit into the area is left out. */
void words_draw(struct canvas *canvas, struct rect *area, const char *label, int label_cols, enum style style,
    const char *text);
