/*
 * tabular.c - order, filter, search and draw the lines of a table.
 *
 * This is one file, since drawing, searching and selecting all start from the lines that `collect` sorts.
 */
#include "ui/views/tabular.h"

#include "canvas/text.h"
#include "ui/widgets/plot.h"

/* Added to the rank of an empty column. */
#define EMPTY_RANK 1000
#define TABULAR_GAP 2

/* A line with its sort key. */
struct line {
	int item;
	bool ascending; /* among equal keys, which keep the items' order in both directions */
	bool unknown;	/* last in both directions */
	double key;
	char text[TABULAR_TEXT];
};

/* Return the user's position in a table. */
static struct view_place *place_of(struct ui *ui, const struct tabular *t)
{
	return t->place != NULL ? t->place(ui) : ui_place(ui);
}

/* Search ignoring case; an empty text is always found. */
static bool contains(const char *text, const char *wanted)
{
	return strcasestr(text, wanted) != NULL;
}

/* Return whether any cell of an item contains a text. */
static bool item_contains(
    struct ui *ui, const struct subject *subject, const struct tabular *t, int item, const char *wanted)
{
	if (wanted[0] == '\0')
		return true;
	for (int c = 0; c < t->column_count; c++) {
		const struct tabular_cell cell = t->cell(ui, subject, item, c);
		if (contains(cell.text, wanted))
			return true;
	}
	return false;
}

static int line_compare(const void *a, const void *b)
{
	const struct line *x = a, *y = b;
	int order;

	if (x->unknown != y->unknown)
		return x->unknown - y->unknown;
	if (isnan(x->key) && isnan(y->key))
		order = strcmp(x->text, y->text);
	else if (isnan(x->key) || isnan(y->key))
		order = isnan(x->key) ? -1 : 1;
	else
		order = (x->key > y->key) - (x->key < y->key);
	if (order != 0)
		return x->ascending ? order : -order;
	return (x->item > y->item) - (x->item < y->item);
}

/* Whether a table can be sorted by a column.  Plots have no order, and sorting by a column that was dropped
 * would not be visible. */
static bool can_sort(const struct tabular *t, const struct view_place *place, int column)
{
	return (t->plot == NULL || column != t->plot_column) &&
	       (place->shown == 0 || (place->shown >> column & 1) != 0);
}

int tabular_column_of(const struct tabular *t, const struct view_place *place, enum ui_action action)
{
	static const char *const titles[][3] = {
	    {"cpu"}, {"resident", "heap", "live"}, {"total", "others waited", "duration"}};
	const char *const *named = titles[action - ACTION_SORT_CPU];

	for (int i = 0; i < 3 && named[i] != NULL; i++) {
		int column = tabular_named(t, named[i]);
		if (column >= 0 && (place->shown >> column & 1) != 0)
			return column;
	}
	return -1;
}

/* Return the column to sort by after `column`, in the direction of a step of 1 or -1. */
static int next_column(const struct tabular *t, const struct view_place *place, int column, int step)
{
	for (int tried = 0; tried < t->column_count; tried++) {
		column = (column + step + t->column_count) % t->column_count;
		if (can_sort(t, place, column))
			break;
	}
	return column;
}

bool tabular_upwards(const struct tabular *t, int column)
{
	return column == t->sort ? t->ascending : t->columns[column].align == ALIGN_LEFT;
}

int tabular_named(const struct tabular *t, const char *title)
{
	for (int c = 0; c < t->column_count; c++)
		if (t->columns[c].title[0] != '\0' && strcasecmp(t->columns[c].title, title) == 0)
			return c;
	return -1;
}

/* Return the sort column and direction in effect. */
static int sort_column(const struct view_place *place, const struct tabular *t, bool *ascending)
{
	bool chosen = place->sort >= 0 && place->sort < t->column_count;

	*ascending = chosen ? place->ascending : t->ascending;
	return chosen ? place->sort : t->sort;
}

/* Return whether a line belongs before another one that is before it now; `known`: both were in that order
 * before. */
