/*
 * utf8.h - decode UTF-8 as Unicode defines it: no overlong forms, no surrogates, nothing above U+10FFFF.
 */
#pragma once

#include "core/std.h"

/*
 * Decode the character at the start of len > 0 bytes into *code, and store its length in *size.  Returns
 * false if the bytes are invalid; *size is then the length of the longest valid prefix, at least 1.
 */
static inline bool utf8_decode(const void *bytes, size_t len, size_t *size, uint32_t *code)
{
	const unsigned char *s = bytes;
	/* Overlong forms and surrogates are excluded by the range of the second byte. */
	unsigned low = s[0] == 0xe0 ? 0xa0 : s[0] == 0xf0 ? 0x90 : 0x80;
	unsigned high = s[0] == 0xed ? 0x9f : s[0] == 0xf4 ? 0x8f : 0xbf;
	size_t want = s[0] < 0x80 ? 1 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
	uint32_t value = want == 1 ? s[0] : s[0] & (0x7fu >> want);

	*size = 1;
	if (s[0] > 0xf4 || (s[0] >= 0x80 && s[0] < 0xc2))
		return false;
	for (; *size < want; ++*size) {
		if (*size == len || s[*size] < low || s[*size] > high)
			return false;
		value = value << 6 | (s[*size] & 0x3fu);
		low = 0x80;
		high = 0xbf;
	}
	*code = value;
	return true;
}

/* Return how many of a text's `len` bytes to show in a room of `most` bytes, without cutting the last
 * character. */
static inline int utf8_fit(const char *text, size_t len, size_t most)
{
	size_t size, begin = len < most ? len : most;
	uint32_t code;

	if (len <= most)
		return (int)len;
	for (int back = 0; back < 3 && begin > 0 && ((unsigned char)text[begin] & 0xc0) == 0x80; back++)
		begin--;
	return (int)(utf8_decode(text + begin, len - begin, &size, &code) ? begin : most);
}

/* Print as vsnprintf does, but never cut a character at the end of the room. */
__attribute__((format(printf, 3, 0))) static inline void utf8_print(
    char *out, size_t size, const char *format, va_list args)
{
	int full = vsnprintf(out, size, format, args);
	size_t end = strlen(out), begin = end, whole;
	uint32_t code;

	if (full < (int)size || end == 0)
		return;
	do
		begin--;
	while (begin > 0 && end - begin < 4 && ((unsigned char)out[begin] & 0xc0) == 0x80);
	if (!utf8_decode(out + begin, end - begin, &whole, &code) && begin + whole == end)
		out[begin] = '\0';
}
