/*
 * text.c - decode, sanitise and measure text.
 */
#include "canvas/text.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "core/shown.h"
#include "core/utf8.h"
#include "canvas/width.h"

#define REPLACEMENT 0xfffdu

size_t text_decode(const void *bytes, size_t len, uint32_t *code_point)
{
	size_t size;

	if (!utf8_decode(bytes, len, &size, code_point))
		*code_point = REPLACEMENT;
	return size;
}

size_t text_encode(uint32_t code_point, char out[4])
{
	uint32_t c = code_point;
	if (c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		c = REPLACEMENT;
	if (c < 0x80) {
		out[0] = (char)c;
		return 1;
	}
	if (c < 0x800) {
		out[0] = (char)(0xc0 | c >> 6);
		out[1] = (char)(0x80 | (c & 0x3f));
		return 2;
	}
	if (c < 0x10000) {
		out[0] = (char)(0xe0 | c >> 12);
		out[1] = (char)(0x80 | (c >> 6 & 0x3f));
		out[2] = (char)(0x80 | (c & 0x3f));
		return 3;
	}
	out[0] = (char)(0xf0 | c >> 18);
	out[1] = (char)(0x80 | (c >> 12 & 0x3f));
	out[2] = (char)(0x80 | (c >> 6 & 0x3f));
	out[3] = (char)(0x80 | (c & 0x3f));
	return 4;
}

/* An ASCII character that looks like another, else '?'. */
static uint32_t ascii_for(uint32_t c)
{
	static const struct {
		uint16_t from;
		char to;
	} lookalikes[] = {{0x00a0, ' '}, {0x00b0, 'o'}, {0x00b1, '~'}, {0x00b5, 'u'}, {0x00d7, 'x'},
	    {0x03bc, 'u'}, {0x2010, '-'}, {0x2011, '-'}, {0x2012, '-'}, {0x2013, '-'}, {0x2014, '-'},
	    {0x2018, '\''}, {0x2019, '\''}, {0x201c, '"'}, {0x201d, '"'}, {0x2212, '-'}, {0x2248, '~'},
	    {0x2264, '<'}};
	for (size_t i = 0; i < sizeof(lookalikes) / sizeof(lookalikes[0]); i++)
		if (lookalikes[i].from == c)
			return (uint32_t)lookalikes[i].to;
	return '?';
}

struct text_reader text_read(enum glyph_level level, const char *text, size_t len)
{
	const unsigned char *bytes = (const unsigned char *)text;
	return (struct text_reader){bytes, bytes + len, level};
}

bool text_next(struct text_reader *reader, uint32_t *code_point, int *columns)
{
	while (reader->at < reader->end) {
		uint32_t c = *reader->at;
		if (c >= 0x20 && c < 0x7f) {
			reader->at++;
			*code_point = c;
			*columns = 1;
			return true;
		}
		reader->at += text_decode(reader->at, (size_t)(reader->end - reader->at), &c);
		enum shown how = shown_of(c);
		if (how == SHOWN_JOINER)
			continue;
		if (how == SHOWN_NEVER)
			c = REPLACEMENT;
		if (reader->level != GLYPHS_BLOCKS)
			c = theme_translate(reader->level, c);
		int width = width_of(c);
		if (reader->level == GLYPHS_ASCII) {
			if (width == 0)
				continue;
			c = c < 0x80 ? c : ascii_for(c);
			width = 1;
		}
		*code_point = c;
		*columns = width;
		return true;
	}
	return false;
}

int text_width(enum glyph_level level, const char *text)
{
	size_t len = strlen(text), plain = 0;
	/* Each printable ASCII byte takes one column. */
	while (plain < len && text[plain] >= 0x20 && text[plain] < 0x7f)
		plain++;
	if (plain > INT_MAX)
		return INT_MAX;
	struct text_reader reader = text_read(level, text + plain, len - plain);
	uint32_t c;
	int columns, total = (int)plain;
	bool first = plain == 0;
	while (text_next(&reader, &c, &columns)) {
		/* A mark at the start takes a column, because canvas_put shows it as a replacement
		 * character. */
		if (first && columns == 0)
			columns = 1;
		first = false;
		if (total > INT_MAX - columns)
			return INT_MAX;
		total += columns;
	}
	return total;
}

/* Number of bytes of a word, up to the next blank. */
static size_t word_length(const char *word, size_t len)
{
	size_t n = 0;

	while (n < len && word[n] != ' ')
		n++;
	return n;
}

/* Whether a word is a number with its unit: a digit, possibly after signs, brackets or the 'D' of a domain.
 * Words longer than LONGEST, such as the bytes of a payload, do not count. */
static bool is_number(const char *word, size_t len)
{
	static const char *const signs[] = {"(", "<", ">", "+", "-", "~", "≥", "±"};
	enum { LONGEST = 24 };
	size_t at = 0;

	if (len > LONGEST)
		return false;
	for (bool found = true; found;) {
		found = false;
		for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++) {
			size_t sign = strlen(signs[i]);
			if (len - at >= sign && memcmp(word + at, signs[i], sign) == 0) {
				at += sign;
				found = true;
			}
		}
	}
	if (at < len && word[at] == 'D')
		at++;
	return at < len && word[at] >= '0' && word[at] <= '9';
}

