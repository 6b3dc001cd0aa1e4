/*
 * canvas.h - a screen in memory: a grid of cells that views draw on.
 *
 * A cell holds a character (with up to two combining marks) and a style.  A wide character takes two cells;
 * drawing over one half blanks the other, so a row is always whole.  Everything drawn is cut to the clip
 * rectangle, which lies inside the canvas; positions and sizes may be anything, also negative.  A canvas of
 * no rows or no columns is legal.
 *
 * Text is made safe on its way in (see text.h): no cell ever holds a control character.  The canvas knows
 * which glyphs its screen has and whether it shows colours, so that those who draw need not be told.
 *
 * Functions with a `style` take a value of enum style.  Nothing here does I/O.
 */
#ifndef CANVAS_CANVAS_H
#define CANVAS_CANVAS_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* Make a blank canvas with blocks and colours; sizes are cut to 0..CANVAS_ROWS_MAX and 0..CANVAS_COLS_MAX.
 * NULL when memory is short. */
struct canvas *canvas_create(int rows, int cols);
void canvas_destroy(struct canvas *canvas);

/* Change the size and blank everything; false (and nothing changed) when memory is short. */
bool canvas_resize(struct canvas *canvas, int rows, int cols);

/* Say what the screen can show: which glyphs, and whether colours tell styles apart. */
void canvas_set_look(struct canvas *canvas, enum glyph_level level, bool colour);

int canvas_rows(const struct canvas *canvas);
int canvas_cols(const struct canvas *canvas);
enum glyph_level canvas_level(const struct canvas *canvas);
bool canvas_colour(const struct canvas *canvas);

/* The whole canvas as a rectangle. */
struct rect canvas_bounds(const struct canvas *canvas);

/* The cells of a row, canvas_cols of them; NULL outside. */
const struct canvas_cell *canvas_row(const struct canvas *canvas, int row);

/* Narrow the clip rectangle to what it shares with `to`; returns the old one for canvas_unclip. */
struct rect canvas_clip(struct canvas *canvas, struct rect to);
void canvas_unclip(struct canvas *canvas, struct rect old);

/* Blank everything, whatever the clip, and clip to the whole canvas again. */
void canvas_clear(struct canvas *canvas);

/* Put a NUL-terminated text (or `len` bytes) at a place.  Returns the column after it, or the clip's right
 * edge if it was cut there.  Whatever puts a text, a number is never cut: an ellipsis stands for all of it. */
int canvas_put(struct canvas *canvas, int row, int col, enum style style, const char *text);
int canvas_put_bytes(struct canvas *canvas, int row, int col, enum style style, const char *text, size_t len);

/* The same with a format as printf's; the result is cut at 511 bytes. */
#if defined(__GNUC__)
__attribute__((format(printf, 5, 6)))
#endif
int canvas_printf(struct canvas *canvas, int row, int col, enum style style, const char *format, ...);

/* Put a text into exactly `width` columns: padded with blanks as aligned, or cut with an ellipsis at its end. */
void canvas_put_fit(
    struct canvas *canvas, int row, int col, int width, enum align align, enum style style, const char *text);

/* Columns that a text takes on this canvas. */
int canvas_text_width(const struct canvas *canvas, const char *text);

/* Put one glyph, or one character, which is made safe as text is. */
void canvas_glyph(struct canvas *canvas, int row, int col, enum style style, enum glyph glyph);
void canvas_char(struct canvas *canvas, int row, int col, enum style style, uint32_t code_point);

/* Fill a rectangle with a character of one column (0: a blank), keeping to the clip. */
void canvas_fill(struct canvas *canvas, struct rect area, enum style style, uint32_t code_point);

/* Give the cells of a rectangle another style and keep their text. */
void canvas_restyle(struct canvas *canvas, struct rect area, enum style style);

void canvas_hline(struct canvas *canvas, int row, int col, int cols, enum style style);

/* Draw a frame along the edge of a rectangle; of one row or column only a line remains. */
void canvas_box(struct canvas *canvas, struct rect area, enum style style);

/* Make `to` as large as `from` and copy cells and look; false when memory is short. */
bool canvas_copy(struct canvas *to, const struct canvas *from);

/* The screen as UTF-8 text, a line for each row, blanks at line ends left out.  To be freed; NULL when memory
 * is short. */
char *canvas_dump(const struct canvas *canvas);

#endif
