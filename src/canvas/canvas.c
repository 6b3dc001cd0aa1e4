/*
 * canvas.c - the grid of cells.
 *
 * Invariants: a cell with columns 2 is followed, in its row, by a cell with columns 0, and no other cell has
 * columns 0.  The clip rectangle is inside the canvas.  Unused code points are 0, so that cells can be
 * compared with memcmp.
 */
#include "canvas/canvas.h"

#include "canvas/text.h"
#include "core/utf8.h"

struct canvas {
	int rows, cols;
	struct canvas_cell *cells; /* rows * cols, row by row; NULL when there are none */
	struct rect clip;
	enum glyph_level level;
	bool colour;
	enum theme_graph graph;
};

static const struct canvas_cell blank = {{' ', 0, 0}, STYLE_TEXT, 1};

static int clamp(int value, int low, int high)
{
	return value < low ? low : value > high ? high : value;
}

struct canvas *canvas_create(int rows, int cols)
{
	struct canvas *canvas = calloc(1, sizeof(*canvas));
	if (canvas == NULL)
		return NULL;
	canvas->level = GLYPHS_BLOCKS;
	canvas->colour = true;
	if (!canvas_resize(canvas, rows, cols)) {
		canvas_destroy(canvas);
		return NULL;
	}
	return canvas;
}

void canvas_destroy(struct canvas *canvas)
{
	if (canvas == NULL)
		return;
	free(canvas->cells);
	free(canvas);
}

bool canvas_resize(struct canvas *canvas, int rows, int cols)
{
	rows = clamp(rows, 0, CANVAS_ROWS_MAX);
	cols = clamp(cols, 0, CANVAS_COLS_MAX);
	if (rows != canvas->rows || cols != canvas->cols) {
		size_t count = (size_t)rows * (size_t)cols;
		struct canvas_cell *cells = NULL;
		if (count > 0 && (cells = malloc(count * sizeof(*cells))) == NULL)
			return false;
		free(canvas->cells);
		canvas->cells = cells;
		canvas->rows = rows;
		canvas->cols = cols;
	}
	canvas_clear(canvas);
	return true;
}

void canvas_set_look(struct canvas *canvas, enum glyph_level level, bool colour)
{
	canvas->level = (unsigned)level < GLYPHS_COUNT ? level : GLYPHS_ASCII;
	canvas->colour = colour;
}

int canvas_rows(const struct canvas *canvas)
{
	return canvas->rows;
}

int canvas_cols(const struct canvas *canvas)
{
	return canvas->cols;
}

void canvas_set_graph(struct canvas *canvas, enum theme_graph graph)
{
	canvas->graph = graph;
}

enum theme_graph canvas_graph(const struct canvas *canvas)
{
	if (canvas->level == GLYPHS_ASCII)
		return GRAPH_ASCII;
	return canvas->graph == GRAPH_BRAILLE && canvas->level != GLYPHS_BLOCKS ? GRAPH_BLOCKS
										: canvas->graph;
}

enum glyph_level canvas_level(const struct canvas *canvas)
{
	return canvas->level;
}

bool canvas_colour(const struct canvas *canvas)
{
	return canvas->colour;
}

struct rect canvas_bounds(const struct canvas *canvas)
{
	return rect_make(0, 0, canvas->rows, canvas->cols);
}

/* The position must be inside the canvas. */
static struct canvas_cell *cell_at(const struct canvas *canvas, int row, int col)
{
	return canvas->cells + (size_t)row * (size_t)canvas->cols + (size_t)col;
}

const struct canvas_cell *canvas_row(const struct canvas *canvas, int row)
{
	if (row < 0 || row >= canvas->rows || canvas->cols == 0)
		return NULL;
	return cell_at(canvas, row, 0);
}

struct rect canvas_clip(struct canvas *canvas, struct rect to)
{
	struct rect old = canvas->clip;
	canvas->clip = rect_intersect(old, to);
	return old;
}

void canvas_unclip(struct canvas *canvas, struct rect old)
{
	canvas->clip = rect_intersect(canvas_bounds(canvas), old);
}

void canvas_clear(struct canvas *canvas)
{
	size_t count = (size_t)canvas->rows * (size_t)canvas->cols;
	for (size_t i = 0; i < count; i++)
		canvas->cells[i] = blank;
	canvas->clip = canvas_bounds(canvas);
}

