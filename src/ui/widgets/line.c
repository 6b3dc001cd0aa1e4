/* line.c - choose and place the items of a line; break sentences into lines. */
#include "ui/widgets/line.h"

#include "core/utf8.h"

/* Return whether a text is not empty. */
static bool has(const char *text)
{
	return text != NULL && text[0] != '\0';
}

/* How an item is shown. */
enum form { FORM_NONE, FORM_BRIEF, FORM_FULL };

/* Return the value of an item in a form. */
static const char *item_value(const struct line_item *item, enum form form)
{
	return form == FORM_BRIEF ? item->brief : item->value != NULL ? item->value : item->text;
}

/* Return the columns that an item takes. */
static int item_width(const struct canvas *canvas, const struct line_item *item, enum form form)
{
	const char *value = item_value(item, form);
	int width = 0;
	if (has(item->label))
		width += canvas_text_width(canvas, item->label);
	if (has(value))
		width += canvas_text_width(canvas, value) + (has(item->label) ? 1 : 0);
	return width;
}

/* Draw an item and return the column after it. */
static int item_draw(struct canvas *canvas, int row, int col, const struct line_item *item, enum form form)
{
	const char *value = item_value(item, form);
	if (has(item->label))
		col = canvas_put(canvas, row, col, item->label_style, item->label);
	if (has(item->label) && has(value))
		col++;
	if (has(value))
		col = canvas_put(canvas, row, col, item->value_style, value);
	return col;
}

/* Whether an item can be shortened without leaving it out. */
static bool has_brief(const struct line_item *item, enum form form)
{
	return form == FORM_FULL && has(item->brief);
}

/* Shorten or drop the least important item, and set *out to it.  Returns false if only items of rank 0 are
 * left. */
static bool drop_one(const struct line_item *items, enum form *forms, int count, int *out)
{
	int worst = -1, worst_rank = 0;
	for (int i = 0; i < count; i++) {
		if (forms[i] == FORM_NONE)
			continue;
		int rank = has_brief(&items[i], forms[i]) ? items[i].brief_rank : items[i].rank;
		if (rank > 0 && rank >= worst_rank) {
			worst = i;
			worst_rank = rank;
		}
	}
	if (worst < 0)
		return false;
	forms[worst] = has_brief(&items[worst], forms[worst]) ? FORM_BRIEF : FORM_NONE;
	*out = worst;
	return true;
}

/* Choose the items that fit.  Returns the columns of the left group, and in *right those of the other. */
static int choose(const struct canvas *canvas, int width, int gap, const struct line_item *items, int count,
    enum form *forms, int *right)
{
	int widths[LINE_ITEMS_MAX], changed;
	long left_cols, right_cols, both;
	for (int i = 0; i < count; i++) {
		widths[i] = item_width(canvas, &items[i], FORM_FULL);
		forms[i] = widths[i] > 0 ? FORM_FULL : FORM_NONE;
	}
	for (;;) {
		left_cols = right_cols = 0;
		for (int i = 0; i < count; i++) {
			long *group = items[i].right ? &right_cols : &left_cols;
			if (forms[i] != FORM_NONE)
				*group += widths[i] + (*group > 0 ? gap : 0);
		}
		both = left_cols + right_cols + (left_cols > 0 && right_cols > 0 ? gap : 0);
		if (both <= width || !drop_one(items, forms, count, &changed))
			break;
		widths[changed] = item_width(canvas, &items[changed], forms[changed]);
	}
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

struct line_item line_figure(const char *label, struct formatted figure, int rank)
{
	return line_said(label, rank, "%s", figure.s);
}

struct line_item line_said(const char *label, int rank, const char *format, ...)
{
	struct line_item item = line_labelled(label, NULL, rank);
	va_list args;

