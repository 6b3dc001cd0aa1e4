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
