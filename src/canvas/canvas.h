/*
 * canvas.h - a grid of screen cells in memory that views draw on.
 *
 * A cell holds a character (with up to two combining marks) and a style.  A wide character takes two cells;
 * drawing over one half blanks the other half.  All drawing is cut to the clip rectangle, which is inside the
 * canvas.  Positions and sizes may have any value, including negative ones.  A canvas may have no rows or no
 * columns.
 *
 * Text is sanitised when it is drawn (see text.h), so no cell ever holds a control character.  The canvas
 * stores which glyphs its screen has and whether it shows colours, so views do not need these as arguments.
 *
 * Functions with a `style` take a value of enum style.  Nothing here does I/O.
 */
#pragma once

#include "canvas/rect.h"
#include "canvas/theme.h"

#define CANVAS_ROWS_MAX 1024
#define CANVAS_COLS_MAX 4096
#define CANVAS_CODE_POINTS 3

struct canvas_cell {
	uint32_t text[CANVAS_CODE_POINTS]; /* the character, then combining marks, then 0 */
	uint16_t style;
	uint16_t columns; /* 1, 2, or 0 for the right half of the wide character before it */
};

struct canvas;

enum align { ALIGN_LEFT, ALIGN_RIGHT, ALIGN_CENTRE };

/* Create a blank canvas with the BLOCKS level and colours.  Sizes are limited to 0..CANVAS_ROWS_MAX and
 * 0..CANVAS_COLS_MAX.  Returns NULL when out of memory. */
struct canvas *canvas_create(int rows, int cols);
void canvas_destroy(struct canvas *canvas);

/* Change the size and blank everything.  When out of memory, returns false and changes nothing. */
bool canvas_resize(struct canvas *canvas, int rows, int cols);

/* Set the glyphs that the screen can show, and whether colours distinguish styles. */
void canvas_set_look(struct canvas *canvas, enum glyph_level level, bool colour);

/* Set what graphs are drawn with; at first braille. */
void canvas_set_graph(struct canvas *canvas, enum theme_graph graph);

int canvas_rows(const struct canvas *canvas);
int canvas_cols(const struct canvas *canvas);
enum glyph_level canvas_level(const struct canvas *canvas);
bool canvas_colour(const struct canvas *canvas);

/* The kind of graph in use: the one set, or the nearest that the level has. */
enum theme_graph canvas_graph(const struct canvas *canvas);

/* The whole canvas as a rectangle. */
struct rect canvas_bounds(const struct canvas *canvas);

/* The canvas_cols cells of a row; NULL if there are none. */
const struct canvas_cell *canvas_row(const struct canvas *canvas, int row);

/* Set the clip rectangle to its intersection with `to`.  Returns the old one, for canvas_unclip. */
struct rect canvas_clip(struct canvas *canvas, struct rect to);
void canvas_unclip(struct canvas *canvas, struct rect old);

/* Blank the whole canvas, ignoring the clip rectangle, and reset the clip rectangle to the whole canvas. */
void canvas_clear(struct canvas *canvas);

/* Put a NUL-terminated text (or `len` bytes) at a position.  Returns the column after the text, or the right
 * edge of the clip rectangle if the text was cut there.  No function cuts a number: an ellipsis replaces the
 * whole number. */
int canvas_put(struct canvas *canvas, int row, int col, enum style style, const char *text);
int canvas_put_bytes(struct canvas *canvas, int row, int col, enum style style, const char *text, size_t len);

/* Like canvas_put, with a printf format.  The text is cut at 511 bytes. */
__attribute__((format(printf, 5, 6))) int canvas_printf(
    struct canvas *canvas, int row, int col, enum style style, const char *format, ...);

/* Put a text into the first row of a rectangle, and pad it with blanks by `align` or cut it with an ellipsis. */
void canvas_put_fit(
    struct canvas *canvas, struct rect line, enum align align, enum style style, const char *text);

/* Put a name at the left of a rectangle's first row, padded with blanks.  A long name is shortened in its
 * middle (text_elide). */
void canvas_put_name(struct canvas *canvas, struct rect line, enum style style, const char *name);

/* Number of columns that a text takes on this canvas. */
int canvas_text_width(const struct canvas *canvas, const char *text);

/* Put one glyph, or one character, which is sanitised like text. */
void canvas_glyph(struct canvas *canvas, int row, int col, enum style style, enum glyph glyph);
void canvas_char(struct canvas *canvas, int row, int col, enum style style, uint32_t code_point);

/* Fill a rectangle, cut to the clip rectangle, with a character of one column (0: a blank). */
void canvas_fill(struct canvas *canvas, struct rect area, enum style style, uint32_t code_point);

/* Change the style of the cells in a rectangle but keep their text. */
void canvas_restyle(struct canvas *canvas, struct rect area, enum style style);

void canvas_hline(struct canvas *canvas, int row, int col, int cols, enum style style);

/* Draw a frame along the edge of a rectangle.  A rectangle of one row or column gives a line. */
void canvas_box(struct canvas *canvas, struct rect area, enum style style);

/* Resize `to` to the size of `from`, and copy cells, glyph level, colour setting and graph.  Returns false when out
 * of memory. */
bool canvas_copy(struct canvas *to, const struct canvas *from);

/* The canvas as UTF-8 text, one line per row, without trailing blanks.  The caller frees it.  Returns NULL
 * when out of memory. */
char *canvas_dump(const struct canvas *canvas);

/* A part of the canvas as UTF-8 text, which the caller frees.  Returns NULL when out of memory. */
char *canvas_dump_area(const struct canvas *canvas, struct rect area);