	va_start(args, format);
	utf8_print(item.text, sizeof(item.text), format, args);
	va_end(args);
	return item;
}

struct line_item line_value(const char *value, enum style style, int rank)
{
	return (struct line_item){.value = value, .value_style = style, .rank = rank};
}

struct line_item line_label(const char *label, enum style style, int rank)
{
	return (struct line_item){.label = label, .label_style = style, .rank = rank};
}

struct line_item line_styles(struct line_item item, enum style label, enum style value)
{
	item.label_style = label;
	item.value_style = value;
	return item;
}

struct line_item line_styled(struct line_item item, enum style style)
{
	item.value_style = style;
	return item;
}

struct line_item line_brief(struct line_item item, const char *brief, int rank)
{
	item.brief = brief;
	item.brief_rank = rank;
	return item;
}

struct line_item line_right(struct line_item item)
{
	item.right = true;
	return item;
}

struct line_item line_if(bool there, struct line_item item)
{
	return there ? item : (struct line_item){0};
}

int line_width(const struct canvas *canvas, const struct line_item *item)
{
	return item_width(canvas, item, FORM_FULL);
}

/* Draw an item and store its place. */
static int item_put(struct canvas *canvas, int row, int col, const struct line_item *item, enum form form)
{
	int end = item_draw(canvas, row, col, item, form);

	if (item->drawn != NULL)
		*item->drawn = rect_make(row, col, 1, end - col);
	return end;
}

int line_draw(struct canvas *canvas, struct rect line, int gap, const struct line_item *items, int count)
{
	int row = line.row, col = line.col, width = line.cols;
	enum form forms[LINE_ITEMS_MAX];
	int right;
	count = count < LINE_ITEMS_MAX ? count : LINE_ITEMS_MAX;
	if (rect_empty(line) || count <= 0)
		return col;
	int left = choose(canvas, width, gap, items, count, forms, &right);
	int left_at = col, right_at = col + width - right, end = col;
	/* The blank column around each group may lie outside of the line. */
	canvas_fill(canvas, rect_make(row, col - 1, 1, left > 0 ? left + 2 : 0), STYLE_TEXT, 0);
	canvas_fill(canvas, rect_make(row, right_at - 1, 1, right > 0 ? right + 2 : 0), STYLE_TEXT, 0);
	struct rect old = canvas_clip(canvas, rect_make(row, right_at, 1, right));
	for (int i = 0; i < count; i++)
		if (forms[i] != FORM_NONE && items[i].right)
			right_at = item_put(canvas, row, right_at, &items[i], forms[i]) + gap;
	canvas_unclip(canvas, old);
	/* The left group ends where the right one's blank column begins. */
	canvas_clip(canvas, rect_make(row, col, 1, width - right - (right > 0 ? 1 : 0)));
	for (int i = 0; i < count; i++) {
		if (forms[i] == FORM_NONE || items[i].right)
			continue;
		end = item_put(canvas, row, left_at, &items[i], forms[i]);
		left_at = end + gap;
	}
	canvas_unclip(canvas, old);
	return end;
}

/* ---- words ---- */

void words_draw(struct canvas *canvas, struct rect *area, const char *label, int label_cols, enum style style,
    const char *text)
{
	struct rect line = rect_cut_top(area, 1);
	int col = label_cols;

	canvas_put_fit(canvas, rect_make(line.row, line.col, 1, label_cols), ALIGN_LEFT, STYLE_LABEL, label);
	while (*text != '\0' && line.rows > 0) {
		char word[256];
		size_t length = strcspn(text, " ");
		snprintf(word, sizeof(word), "%.*s", utf8_fit(text, length, sizeof(word) - 1), text);
		int width = canvas_text_width(canvas, word);
		if (col + width > line.cols && col > label_cols) {
			line = rect_cut_top(area, 1);
			col = label_cols;
			continue;
		}
		if (width > line.cols - col)
			canvas_put_name(canvas, rect_margins(line, col, 0), style, word);
		else
			canvas_put(canvas, line.row, line.col + col, style, word);
		col += width + 1;
		text += length;
		text += strspn(text, " ");
	}
}
