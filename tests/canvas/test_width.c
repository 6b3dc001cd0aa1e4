/*
 * test_width.c - character widths and the sanitising of text.
 */
#include "support/test.h"

#include <locale.h>
#include <wchar.h>

#include "canvas/text.h"

/* Widths that every terminal agrees on. */
TEST(test_known_widths)
{
	CHECK_INT(width_of('a'), 1);
	CHECK_INT(width_of(0xe9), 1);
	CHECK_INT(width_of(0x0301), 0);
	CHECK_INT(width_of(0x0300), 0);
	CHECK_INT(width_of(0x036f), 0);
	CHECK_INT(width_of(0x0370), 1);
	CHECK_INT(width_of(0x200d), 0);
	CHECK_INT(width_of(0x2588), 1);
	CHECK_INT(width_of(0x28ff), 1);
	CHECK_INT(width_of(0x1100), 2);
	CHECK_INT(width_of(0x1160), 0);
	CHECK_INT(width_of(0x3042), 2);
	CHECK_INT(width_of(0x4e00), 2);
	CHECK_INT(width_of(0x9fff), 2);
	CHECK_INT(width_of(0xac00), 2);
	CHECK_INT(width_of(0xd7a3), 2);
	CHECK_INT(width_of(0xff21), 2);
	CHECK_INT(width_of(0xff71), 1);
	CHECK_INT(width_of(0x1f600), 2);
	CHECK_INT(width_of(0x18d1e), 2);
	CHECK_INT(width_of(0x18d1f), 1);
	CHECK_INT(width_of(0x18df2), 2);
	CHECK_INT(width_of(0x2fffd), 2);
	CHECK_INT(width_of(0x30000), 2);
	CHECK_INT(width_of(0x10ffff), 1);
	CHECK_INT(width_of(UINT32_MAX), 1);
}

/* Symbols that Unicode 16 has made wide.  Terminals disagree; tty.c replaces them where the C library
 * does. */
static bool is_disputed(uint32_t c)
{
	return (c >= 0x2630 && c <= 0x2637) || (c >= 0x268a && c <= 0x268f) || (c >= 0x4dc0 && c <= 0x4dff) ||
	       (c >= 0x1d300 && c <= 0x1d356) || (c >= 0x1d360 && c <= 0x1d376);
}

/* The table agrees with the C library's, which is made from the same data by others, but for a few
 * characters. */
TEST(test_agrees_with_libc)
{
	if (setlocale(LC_CTYPE, "C.UTF-8") == NULL) {
		printf("no C.UTF-8 here: not compared\n");
		return;
	}
	int compared = 0, differ = 0;
	for (uint32_t c = 0x20; c < 0x110000; c++) {
		int theirs = wcwidth((wchar_t)c);
		if (theirs < 0 || is_disputed(c))
			continue;
		compared++;
		if (width_of(c) != theirs)
			differ++;
	}
	setlocale(LC_CTYPE, "C");
	printf("%d characters compared, %d differ\n", compared, differ);
	CHECK(compared > 100000);
	CHECK(differ < 300);
}

/* Decode one sequence and tell what it takes. */
static void check_decode(const char *bytes, size_t len, uint32_t code_point, size_t taken)
{
	uint32_t got;
	CHECK_INT(text_decode(bytes, len, &got), taken);
	CHECK_INT(got, code_point);
}

/* Strict decoding: what is no UTF-8 costs its maximal valid beginning. */
TEST(test_decode)
{
	check_decode("a", 1, 'a', 1);
	check_decode("\xc3\xa9", 2, 0xe9, 2);
	check_decode("\xe2\x82\xac", 3, 0x20ac, 3);
	check_decode("\xf0\x9f\x98\x80", 4, 0x1f600, 4);
	check_decode("\xf4\x8f\xbf\xbf", 4, 0x10ffff, 4);
	check_decode("\xc0\x80", 2, 0xfffd, 1);		/* overlong NUL */
	check_decode("\xe0\x80\x80", 3, 0xfffd, 1);	/* overlong */
	check_decode("\xed\xa0\x80", 3, 0xfffd, 1);	/* surrogate */
	check_decode("\xf4\x90\x80\x80", 4, 0xfffd, 1); /* above U+10FFFF */
	check_decode("\xf5\x80\x80\x80", 4, 0xfffd, 1);
	check_decode("\x80", 1, 0xfffd, 1);
	check_decode("\xff", 1, 0xfffd, 1);
	check_decode("\xe2\x82", 2, 0xfffd, 2); /* cut short */
	check_decode("\xe2\x82z", 3, 0xfffd, 2);
	check_decode("\xf0\x9f\x98", 3, 0xfffd, 3);
	check_decode("\xf0", 1, 0xfffd, 1);
}

