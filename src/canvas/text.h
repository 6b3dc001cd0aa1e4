/*
 * text.h - sanitise untrusted text for a screen.
 *
 * Names and payloads come from the traced program and may contain any bytes.  text_next decodes UTF-8
 * strictly (no overlong forms, no surrogates, nothing above U+10FFFF) and returns only characters that may be
 * shown:
 *   - characters that core/shown.h never shows, and each maximal part of an invalid sequence, become U+FFFD;
 *   - joiners and variation selectors are dropped, because terminals disagree about the width of the result;
 *   - characters that are glyphs in theme.h are replaced by the level's form: "●" becomes "*" in ASCII;
 *   - at the ASCII level, combining marks are dropped, and other characters outside ASCII become a lookalike
 *     ('u' for the micro sign) or '?'.
 */
#pragma once

#include "canvas/theme.h"

/* The unread part of a text. */
struct text_reader {
	const unsigned char *at, *end;
	enum glyph_level level;
};

/* Decode one code point from the `len` > 0 bytes at `bytes`.  Returns the number of bytes consumed.  For an
 * invalid sequence the code point is 0xfffd, and the maximal part that could begin a valid sequence is
 * consumed. */
size_t text_decode(const void *bytes, size_t len, uint32_t *code_point);

/* Write a code point as UTF-8 (1 to 4 bytes, not NUL-terminated) and return its length.  A value that is not
 * a Unicode scalar value is written as U+FFFD. */
size_t text_encode(uint32_t code_point, char out[4]);

/* Start reading `len` bytes. */
struct text_reader text_read(enum glyph_level level, const char *text, size_t len);

/* Read the next code point that may be shown, and its number of columns (0, 1 or 2).  Returns false at the
 * end. */
bool text_next(struct text_reader *reader, uint32_t *code_point, int *columns);

/* Number of columns that a NUL-terminated text takes on a screen of the level. */
int text_width(enum glyph_level level, const char *text);

/*
 * Number of bytes of the longest prefix of a text that fits in the columns.  A number with its unit, such as
 * "≥12.3ms", "(45%" or "D107", is never cut: if it does not fit completely, the prefix ends before it, and
 * *number is true.
 */
size_t text_cut(enum glyph_level level, const char *text, size_t len, int columns, bool *number);

/*
 * Shorten a name to at most so many columns: its begin, an ellipsis, its end, "http.re…handler".  A name that
 * fits is copied.  `out` gets UTF-8 of at most `size` - 1 bytes and a NUL; names of up to TEXT_NAME - 1 bytes
 * fit in TEXT_NAME.  The result is sanitised when it is drawn, like any text.  Returns `out`.
 */
#define TEXT_NAME 260
const char *text_elide(enum glyph_level level, const char *name, int columns, char *out, size_t size);

/* Number of bytes at `at` that are the rest of a number that begins before `at` in `text`; 0 if there is
 * none. */
size_t text_number_rest(const char *text, const char *at);

/* ---- width ---- */

/*
 * The number of columns that a character takes.
 *
 * The widths come from our own table.  wcwidth depends on the locale and the C library; with the table, a
 * text has the same width in a test, in a file and on every terminal.
 */

/* Number of columns of a code point: 0 for combining marks and joiners, 2 for wide East Asian characters and
 * emoji, otherwise 1, including unassigned and invalid code points. */
int width_of(uint32_t code_point);
