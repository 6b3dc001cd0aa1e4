/*
 * record_text.c - foreign bytes as text.
 */
#include "app/record_text.h"

#include <stdint.h>
#include <string.h>

/* The length of the UTF-8 sequence at the start of `len` bytes, 0 if there is none, and its code point. */
static size_t sequence(const unsigned char *s, size_t len, uint32_t *code)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	size_t want = s[0] < 0x80   ? 1
		      : s[0] < 0xc0 ? 0
		      : s[0] < 0xe0 ? 2
		      : s[0] < 0xf0 ? 3
		      : s[0] < 0xf8 ? 4
				    : 0;

	if (want == 0 || want > len)
		return 0;
	*code = want == 1 ? s[0] : s[0] & (0x7fu >> want);
	for (size_t i = 1; i < want; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		*code = *code << 6 | (s[i] & 0x3f);
	}
	if (*code < least[want] || *code > 0x10ffff || (*code >= 0xd800 && *code <= 0xdfff))
		return 0;
	return want;
}

/* Copy a text, invalid bytes replaced. */
size_t record_text_clean(char *to, const char *text, size_t len)
{
	const unsigned char *s = (const unsigned char *)text;
	size_t used = 0;
	uint32_t code;

	for (size_t i = 0; i < len;) {
		size_t n = sequence(s + i, len - i, &code);
		memcpy(to + used, n == 0 ? "\xef\xbf\xbd" : text + i, n == 0 ? 3 : n);
		used += n == 0 ? 3 : n;
		i += n == 0 ? 1 : n;
	}
	return used;
}

/* Say whether a payload can be shown as it is. */
bool record_text_printable(const void *data, size_t len)
{
	const unsigned char *s = data;
	uint32_t code;

	for (size_t i = 0; i < len;) {
		size_t n = sequence(s + i, len - i, &code);
		if (n == 0 || (code < 0x20 && code != '\t' && code != '\n' && code != '\r') ||
		    (code >= 0x7f && code < 0xa0))
			return false;
		i += n;
	}
	return true;
}

/* Write bytes as hexadecimal digits. */
void record_text_hex(char *to, const void *data, size_t len)
{
	static const char digits[] = "0123456789abcdef";
	const unsigned char *s = data;

	for (size_t i = 0; i < len; i++) {
		to[2 * i] = digits[s[i] >> 4];
		to[2 * i + 1] = digits[s[i] & 15];
	}
}