/* Every scalar value survives encoding and decoding. */
TEST(test_round_trip)
{
	for (uint32_t c = 0; c < 0x110000; c++) {
		char bytes[4];
		uint32_t back;
		size_t len = text_encode(c, bytes);
		CHECK_INT(text_decode(bytes, len, &back), len);
		CHECK_INT(back, c >= 0xd800 && c < 0xe000 ? 0xfffd : c);
	}
}

/* Read a text to its end into UTF-8 again. */
static const char *sanitised(enum glyph_level level, const char *text, size_t len)
{
	static char out[256];
	size_t used = 0;
	struct text_reader reader = text_read(level, text, len);
	uint32_t c;
	int columns;
	while (text_next(&reader, &c, &columns)) {
		CHECK(columns >= 0 && columns <= 2);
		CHECK(used + 4 < sizeof(out));
		used += text_encode(c, out + used);
	}
	out[used] = '\0';
	return out;
}

#define SANITISED(level, text) sanitised(level, text, sizeof(text) - 1)

/* Nothing that steers a terminal gets through. */
TEST(test_sanitise)
{
	CHECK_STR(SANITISED(GLYPHS_BLOCKS, "http.request"), "http.request");
	CHECK_STR(SANITISED(GLYPHS_BLOCKS, "a\033[2Jb"), "a�[2Jb");
	CHECK_STR(SANITISED(GLYPHS_BLOCKS, "\a\r\n\t\x7f"), "�����");
	CHECK_STR(SANITISED(GLYPHS_BLOCKS, "\xc2\x9b"
					   "31m"),
	    "�31m");
	CHECK_STR(SANITISED(GLYPHS_BLOCKS, "a\0b"), "a�b");
	CHECK_STR(SANITISED(GLYPHS_BLOCKS, "x\u202ey\u2066z\u200f"), "x�y�z�");
	CHECK_STR(SANITISED(GLYPHS_BLOCKS, "\xff\xfe"), "��");
	CHECK_STR(SANITISED(GLYPHS_BLOCKS, "\U000e0041"), "�");
	CHECK_STR(SANITISED(GLYPHS_BLOCKS, "a\u200db\ufe0f"), "ab");
	CHECK_STR(SANITISED(GLYPHS_LINES, "\033"), "?");
	CHECK_STR(SANITISED(GLYPHS_ASCII, "naïve 310µs ≥1 日本 …"), "na?ve 310us >1 ?? ~");
	CHECK_STR(SANITISED(GLYPHS_ASCII, "e\u0301\033[m"), "e?[m");
	CHECK_STR(SANITISED(GLYPHS_ASCII, "● LIVE ─│"), "* LIVE -|");
	CHECK_STR(SANITISED(GLYPHS_LINES, "● é…"), "• é~");
	for (int b = 0; b < 256; b++) {
		char text[3] = {(char)b, (char)b, 0};
		for (const char *at = sanitised(GLYPHS_ASCII, text, 2); *at != '\0'; at++)
			CHECK(*at >= 0x20 && *at < 0x7f);
	}
}

TEST(test_text_width)
{
	CHECK_INT(text_width(GLYPHS_BLOCKS, ""), 0);
	CHECK_INT(text_width(GLYPHS_BLOCKS, "abc"), 3);
	CHECK_INT(text_width(GLYPHS_BLOCKS, "日本"), 4);
	CHECK_INT(text_width(GLYPHS_ASCII, "日本"), 2);
	CHECK_INT(text_width(GLYPHS_BLOCKS, "e\u0301"), 1);
	CHECK_INT(text_width(GLYPHS_BLOCKS, "\u0301"), 1);
	CHECK_INT(text_width(GLYPHS_BLOCKS, "\033\n"), 2);
}
