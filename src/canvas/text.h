/*
 * text.h - untrusted text made fit for a screen.
 *
 * Names and payloads come from the traced program and may hold anything.  text_next decodes UTF-8 strictly
 * (no overlong forms, no surrogates, nothing above U+10FFFF) and yields only what may be shown:
 *   - what core/shown.h never shows and each maximal part of an invalid sequence come out as U+FFFD;
 *   - joiners and variation selectors are dropped, because terminals disagree about the width of what they make;
 *   - characters that are glyphs of ours (see theme.h) come out as the level has them: "●" is "*" in ASCII;
 *   - at the ASCII level everything else outside ASCII comes out as a lookalike ('u' for the micro sign) or '?', and
 *     combining marks are dropped.
 */
#ifndef CANVAS_TEXT_H
#define CANVAS_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "canvas/theme.h"

/* What is left of a text. */
struct text_reader {
	const unsigned char *at, *end;
	enum glyph_level level;
};

/* Decode one code point from the `len` > 0 bytes at `bytes`: returns how many bytes it took, with 0xfffd for
 * an invalid sequence, of which it takes the maximal part that could have begun a valid one. */
size_t text_decode(const void *bytes, size_t len, uint32_t *code_point);

/* Write a code point as UTF-8 (1 to 4 bytes, no NUL) and return its length; what is no scalar value is
 * written as U+FFFD. */
size_t text_encode(uint32_t code_point, char out[4]);

/* Start reading `len` bytes. */
struct text_reader text_read(enum glyph_level level, const char *text, size_t len);

/* The next code point that may be shown and its columns (0, 1 or 2); false at the end. */
bool text_next(struct text_reader *reader, uint32_t *code_point, int *columns);

/* Columns that a NUL-terminated text takes on a screen of the level. */
int text_width(enum glyph_level level, const char *text);

/*
 * Bytes of the longest beginning of a text that may be shown in so many columns.  A number with its unit, such as "≥12.3ms",
 * "(45%" or "D107", is never cut: where it does not fit as a whole the beginning ends before it, and *number is true.
 */
size_t text_cut(enum glyph_level level, const char *text, size_t len, int columns, bool *number);

/* Bytes at the start of a text that are the rest of a number which began before it; 0 for none. */
size_t text_number_rest(const char *text, const char *at);

#endif