static bool passes(const struct line *line, const struct line *there, bool known)
{
	const double more = line->ascending ? there->key : line->key,
		     less = line->ascending ? line->key : there->key;

	if (line_compare(line, there) >= 0)
		return false;
	return !known || line->unknown || there->unknown || !isfinite(more) || !isfinite(less) ||
	       more > TABULAR_PASSES * less;
}

/* Keep sorted lines in their old places, except those that have passed their neighbours. */
static void settle(struct ui *ui, const struct subject *subject, const struct tabular *t, int column,
    struct line *lines, int count)
{
	const bool same = ui->order.column == column && ui->order.ascending == lines[0].ascending;
	int done = 0, stood;

	if (count > VIEW_FAMILIES)
		return;
	/* Lines that were here before come first, in their order. */
	for (int k = 0; same && k < ui->order.count; k++)
		for (int i = done; i < count; i++)
			if (t->identity(ui, subject, lines[i].item) == ui->order.ids[k]) {
				const struct line line = lines[i];
				memmove(&lines[done + 1], &lines[done], (size_t)(i - done) * sizeof(line));
				lines[done++] = line;
				break;
			}
	stood = done;
	for (int i = 1; i < count; i++)
		for (int k = i; k > 0 && passes(&lines[k], &lines[k - 1], i < stood); k--) {
			const struct line line = lines[k];
			lines[k] = lines[k - 1];
			lines[k - 1] = line;
		}
	ui->order.count = count;
	ui->order.column = column;
	ui->order.ascending = lines[0].ascending;
	for (int i = 0; i < count; i++)
		ui->order.ids[i] = t->identity(ui, subject, lines[i].item);
}

/* Collect and sort the lines.  Returns their number.  The caller frees *out. */
static int collect(struct ui *ui, const struct subject *subject, const struct tabular *t, struct line **out)
{
	struct view_place *place = place_of(ui, t);
	int items = t->items(ui, subject), count = 0;
	bool ascending;
	int column = sort_column(place, t, &ascending);

	if (items > TABULAR_ITEMS_MAX)
		items = TABULAR_ITEMS_MAX;
	struct line *lines = calloc((size_t)items + 1, sizeof(lines[0]));
	*out = lines;
	for (int i = 0; lines != NULL && i < items; i++) {
		struct tabular_cell cell = {.key = NAN};
		if (t->hides != NULL && t->hides(ui, subject, i))
			continue;
		if (!t->filtered && !item_contains(ui, subject, t, i, place->filter))
			continue;
		if (column >= 0 && !t->ordered)
			cell = t->cell(ui, subject, i, column);
		lines[count].item = i;
		lines[count].ascending = ascending;
		lines[count].key = cell.key;
		lines[count].unknown = cell.unknown || (isnan(cell.key) && cell.text[0] == '\0');
		memcpy(lines[count].text, cell.text, sizeof(cell.text));
		count++;
	}
	if (column >= 0 && !t->ordered && count > 1)
		qsort(lines, (size_t)count, sizeof(lines[0]), line_compare);
	if (column >= 0 && t->settled && count > 0)
		settle(ui, subject, t, column, lines, count);
	return count;
}

/* Let a column have the width of a cell: a figure's all of it, a name's as far as there is room. */
static void column_fit(
    struct table_column *column, const struct table_column *given, const struct tabular_cell *cell, int width)
{
	if (column->align == ALIGN_RIGHT || cell->whole)
		table_widen(column, width);
	else if (column->room >= TABLE_NAMES || given->rank == 0)
		table_fit_name(column, given, width);
}

/* Fill in the cells of the visible lines, row by row, widen columns for their figures, and compute the width
 * of each column's widest text.  Columns without any text are dropped first, and always in a sparse table.
 * Returns NULL when memory ran out; the caller frees the result. */
