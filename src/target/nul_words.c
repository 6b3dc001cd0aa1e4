/*
 * nul_words.c - NUL-separated words.
 */
#include "target/nul_words.h"

#include <string.h>

/* The word at an offset. */
static struct word word_at(const char *text, size_t len, size_t offset)
{
	struct word word = {.text = text + offset};
	const char *nul = memchr(word.text, '\0', len - offset);

	word.len = nul == NULL ? len - offset : (size_t)(nul - word.text);
	return word;
}

struct word words_get(const char *text, size_t len, size_t index)
{
	size_t offset = 0;

	while (offset < len) {
		struct word word = word_at(text, len, offset);

		if (index-- == 0)
			return word;
		offset += word.len + 1;
	}
	return (struct word){.text = NULL};
}

struct word words_value(const char *text, size_t len, const char *name)
{
	size_t offset = 0, name_len = strlen(name);

	while (offset < len) {
		struct word word = word_at(text, len, offset);

		if (word.len > name_len && memcmp(word.text, name, name_len) == 0 &&
		    word.text[name_len] == '=')
			return (struct word){word.text + name_len + 1, word.len - name_len - 1};
		offset += word.len + 1;
	}
	return (struct word){.text = NULL};
}

size_t word_copy(struct word word, char *buf, size_t size)
{
	size_t n = word.len;

	if (size == 0)
		return n + 1;
	if (n >= size)
		n = size - 1;
	if (n > 0)
		memcpy(buf, word.text, n);
	buf[n] = '\0';
	return word.len + 1;
}

void words_join(const char *text, size_t len, char *buf, size_t size)
{
	size_t n;

	if (size == 0)
		return;
	while (len > 0 && text[len - 1] == '\0')
		len--;
	n = len < size ? len : size - 1;
	for (size_t i = 0; i < n; i++)
		buf[i] = text[i] == '\0' ? ' ' : text[i];
	buf[n] = '\0';
}