/* If this cell is half of a wide character, blank the other half.  Called before the cell is overwritten. */
static void sever(struct canvas *canvas, int row, int col)
{
	struct canvas_cell *cell = cell_at(canvas, row, col);
	struct canvas_cell *other = cell->columns == 0 ? cell - 1 : cell->columns == 2 ? cell + 1 : NULL;
	if (other != NULL) {
		uint16_t style = other->style;
		*other = blank;
		other->style = style;
	}
}

/* Whether a position is inside the clip rectangle. */
static bool is_visible(const struct canvas *canvas, int row, int col)
{
	const struct rect *clip = &canvas->clip;
	return row >= clip->row && row - clip->row < clip->rows && col >= clip->col &&
	       col - clip->col < clip->cols;
}

/* Set one cell inside the clip rectangle to a character of one column. */
static void set_narrow(struct canvas *canvas, int row, int col, enum style style, uint32_t code_point)
{
	struct canvas_cell *cell = cell_at(canvas, row, col);
	sever(canvas, row, col);
	*cell = (struct canvas_cell){{code_point, 0, 0}, (uint16_t)style, 1};
}

/* Set a character at a position that may be outside the clip rectangle.  A wide character that is only half
 * inside becomes a blank.  Returns the cell that combining marks may be added to, or NULL. */
static struct canvas_cell *set_clipped(
    struct canvas *canvas, int row, int col, enum style style, uint32_t code_point, int columns)
{
	bool left = is_visible(canvas, row, col);
	if (columns == 1) {
		if (!left)
			return NULL;
		set_narrow(canvas, row, col, style, code_point);
		return cell_at(canvas, row, col);
	}
	bool right = is_visible(canvas, row, col + 1);
	if (left)
		set_narrow(canvas, row, col, style, ' ');
	if (right)
		set_narrow(canvas, row, col + 1, style, ' ');
	if (!left || !right)
		return NULL;
	struct canvas_cell *cell = cell_at(canvas, row, col);
	cell[0] = (struct canvas_cell){{code_point, 0, 0}, (uint16_t)style, 2};
	cell[1] = (struct canvas_cell){{0, 0, 0}, (uint16_t)style, 0};
	return cell;
}

/* Add a combining mark to a cell if it has room. */
static void add_mark(struct canvas_cell *cell, uint32_t mark)
{
	for (int i = 1; i < CANVAS_CODE_POINTS; i++) {
		if (cell->text[i] == 0) {
			cell->text[i] = mark;
			return;
		}
	}
}

/* Put text up to, but not including, the column `limit`.  Returns the column after it. */
static int put_until(
    struct canvas *canvas, int row, int col, int limit, enum style style, struct text_reader *reader)
{
	struct canvas_cell *base = NULL;
	bool first = true;
	uint32_t code_point;
	int columns;
	while (text_next(reader, &code_point, &columns)) {
		if (columns == 0 && !first) {
			if (base != NULL)
				add_mark(base, code_point);
			continue;
		}
		if (columns == 0) {
			/* A mark at the start must not combine with a cell that was drawn before. */
			code_point = theme_glyph(canvas->level, GLYPH_REPLACEMENT);
			columns = 1;
		}
		first = false;
		if (col > limit - columns)
			return limit;
		base = set_clipped(canvas, row, col, style, code_point, columns);
		col += columns;
	}
	return col;
}

int canvas_put_bytes(struct canvas *canvas, int row, int col, enum style style, const char *text, size_t len)
{
	const struct rect *clip = &canvas->clip;
	int edge = clip->col + clip->cols;
	if (col >= edge)
		return edge;
	bool number = false;
	long room = (long)edge - col;
	size_t shown = len;
	/* A text takes at most one column per byte. */
	if (room < 0 || len > (size_t)room)
		shown = text_cut(canvas->level, text, len, room < INT_MAX ? (int)room : INT_MAX, &number);
	struct text_reader reader = text_read(canvas->level, text, number ? shown : len);
	/* The extra column lets a wide character at the edge blank the last cell. */
	int end = put_until(canvas, row, col, edge + 1, style, &reader);
	if (number) {
		canvas_glyph(canvas, row, end, style, GLYPH_ELLIPSIS);
		return edge;
	}
	return end < edge ? end : edge;
}