static struct tabular_cell *cells_make(struct ui *ui, const struct subject *subject, const struct tabular *t,
    const struct canvas *canvas, const struct line *lines, int seen, struct table_column *columns,
    int widest[TABLE_COLUMNS_MAX])
{
	const struct view_place *place = place_of(ui, t);
	struct tabular_cell *cells = calloc((size_t)seen + 1, (size_t)t->column_count * sizeof(cells[0]));

	memcpy(columns, t->columns, (size_t)t->column_count * sizeof(columns[0]));
	for (int c = 0; c < t->column_count && seen > 0; c++)
		columns[c].rank += columns[c].rank > 0 || t->sparse ? EMPTY_RANK : 0;
	for (int r = 0; r < seen && cells != NULL; r++) {
		for (int c = 0; c < t->column_count; c++) {
			struct tabular_cell *cell = &cells[r * t->column_count + c];
			*cell = t->cell(ui, subject, lines[r].item, c);
			/* An unknown figure may have a text, such as an age. */
			if (cell->text[0] != '\0' && (t->steady || strcmp(cell->text, "-") != 0))
				columns[c].rank = t->columns[c].rank;
			if (place->search[0] != '\0' && contains(cell->text, place->search))
				cell->style = STYLE_MATCH;
			int width = canvas_text_width(canvas, cell->text);
			widest[c] = width > widest[c] ? width : widest[c];
			column_fit(&columns[c], &t->columns[c], cell, width);
		}
	}
	for (int c = 0; c < t->column_count && t->sparse; c++)
		if (columns[c].rank >= EMPTY_RANK)
			columns[c].least = TABLE_HIDDEN;
	return cells;
}

/* Lay out the columns.  A name that would be cut takes the width of columns whose cells are all empty, and
 * what texts do not need; so does a phase that is wider than its column. */
static void columns_fit(struct table *table, const struct tabular *t, struct table_column *columns, int cols,
    const int widest[TABLE_COLUMNS_MAX])
{
	int spare = cols + TABULAR_GAP;

	table_layout(table, columns, t->column_count, cols, TABULAR_GAP);
	for (int c = 0; c < t->column_count; c++) {
		const bool needs = columns[c].room == TABLE_GROWS && columns[c].least < widest[c];
		if (table->width[c] > 0 && columns[c].rank < EMPTY_RANK)
			spare -= (needs ? widest[c] : columns[c].least) + TABULAR_GAP;
	}
	/* Give one cell at a time, so that a name that never fits leaves some to the others. */
	for (bool given = true; given && spare > 0;) {
		given = false;
		for (int c = 0; c < t->column_count && spare > 0; c++) {
			const bool takes =
			    columns[c].room == TABLE_NAMES ||
			    (columns[c].room == TABLE_PHASES && widest[c] > t->columns[c].wish);
			if (!takes || table->width[c] == 0 || columns[c].least >= widest[c])
				continue;
			columns[c].least++;
			spare--;
			given = true;
		}
	}
	table_layout(table, columns, t->column_count, cols, TABULAR_GAP);
}

/* Shorten the texts that do not fit into their columns. */
static void cells_fit(struct ui *ui, const struct subject *subject, const struct tabular *t,
    const struct canvas *canvas, const struct table *table, int item, struct tabular_cell *cells)
{
	for (int c = 0; c < t->column_count && t->fit != NULL; c++)
		if (table->width[c] > 0 && canvas_text_width(canvas, cells[c].text) > table->width[c])
			t->fit(ui, subject, item, c, canvas_level(canvas), table->width[c], &cells[c]);
}

static void draw_line(const struct tabular *t, const struct tabular_cell *cells, struct canvas *canvas,
    const struct table *table, int row, int col)
{
	struct table_cell shown[TABLE_COLUMNS_MAX];

	for (int c = 0; c < t->column_count; c++)
		shown[c] = (struct table_cell){cells[c].text, cells[c].style};
	table_row(canvas, table, row, col, shown);
}

/* The initial filter applies to any view it matches: a view with items, none of which match, drops it. */
static bool filter_drop(struct ui *ui, const struct subject *subject, const struct tabular *t, int count)
{
	struct view_place *place = place_of(ui, t);

	if (place->initial != FILTER_UNTRIED || (count == 0 && t->items(ui, subject) == 0))
		return false;
	place->initial = count == 0 ? FILTER_DROPPED : FILTER_OWN;
	if (count == 0)
		place->filter[0] = '\0';
	return count == 0;
}

/* Explain why there is no line. */
static void draw_empty(struct ui *ui, const struct subject *subject, const struct tabular *t,
    struct canvas *canvas, struct rect area)
{
	char text[128];

