/*
 * screen.c - see screen.h.
 */
#include "support/screen.h"

#include "canvas/text.h"
#include "support/test.h"

/* Check one cell beside the next one, NULL at the end of a row. */
static void check_cell(
    const struct canvas *canvas, const struct canvas_cell *cell, const struct canvas_cell *next)
{
	uint32_t c = cell->text[0];

	CHECK(cell->style < STYLE_COUNT);
	CHECK(cell->columns <= 2 && (cell->columns == 0 || c >= 0x20));
	CHECK(c < 0x7f || c > 0x9f);
	CHECK((cell->columns == 2) == (next != NULL && next->columns == 0));
	CHECK(canvas_level(canvas) != GLYPHS_ASCII || (c < 0x7f && cell->columns == 1 && cell->text[1] == 0));
	/* A thin line has no ground of its own, so that a pale one is not seen on a light ground. */
	for (int i = 0; i < 2 && c == theme_glyph(GLYPHS_BLOCKS, GLYPH_LEVEL); i++) {
		const enum style style = (enum style)cell->style;
		const int colour =
		    theme_on_light(style, theme_look(i == 0 ? THEME_8 : THEME_16, style)).foreground;
		if (colour >= 0 && strchr("\2\3\6\7", colour % 8) != NULL && colour % 8 != 0)
			TEST_FAIL(
			    "a line of style %s is in the pale colour %d", theme_style_name(style), colour);
	}
}

void screen_check(const struct canvas *canvas)
{
	int cols = canvas_cols(canvas);

	for (int row = 0; row < canvas_rows(canvas); row++) {
		const struct canvas_cell *cells = canvas_row(canvas, row);
		CHECK(cols == 0 || cells[0].columns != 0);
		for (int col = 0; col < cols; col++)
			check_cell(canvas, &cells[col], col + 1 < cols ? &cells[col + 1] : NULL);
	}
}

void screen_check_shares(const struct canvas *canvas)
{
	char *text = canvas_dump(canvas);

	CHECK(text != NULL);
	for (const char *at = strchr(text, '%'); at != NULL; at = strchr(at + 1, '%')) {
		const char *digits = at;
		while (digits > text && strchr("0123456789.", digits[-1]) != NULL)
			digits--;
		/* An error is no share: its sign, or its ">", stands before it. */
		bool error = digits > text && strchr("\xb1~?>", digits[-1]) != NULL;
		if (digits < at && !error && strtod(digits, NULL) > 100)
			TEST_FAIL("a share of %.*s in:\n%s", (int)(at - digits + 1), digits, text);
	}
	free(text);
}

bool screen_same(const struct canvas *a, const struct canvas *b)
{
	size_t size = (size_t)canvas_cols(a) * sizeof(struct canvas_cell);

	if (canvas_rows(a) != canvas_rows(b) || canvas_cols(a) != canvas_cols(b))
		return false;
	for (int row = 0; row < canvas_rows(a); row++)
		if (size > 0 && memcmp(canvas_row(a, row), canvas_row(b, row), size) != 0)
			return false;
	return true;
}

/* Whether an ASCII character may stand for one of BLOCKS: parts of a block are rounded. */
static bool stands_for(uint32_t blocks, uint32_t ascii)
{
	for (int i = 0; i < GLYPH_COUNT; i++)
		if (theme_glyph(GLYPHS_BLOCKS, (enum glyph)i) == blocks &&
		    theme_glyph(GLYPHS_ASCII, (enum glyph)i) == ascii)
			return true;
	if (blocks >= 0x2581 && blocks <= 0x258f)
		return strchr(" _.:-=+*#", (int)ascii) != NULL;
	if (blocks >= 0x2591 && blocks <= 0x2593)
		return strchr(".:=#", (int)ascii) != NULL;
	return ascii == (blocks == 0xb5 ? 'u' : blocks == 0xb1 ? '~' : '?');
}

void screen_check_ascii(const struct canvas *blocks, const struct canvas *ascii)
{
	screen_check(ascii);
	CHECK(canvas_rows(blocks) == canvas_rows(ascii) && canvas_cols(blocks) == canvas_cols(ascii));
	for (int row = 0; row < canvas_rows(blocks); row++)
		for (int col = 0; col < canvas_cols(blocks); col++) {
			uint32_t is = canvas_row(ascii, row)[col].text[0];
			uint32_t of = canvas_row(blocks, row)[col].text[0];
			if (is != of && (of < 0x7f || !stands_for(of, is)))
				TEST_FAIL("row %d, column %d: U+%04x is '%c':\n%s\n%s", row, col,
				    (unsigned)of, (char)is, canvas_dump(blocks), canvas_dump(ascii));
		}
}

void screen_blank_by_width(struct canvas *canvas)
{
	for (int row = 0; row < canvas_rows(canvas); row++)
		for (int col = 0; col < canvas_cols(canvas); col++)
			if (canvas_row(canvas, row)[col].style == STYLE_AXIS ||
			    canvas_row(canvas, row)[col].style == STYLE_KEY ||
			    canvas_row(canvas, row)[col].style == STYLE_MERGED)
				canvas_fill(canvas, rect_make(row, col, 1, 1), STYLE_AXIS, 0);
}

/* Whether a word begins as a number does. */
static bool is_number(const char *word)
{
	if (strncmp(word, "≥", strlen("≥")) == 0)
		word += strlen("≥");
	word += strspn(word, "(<>-+~");
	if (*word == 'D')
		word++;
	return *word >= '0' && *word <= '9';
}

/* Whether a number that `rest` follows counts what has no room: on a screen with room there is nothing. */
static bool counts_hidden(const char *rest)
{
	return strncmp(rest, "pane", strlen("pane")) == 0 || strncmp(rest, "below", strlen("below")) == 0 ||
	       strncmp(rest, "more", strlen("more")) == 0;
}

bool screen_has_number(const struct screen_numbers *numbers, const char *word)
{
	for (int i = 0; i < numbers->count; i++)
		if (strcmp(numbers->word[i], word) == 0)
			return true;
	return false;
}

void screen_numbers(const struct canvas *canvas, struct screen_numbers *out)
{
	char *screen = canvas_dump(canvas), *at = screen;

	CHECK(screen != NULL);
	while (*at != '\0') {
		char word[256] = "";
		size_t len = 0;
		for (; *at != '\0'; at++) {
			uint32_t c;
			size_t bytes = text_decode(at, strnlen(at, 4), &c);
			if (c <= ' ' || (c >= 0x2500 && c < 0x25a0) || c == 0x2016 || c == 0x2026 || c == '|')
				break;
			if (len + bytes < sizeof(word)) {
				memcpy(word + len, at, bytes);
				len += bytes;
			}
			at += bytes - 1;
		}
		if (*at != '\0') {
			uint32_t c;
			at += text_decode(at, strnlen(at, 4), &c);
		}
		/* A sentence may end behind a number or go on. */
		while (len > 0 && strchr(":;,", word[len - 1]) != NULL)
			word[--len] = '\0';
		if (len == 0 || len >= SCREEN_NUMBER || !is_number(word) || counts_hidden(at) ||
		    screen_has_number(out, word))
			continue;
		CHECK(out->count < SCREEN_NUMBERS_MAX);
		memcpy(out->word[out->count++], word, len + 1);
	}
	free(screen);
}