int canvas_put(struct canvas *canvas, int row, int col, enum style style, const char *text)
{
	return canvas_put_bytes(canvas, row, col, style, text, strlen(text));
}

int canvas_printf(struct canvas *canvas, int row, int col, enum style style, const char *format, ...)
{
	char text[512];
	va_list arguments;
	va_start(arguments, format);
	utf8_print(text, sizeof(text), format, arguments);
	va_end(arguments);
	return canvas_put(canvas, row, col, style, text);
}

void canvas_put_fit(
    struct canvas *canvas, struct rect line, enum align align, enum style style, const char *text)
{
	if (rect_empty(line) || line.col >= CANVAS_COLS_MAX)
		return;
	int row = line.row, col = line.col, width = line.cols;
	width = width < 2 * CANVAS_COLS_MAX ? width : 2 * CANVAS_COLS_MAX;
	struct rect old = canvas_clip(canvas, rect_make(row, col, 1, width));
	/* The ground of a figure that is not good is no wider than its text. */
	canvas_fill(canvas, rect_make(row, col, 1, width),
	    style == STYLE_WARN || style == STYLE_BAD || style == STYLE_LOST ? STYLE_TEXT : style, 0);
	int taken = canvas_text_width(canvas, text);
	if (taken > width) {
		bool number;
		size_t shown = text_cut(canvas->level, text, strlen(text), width - 1, &number);
		struct text_reader reader = text_read(canvas->level, text, shown);
		int end = put_until(canvas, row, col, col + width - 1, style, &reader);
		canvas_glyph(canvas, row, number && align == ALIGN_LEFT ? end : col + width - 1, style,
		    GLYPH_ELLIPSIS);
	} else {
		int room = width - taken;
		int indent = align == ALIGN_RIGHT ? room : align == ALIGN_CENTRE ? room / 2 : 0;
		canvas_put(canvas, row, col + indent, style, text);
	}
	canvas_unclip(canvas, old);
}

void canvas_put_name(struct canvas *canvas, struct rect line, enum style style, const char *name)
{
	char shown[TEXT_NAME];

	canvas_put_fit(canvas, line, ALIGN_LEFT, style,
	    text_elide(canvas->level, name, line.cols, shown, sizeof(shown)));
}

int canvas_text_width(const struct canvas *canvas, const char *text)
{
	return text_width(canvas->level, text);
}

void canvas_glyph(struct canvas *canvas, int row, int col, enum style style, enum glyph glyph)
{
	if (is_visible(canvas, row, col))
		set_narrow(canvas, row, col, style, theme_glyph(canvas->level, glyph));
}

void canvas_char(struct canvas *canvas, int row, int col, enum style style, uint32_t code_point)
{
	char text[4];
	/* Characters that take one column and need no sanitising. */
	bool plain = (code_point >= 0x20 && code_point < 0x7f) ||
		     (canvas->level == GLYPHS_BLOCKS && code_point >= 0x2500 && code_point < 0x25fd);
	if (plain) {
		if (is_visible(canvas, row, col))
			set_narrow(canvas, row, col, style, code_point);
		return;
	}
	size_t len = text_encode(code_point, text);
	canvas_put_bytes(canvas, row, col, style, text, len);
}

/* Sanitise a code point for filling single cells; a blank if it does not take one column. */
static uint32_t fill_character(const struct canvas *canvas, uint32_t code_point)
{
	char text[4];
	struct text_reader reader = text_read(canvas->level, text, text_encode(code_point, text));
	uint32_t safe;
	int columns;
	if (code_point == 0 || !text_next(&reader, &safe, &columns) || columns != 1)
		return ' ';
	return safe;
}

void canvas_fill(struct canvas *canvas, struct rect area, enum style style, uint32_t code_point)
{
	struct rect inside = rect_intersect(canvas->clip, area);
	uint32_t character = fill_character(canvas, code_point);
	const struct canvas_cell filled = {{character, 0, 0}, (uint16_t)style, 1};

	for (int row = inside.row; row < inside.row + inside.rows && inside.cols > 0; row++) {
		struct canvas_cell *cell = cell_at(canvas, row, inside.col);
		/* Only wide characters across the edges need this; those inside are overwritten
		 * completely. */
		sever(canvas, row, inside.col);
		sever(canvas, row, inside.col + inside.cols - 1);
		for (int col = 0; col < inside.cols; col++)
			cell[col] = filled;
	}
}