	/* Without a filter, the view itself hides the items. */
	if (place_of(ui, t)->filter[0] == '\0' || (!t->filtered && t->items(ui, subject) == 0))
		strlcpy(text, t->empty, sizeof(text));
	else
		snprintf(text, sizeof(text), "%s%s matches the filter",
		    t->item_name != NULL ? "no " : "nothing", t->item_name != NULL ? t->item_name : "");
	canvas_put_fit(canvas, area, ALIGN_LEFT, STYLE_MUTED, text);
}

/* Keep the selection on its item, wherever that is now. */
static void follow_identity(struct ui *ui, const struct subject *subject, const struct tabular *t,
    const struct line *lines, int count)
{
	struct view_place *place = place_of(ui, t);

	place->list.count = count;
	for (int i = 0; t->identity != NULL && place->identified && i < count; i++)
		if (t->identity(ui, subject, lines[i].item) == place->identity) {
			place->list.selected = i;
			return;
		}
}

/* Select a line and its item. */
static void select_line(struct ui *ui, const struct subject *subject, const struct tabular *t, int item)
{
	struct view_place *place = place_of(ui, t);

	place->item = item;
	place->identified = t->identity != NULL;
	if (place->identified)
		place->identity = t->identity(ui, subject, item);
}

void tabular_draw(struct ui *ui, const struct subject *subject, const struct tabular *t,
    struct canvas *canvas, struct rect area)
{
	struct view_place *place = place_of(ui, t);
	struct table_column columns[TABLE_COLUMNS_MAX];
	int widest[TABLE_COLUMNS_MAX] = {0};
	struct table table;
	struct line *lines;
	bool ascending;
	int column = sort_column(place, t, &ascending);
	struct rect head = rect_cut_top(&area, 1);
	int count = collect(ui, subject, t, &lines);

	if (filter_drop(ui, subject, t, count)) {
		free(lines);
		count = collect(ui, subject, t, &lines);
	}

	/* A selection that was never moved from the first line stays there, so that the view does not scroll
	 * with an item that moves down. */
	if (place->list.selected == 0 && !t->follows)
		place->identified = false;
	follow_identity(ui, subject, t, lines, count);
	list_update(&place->list, count, area.rows);
	int seen = count - place->list.first < area.rows ? count - place->list.first : area.rows;
	seen = seen > 0 ? seen : 0;
	struct tabular_cell *cells =
	    cells_make(ui, subject, t, canvas, lines + place->list.first, seen, columns, widest);
	columns_fit(&table, t, columns, head.cols, widest);
	table_header(canvas, &table, head.row, head.col, column, ascending);
	place->shown = 0;
	for (int c = 0; c < t->column_count; c++) {
		place->shown |= (uint32_t)(table.width[c] > 0) << c;
		if (!t->ordered && can_sort(t, place, c))
			ui_spot(ui, (struct spot){.kind = SPOT_HEAD,
					.area = table_cell_rect(&table, head.row, head.col, c),
					.value = c,
					.sorted = c == column});
	}
	ui_spot(ui, (struct spot){.kind = SPOT_ROWS,
			.area = rect_make(area.row, area.col, seen, area.cols),
			.value = place->list.first,
			.identified = t->identity != NULL,
			.place = place});
	place->item = -1;
	if (count == 0)
		draw_empty(ui, subject, t, canvas, area);
	for (int r = 0; r < seen && cells != NULL; r++) {
		int line = place->list.first + r;
		cells_fit(ui, subject, t, canvas, &table, lines[line].item, &cells[r * t->column_count]);
		draw_line(t, &cells[r * t->column_count], canvas, &table, area.row + r, area.col);
		if (t->plot != NULL)
			t->plot(ui, subject, lines[line].item, canvas,
			    table_cell_rect(&table, area.row + r, area.col, t->plot_column));
		if (t->identity != NULL && area.row + r < CANVAS_ROWS_MAX)
			ui->row_identities[area.row + r] = t->identity(ui, subject, lines[line].item);
		if (line != place->list.selected)
			continue;
		select_line(ui, subject, t, lines[line].item);
		if (!t->no_cursor)
			canvas_restyle(
			    canvas, rect_make(area.row + r, area.col, 1, area.cols), STYLE_SELECTED);
	}
	free(cells);
	free(lines);
}