size_t text_cut(enum glyph_level level, const char *text, size_t len, int columns, bool *number)
{
	struct text_reader reader = text_read(level, text, len);
	size_t word = 0, end = 0;
	uint32_t c;
	int taken, used = 0;

	*number = false;
	while (text_next(&reader, &c, &taken)) {
		if (taken > columns - used) {
			if (end < len && text[end] != ' ' &&
			    is_number(text + word, word_length(text + word, len - word))) {
				*number = true;
				return word;
			}
			return end;
		}
		used += taken;
		end = (size_t)(reader.at - (const unsigned char *)text);
		if (c == ' ')
			word = end;
	}
	return len;
}

/* Bytes of the longest prefix that takes at most so many columns, and the columns that it takes. */
static size_t prefix(enum glyph_level level, const char *text, size_t len, int columns, int *used)
{
	struct text_reader reader = text_read(level, text, len);
	size_t end = 0;
	uint32_t c;
	int taken;

	*used = 0;
	while (text_next(&reader, &c, &taken)) {
		/* A mark at the start is shown as a character of its own. */
		if (*used == 0 && taken == 0)
			taken = 1;
		if (taken > columns - *used)
			break;
		*used += taken;
		end = (size_t)(reader.at - (const unsigned char *)text);
	}
	return end;
}

const char *text_elide(enum glyph_level level, const char *name, int columns, char *out, size_t size)
{
	size_t len = strlen(name), head, tail = 0;
	int all = text_width(level, name), used, skipped;

	if (all <= columns || columns < 1) {
		snprintf(out, size, "%s", columns < 1 ? "" : name);
		return out;
	}
	head = prefix(level, name, len, columns / 2, &used);
	/* What the end leaves out: at least so many columns, and marks that belong to the last of these. */
	int left_out = all - (columns - used - 1);
	struct text_reader reader = text_read(level, name, len);
	uint32_t c;
	int taken;

	for (skipped = 0; text_next(&reader, &c, &taken); skipped += taken) {
		if (skipped >= left_out && taken > 0)
			break;
		if (skipped == 0 && taken == 0)
			taken = 1;
		tail = (size_t)(reader.at - (const unsigned char *)name);
	}
	snprintf(out, size, "%.*s\xe2\x80\xa6%s", (int)head, name, name + tail);
	return out;
}

size_t text_number_rest(const char *text, const char *at)
{
	const char *word = at;

	while (word > text && word[-1] != ' ')
		word--;
	size_t len = word_length(word, strlen(word));
	return word < at && is_number(word, len) ? (size_t)(word + len - at) : 0;
}
