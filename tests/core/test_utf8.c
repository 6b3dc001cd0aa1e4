/*
 * test_utf8.c - texts that are cut to a length end with a whole character.
 */
#include "support/test.h"

#include "core/utf8.h"

__attribute__((format(printf, 3, 4))) static void print(char *out, size_t size, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	utf8_print(out, size, format, args);
	va_end(args);
}

/* Characters of one to four bytes, cut at each length. */
TEST(test_cut)
{
	static const char text[] = "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x90\xab!";
	static const int whole[] = {0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 11};

	for (size_t most = 0; most <= 11; most++) {
		char out[16], expected[16];
		CHECK_INT(utf8_fit(text, 11, most), whole[most]);
		snprintf(expected, sizeof(expected), "%.*s", whole[most], text);
		print(out, most + 1, "%s", text);
		CHECK_STR(out, expected);
	}
	CHECK_INT(utf8_fit(NULL, 0, 4), 0);
}

/* What is no UTF-8 is not followed beyond the text, and a text that fits stays as it is. */
TEST(test_invalid)
{
	char out[8];

	CHECK_INT(utf8_fit("\x80\x80\x80\x80\x80\x80", 6, 5), 5);
	print(out, sizeof(out), "ab\xc3");
	CHECK_STR(out, "ab\xc3");
	print(out, 4, "\x80\x80\x80\x80\x80");
	CHECK(strlen(out) <= 3);
	print(out, 1, "abc");
	CHECK_STR(out, "");
}