void tabular_preview(struct ui *ui, const struct subject *subject, const struct tabular *t,
    struct canvas *canvas, struct rect area)
{
	const struct view_place place = *ui_place(ui);
	const int spots = ui->spot_count;
	struct tabular table = *t;

	table.no_cursor = true;
	*ui_place(ui) = (struct view_place){.item = -1, .sort = -1};
	tabular_draw(ui, subject, &table, canvas, area);
	ui->spot_count = spots;
	*ui_place(ui) = place;
}

void tabular_rows(const struct table_column *columns, int column_count, int rows, tabular_cell_of *cell,
    const void *of, struct canvas *canvas, struct rect area)
{
	struct table_column fitted[TABLE_COLUMNS_MAX];
	struct rect head = rect_cut_top(&area, 1);
	struct tabular_cell cells[TABLE_COLUMNS_MAX];
	struct tabular t = {.columns = fitted, .column_count = column_count};
	struct table table;

	rows = rows < area.rows ? rows : area.rows;
	memcpy(fitted, columns, (size_t)column_count * sizeof(fitted[0]));
	for (int i = 0; i < rows * column_count; i++) {
		const int c = i % column_count;
		const struct tabular_cell shown = cell(of, i / column_count, c);
		column_fit(&fitted[c], &columns[c], &shown, canvas_text_width(canvas, shown.text));
	}
	table_layout(&table, fitted, column_count, head.cols, TABULAR_GAP);
	table_header(canvas, &table, head.row, head.col, -1, false);
	for (int r = 0; r < rows; r++) {
		for (int c = 0; c < column_count; c++) {
			cells[c] = cell(of, r, c);
			if (columns[c].align == ALIGN_RIGHT)
				cells[c].style = STYLE_VALUE;
		}
		draw_line(&t, cells, canvas, &table, area.row + r, area.col);
	}
}

int tabular_selected(const struct ui *ui)
{
	return ui->places[ui->view].item;
}

int tabular_item(struct ui *ui, const struct subject *subject, const struct tabular *t)
{
	struct view_place *place = place_of(ui, t);
	struct line *lines;
	int count = collect(ui, subject, t, &lines), item = -1;

	follow_identity(ui, subject, t, lines, count);
	if (place->list.selected >= 0 && place->list.selected < count)
		item = lines[place->list.selected].item;
	free(lines);
	return item;
}

/* Go to the next or previous line that contains the searched text. */
static unsigned search_next(struct ui *ui, const struct subject *subject, const struct tabular *t, int step)
{
	struct view_place *place = place_of(ui, t);
	struct line *lines;
	int count = collect(ui, subject, t, &lines);
	unsigned reactions = UI_NOTHING;

	for (int i = 1; place->search[0] != '\0' && i <= count && reactions == UI_NOTHING; i++) {
		int line = (place->list.selected + (step > 0 ? i : count - i)) % count;
		if (!item_contains(ui, subject, t, lines[line].item, place->search))
			continue;
		list_select(&place->list, line);
		place->identified = false;
		reactions = UI_DIRTY;
	}
	free(lines);
	ui->missed = place->search[0] != '\0' && reactions == UI_NOTHING;
	return ui->missed ? UI_DIRTY : reactions;
}

/* After sorting, select the first line of a table whose items come and go, since the user sorts to see it. */
static unsigned to_first(struct view_place *place, const struct tabular *t)
{
	if (t->identity != NULL) {
		list_select(&place->list, 0);
		place->identified = false;
	}
	return UI_DIRTY;
}

int tabular_moves(struct list *list, enum ui_action action)
{
	static const struct {
		enum ui_action action;
		enum list_move move;
	} moves[] = {
	    {ACTION_UP, LIST_UP},
	    {ACTION_DOWN, LIST_DOWN},
	    {ACTION_PAGE_UP, LIST_PAGE_UP},
	    {ACTION_PAGE_DOWN, LIST_PAGE_DOWN},
	    {ACTION_HOME, LIST_HOME},
	    {ACTION_END, LIST_END},
	};

	for (size_t i = 0; i < sizeof(moves) / sizeof(moves[0]); i++)
		if (moves[i].action == action)
			return list_go(list, moves[i].move);
	return -1;
}

