/*
 * text.c - untrusted bytes as text.
 */
#include "record/text.h"

#include <stdint.h>
#include <string.h>

#include "core/utf8.h"

size_t record_text_clean(char *to, const char *text, size_t len)
{
	size_t used = 0, size;
	uint32_t code;

	while (len > 0) {
		bool valid = utf8_decode(text, len, &size, &code);
		const char *as = valid ? text : "\xef\xbf\xbd";
		size_t length = valid ? size : 3;
		memcpy(to + used, as, length);
		used += length;
		text += valid ? size : 1;
		len -= valid ? size : 1;
	}
	return used;
}

bool record_text_printable(const void *data, size_t len)
{
	const unsigned char *s = data;
	uint32_t code;
	size_t size;

	for (size_t i = 0; i < len; i += size) {
		if (!utf8_decode(s + i, len - i, &size, &code) ||
		    (code < 0x20 && code != '\t' && code != '\n' && code != '\r') ||
		    (code >= 0x7f && code < 0xa0))
			return false;
	}
	return true;
}

void record_text_hex(char *to, const void *data, size_t len)
{
	static const char digits[] = "0123456789abcdef";
	const unsigned char *s = data;

	for (size_t i = 0; i < len; i++) {
		to[2 * i] = digits[s[i] >> 4];
		to[2 * i + 1] = digits[s[i] & 15];
	}
}
