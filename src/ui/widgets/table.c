/* table.c - fit columns and draw rows; selection and scrolling. */
#include "ui/widgets/table.h"

#include "canvas/text.h"
#include "core/event.h"

/* Return the width of the shown columns and their gaps. */
static long least_total(const struct table *table, int gap)
{
	long total = 0;
	for (int i = 0; i < table->count; i++)
		if (table->width[i] > 0)
			total += table->width[i] + (total > 0 ? gap : 0);
	return total;
}

/* Drop the column with the highest rank. */
static void drop_column(struct table *table)
{
	int worst = -1;
	for (int i = 0; i < table->count; i++)
		if (table->width[i] > 0 &&
		    (worst < 0 || table->columns[i].rank >= table->columns[worst].rank))
			worst = i;
	if (worst >= 0)
		table->width[worst] = 0;
}

static int shown_columns(const struct table *table)
{
	int shown = 0;
	for (int i = 0; i < table->count; i++)
		shown += table->width[i] > 0;
	return shown;
}

/* Distribute spare width one cell at a time to columns below their wish, then the rest to the growing one. */
static void grow(struct table *table, long spare)
{
	for (bool given = true; given && spare > 0;) {
		given = false;
		for (int i = 0; i < table->count && spare > 0; i++) {
			if (table->width[i] > 0 && table->width[i] < table->columns[i].wish) {
				table->width[i]++;
				spare--;
				given = true;
			}
		}
	}
	for (int i = 0; i < table->count; i++) {
		if (table->width[i] > 0 && table->columns[i].room == TABLE_GROWS) {
			table->width[i] += (int)spare;
			return;
		}
	}
}

void table_layout(struct table *table, const struct table_column *columns, int count, int width, int gap)
{
	table->columns = columns;
	table->count = count < 0 ? 0 : count > TABLE_COLUMNS_MAX ? TABLE_COLUMNS_MAX : count;
	width = width < 0 ? 0 : width > CANVAS_COLS_MAX ? CANVAS_COLS_MAX : width;
	for (int i = 0; i < table->count; i++)
		table->width[i] = columns[i].least > 0		     ? columns[i].least
				  : columns[i].least == TABLE_HIDDEN ? 0
								     : 1;
	while (least_total(table, gap) > width && shown_columns(table) > 1)
		drop_column(table);
	/* The last remaining column is cut to the width. */
	for (int i = 0; i < table->count; i++)
		if (table->width[i] > width)
			table->width[i] = width;
	long spare = width - least_total(table, gap);
	if (spare > 0)
		grow(table, spare);
	int at = 0;
	for (int i = 0; i < table->count; i++) {
		table->offset[i] = at;
		if (table->width[i] > 0)
			at += table->width[i] + gap;
	}
}

void table_widen(struct table_column *column, int width)
{
	if (column->least < width)
		column->least = width;
	if (column->wish < width)
		column->wish = width;
}

void table_fit_name(struct table_column *column, const struct table_column *given, int width)
{
	int most = given->wish * 2 / 3, least = width < most ? width : most;

	if (column->least < least)
		column->least = least;
	if (column->wish < width)
		column->wish = width;
}

void table_header(
    struct canvas *canvas, const struct table *table, int row, int col, int sorted, bool ascending)
{
	for (int i = 0; i < table->count; i++) {
		struct rect cell = table_cell_rect(table, row, col, i);
		enum style style = i == sorted ? STYLE_SORTED : STYLE_HEADER;
		canvas_put_fit(canvas, cell, table->columns[i].align, style, table->columns[i].title);
		if (i != sorted || cell.cols == 0)
			continue;
		/* The arrow takes the blank beside the title or, without one, its last letter. */
		enum glyph arrow = ascending ? GLYPH_ASCENDING : GLYPH_DESCENDING;
		int title = canvas_text_width(canvas, table->columns[i].title);
		int at = cell.cols - 1;
		if (title < cell.cols)
			at = table->columns[i].align == ALIGN_RIGHT ? cell.cols - title - 1 : title;
		canvas_glyph(canvas, row, cell.col + at, style, arrow);
	}
}

void table_row(
    struct canvas *canvas, const struct table *table, int row, int col, const struct table_cell *cells)
{
	for (int i = 0; i < table->count; i++) {
		struct rect cell = table_cell_rect(table, row, col, i);
		const char *text = cells[i].text;
		char brief[TEXT_NAME];
		if (text == NULL)
			continue;
		if (table->columns[i].room == TABLE_PHASES && canvas_text_width(canvas, text) > cell.cols)
			text = phase_brief_words(text, brief, sizeof(brief));
		if (table->columns[i].room >= TABLE_NAMES)
			canvas_put_name(canvas, cell, cells[i].style, text);
		else
			canvas_put_fit(canvas, cell, table->columns[i].align, cells[i].style, text);
	}
}

struct rect table_cell_rect(const struct table *table, int row, int col, int column)
{
	if (column < 0 || column >= table->count)
		return rect_make(row, col, 1, 0);
	return rect_make(row, col + table->offset[column], 1, table->width[column]);
}

/* ---- lists ---- */

void list_update(struct list *list, int count, int page)
{
	list->count = count > 0 ? count : 0;
	list->page = page > 0 ? page : 1;
	list_select(list, list->selected);
}

void list_select(struct list *list, int line)
{
	int last = list->count > 0 ? list->count - 1 : 0;
	list->selected = line < 0 ? 0 : line > last ? last : line;
	int page = list->page > 0 ? list->page : 1;
	int last_first = list->count > page ? list->count - page : 0;
	if (list->first > list->selected)
		list->first = list->selected;
	if (list->first <= list->selected - page)
		list->first = list->selected - page + 1;
	if (list->first > last_first)
		list->first = last_first;
	if (list->first < 0)
		list->first = 0;
}

bool list_go(struct list *list, enum list_move move)
{
	int before = list->selected;
	int page = list->page > 0 ? list->page : 1;
	switch (move) {
	case LIST_UP:
		list_select(list, before - 1);
		break;
	case LIST_DOWN:
		list_select(list, before < list->count ? before + 1 : before);
		break;
	case LIST_PAGE_UP:
		list_select(list, before - page);
		break;
	case LIST_PAGE_DOWN:
		list_select(list, before > list->count - page ? list->count : before + page);
		break;
	case LIST_HOME:
		list_select(list, 0);
		break;
	case LIST_END:
		list_select(list, list->count);
		break;
	}
	return list->selected != before;
}