/* Sort by another column, in the column's initial direction. */
static unsigned sort_by(struct view_place *place, const struct tabular *t, int column)
{
	place->sort = column;
	place->ascending = tabular_upwards(t, column);
	return to_first(place, t);
}

/* Sort by the column chosen in the menu; open the menu if none was. */
static unsigned sort_menu(struct ui *ui, struct view_place *place, const struct tabular *t, int column)
{
	struct sort_menu *menu = &ui->menu;

	if (menu->picked > 0)
		return menu->picked <= t->column_count ? sort_by(place, t, menu->picked - 1) : UI_NOTHING;
	*menu = (struct sort_menu){.on = true};
	for (int c = 0; c < t->column_count; c++) {
		if (!can_sort(t, place, c) || t->columns[c].title[0] == '\0')
			continue;
		if (c == column)
			menu->list.selected = menu->count;
		menu->columns[menu->count] = c;
		menu->titles[menu->count++] = t->columns[c].title;
	}
	menu->list.count = menu->count;
	return UI_DIRTY;
}

/* Append a text to the text to copy, in displayable form. */
static void copy_text(struct ui *ui, const char *text)
{
	struct text_reader reader = text_read(GLYPHS_BLOCKS, text, strlen(text));
	size_t used = strlen(ui->copied);
	uint32_t c;
	int columns;

	while (used + 5 < sizeof(ui->copied) && text_next(&reader, &c, &columns))
		used += text_encode(c, ui->copied + used);
	ui->copied[used] = '\0';
}

/* Copy the selection. */
static unsigned copy(struct ui *ui, const struct subject *subject, const struct tabular *t)
{
	int item = tabular_item(ui, subject, t);
	char own[UI_COPY_MAX / 2] = "";

	if (item >= 0 && t->copy != NULL)
		t->copy(ui, subject, item, own, sizeof(own));
	copy_text(ui, own);
	for (int c = 0; c < t->column_count && item >= 0 && t->copy == NULL; c++) {
		const struct tabular_cell cell = t->cell(ui, subject, item, c);
		if (cell.text[0] == '\0')
			continue;
		copy_text(ui, ui->copied[0] != '\0' ? "  " : "");
		copy_text(ui, cell.text);
	}
	return UI_DIRTY;
}

unsigned tabular_act(
    struct ui *ui, const struct subject *subject, const struct tabular *t, enum ui_action action)
{
	struct view_place *place = place_of(ui, t);
	bool ascending;
	int column = sort_column(place, t, &ascending);

	if (t->identity != NULL)
		tabular_item(ui, subject, t);
	int moved = tabular_moves(&place->list, action);
	if (moved >= 0) {
		place->identified = false;
		return moved > 0 ? UI_DIRTY : UI_NOTHING;
	}
	switch (action) {
	case ACTION_SORT_LEFT:
	case ACTION_SORT_RIGHT:
		if (column < 0 && action == ACTION_SORT_LEFT)
			column = 0;
		return sort_by(place, t, next_column(t, place, column, action == ACTION_SORT_LEFT ? -1 : 1));
	case ACTION_SORT_MENU:
		return sort_menu(ui, place, t, column);
	case ACTION_SORT_CPU:
	case ACTION_SORT_MEMORY:
	case ACTION_SORT_TIME:
		column = tabular_column_of(t, place, action);
		return column >= 0 ? sort_by(place, t, column) : UI_NOTHING;
	case ACTION_COPY:
		return copy(ui, subject, t);
	case ACTION_REVERSE:
		if (column < 0)
			return UI_NOTHING;
		place->sort = column;
		place->ascending = !ascending;
		return to_first(place, t);
	case ACTION_SEARCH_NEXT:
	case ACTION_SEARCH_BACK:
		return search_next(ui, subject, t, action == ACTION_SEARCH_NEXT ? 1 : -1);
	case ACTION_BACK:
		if (place->search[0] == '\0' && place->filter[0] == '\0')
			return UI_NOTHING;
		place->search[0] = place->filter[0] = '\0';
		place->initial = FILTER_OWN;
		return UI_DIRTY;
	default:
		return UI_NOTHING;
	}
}
