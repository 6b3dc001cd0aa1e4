/*
 * line.c - choose and place the items of a line.
 */
#include "ui/widgets/line.h"

/* Tell whether a text has something to show. */
static bool has(const char *text)
{
	return text != NULL && text[0] != '\0';
}

/* Columns that an item takes. */
static int item_width(const struct canvas *canvas, const struct line_item *item)
{
	int width = 0;
	if (has(item->label))
		width += canvas_text_width(canvas, item->label);
	if (has(item->value))
		width += canvas_text_width(canvas, item->value) + (has(item->label) ? 1 : 0);
	return width;
}

/* Draw an item and return the column after it. */
static int item_draw(struct canvas *canvas, int row, int col, const struct line_item *item)
{
	if (has(item->label))
		col = canvas_put(canvas, row, col, item->label_style, item->label);
	if (has(item->label) && has(item->value))
		col++;
	if (has(item->value))
		col = canvas_put(canvas, row, col, item->value_style, item->value);
	return col;
}

/* Leave out the item that matters least; false when only items of rank 0 are left. */
static bool drop_one(const struct line_item *items, const int *widths, bool *shown, int count)
{
	int worst = -1;
	for (int i = 0; i < count; i++)
		if (shown[i] && widths[i] > 0 && items[i].rank > 0 &&
		    (worst < 0 || items[i].rank >= items[worst].rank))
			worst = i;
	if (worst < 0)
		return false;
	shown[worst] = false;
	return true;
}

/* Choose the items that fit; returns the columns of those from the left, and *right those of the others. */
static int choose(const struct canvas *canvas, int width, int gap, const struct line_item *items, int count,
    bool *shown, int *right)
{
	int widths[LINE_ITEMS_MAX];
	long left_cols, right_cols, both;
	for (int i = 0; i < count; i++) {
		widths[i] = item_width(canvas, &items[i]);
		shown[i] = widths[i] > 0;
	}
	do {
		left_cols = right_cols = 0;
		for (int i = 0; i < count; i++) {
			long *group = items[i].right ? &right_cols : &left_cols;
			if (shown[i])
				*group += widths[i] + (*group > 0 ? gap : 0);
		}
		both = left_cols + right_cols + (left_cols > 0 && right_cols > 0 ? gap : 0);
	} while (both > width && drop_one(items, widths, shown, count));
	*right = (int)(right_cols < width ? right_cols : width);
	return (int)(left_cols < width ? left_cols : width);
}

struct line_item line_labelled(const char *label, const char *value, int rank)
{
	return (struct line_item){.label = label,
	    .value = value,
	    .label_style = STYLE_LABEL,
	    .value_style = STYLE_VALUE,
	    .rank = rank};
}

int line_draw(
    struct canvas *canvas, int row, int col, int width, int gap, const struct line_item *items, int count)
{
	bool shown[LINE_ITEMS_MAX];
	int right;
	count = count < LINE_ITEMS_MAX ? count : LINE_ITEMS_MAX;
	if (width <= 0 || count <= 0)
		return col;
	int left = choose(canvas, width, gap, items, count, shown, &right);
	int left_at = col, right_at = col + width - right, end = col;
	/* The blank column around each group may lie outside of the line. */
	canvas_fill(canvas, rect_make(row, col - 1, 1, left > 0 ? left + 2 : 0), STYLE_TEXT, 0);
	canvas_fill(canvas, rect_make(row, right_at - 1, 1, right > 0 ? right + 2 : 0), STYLE_TEXT, 0);
	struct rect old = canvas_clip(canvas, rect_make(row, right_at, 1, right));
	for (int i = 0; i < count; i++)
		if (shown[i] && items[i].right)
			right_at = item_draw(canvas, row, right_at, &items[i]) + gap;
	canvas_unclip(canvas, old);
	/* The left group ends where the right one's blank column begins. */
	canvas_clip(canvas, rect_make(row, col, 1, width - right - (right > 0 ? 1 : 0)));
	for (int i = 0; i < count; i++) {
		if (!shown[i] || items[i].right)
			continue;
		end = item_draw(canvas, row, left_at, &items[i]);
		left_at = end + gap;
	}
	canvas_unclip(canvas, old);
	return end;
}