void canvas_restyle(struct canvas *canvas, struct rect area, enum style style)
{
	struct rect inside = rect_intersect(canvas->clip, area);
	for (int row = inside.row; row < inside.row + inside.rows; row++)
		for (int col = inside.col; col < inside.col + inside.cols; col++)
			cell_at(canvas, row, col)->style = (uint16_t)style;
}

void canvas_hline(struct canvas *canvas, int row, int col, int cols, enum style style)
{
	canvas_fill(canvas, rect_make(row, col, 1, cols), style, theme_glyph(canvas->level, GLYPH_HLINE));
}

static void canvas_vline(struct canvas *canvas, int row, int col, int rows, enum style style)
{
	canvas_fill(canvas, rect_make(row, col, rows, 1), style, theme_glyph(canvas->level, GLYPH_VLINE));
}

void canvas_box(struct canvas *canvas, struct rect area, enum style style)
{
	if (rect_empty(area))
		return;
	/* Edges outside the canvas are invisible, so limit their positions. */
	long last_row = (long)area.row + area.rows - 1, last_col = (long)area.col + area.cols - 1;
	int bottom = last_row < CANVAS_ROWS_MAX ? (int)last_row : CANVAS_ROWS_MAX;
	int right = last_col < CANVAS_COLS_MAX ? (int)last_col : CANVAS_COLS_MAX;
	if (area.rows == 1 || area.cols > 1)
		canvas_hline(canvas, area.row, area.col, area.cols, style);
	if (area.rows == 1)
		return;
	if (area.cols == 1) {
		canvas_vline(canvas, area.row, area.col, area.rows, style);
		return;
	}
	canvas_hline(canvas, bottom, area.col, area.cols, style);
	canvas_vline(canvas, area.row, area.col, area.rows, style);
	canvas_vline(canvas, area.row, right, area.rows, style);
	canvas_glyph(canvas, area.row, area.col, style, GLYPH_TOP_LEFT);
	canvas_glyph(canvas, area.row, right, style, GLYPH_TOP_RIGHT);
	canvas_glyph(canvas, bottom, area.col, style, GLYPH_BOTTOM_LEFT);
	canvas_glyph(canvas, bottom, right, style, GLYPH_BOTTOM_RIGHT);
}

bool canvas_copy(struct canvas *to, const struct canvas *from)
{
	if (to == from)
		return true;
	if (!canvas_resize(to, from->rows, from->cols))
		return false;
	canvas_set_look(to, from->level, from->colour);
	to->graph = from->graph;
	if (from->cells != NULL)
		memcpy(
		    to->cells, from->cells, (size_t)from->rows * (size_t)from->cols * sizeof(*from->cells));
	return true;
}

/* Number of columns of a row without trailing blanks. */
static int used_columns(const struct canvas_cell *cells, int cols)
{
	while (cols > 0 && cells[cols - 1].text[0] == ' ' && cells[cols - 1].text[1] == 0)
		cols--;
	return cols;
}

char *canvas_dump(const struct canvas *canvas)
{
	return canvas_dump_area(canvas, canvas_bounds(canvas));
}

char *canvas_dump_area(const struct canvas *canvas, struct rect area)
{
	char *text = NULL, bytes[4];
	size_t size;
	FILE *out = open_memstream(&text, &size);

	area = rect_intersect(area, canvas_bounds(canvas));
	for (int row = area.row; out != NULL && row < area.row + area.rows; row++) {
		const struct canvas_cell *cells = canvas_row(canvas, row);
		int used = cells == NULL ? 0 : used_columns(cells += area.col, area.cols);
		for (int col = 0; col < used; col++)
			for (int i = 0; i < CANVAS_CODE_POINTS && cells[col].text[i] != 0; i++)
				fwrite(bytes, 1, text_encode(cells[col].text[i], bytes), out);
		fputc('\n', out);
	}
	bool failed = out == NULL || ferror(out) != 0;
	if (out != NULL && fclose(out) == 0 && !failed)
		return text;
	free(text);
	return NULL;
}
