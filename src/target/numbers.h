/*
 * numbers.h - decimal numbers and lines in texts of the kernel.  Any bytes are taken.
 */
#ifndef TARGET_NUMBERS_H
#define TARGET_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Read a decimal number, and step behind it.  False when there is none or it is too big. */
static inline bool take_number(const char **at, const char *end, uint64_t *out)
{
	const char *p = *at;
	uint64_t value = 0;

	if (p >= end || *p < '0' || *p > '9')
		return false;
	for (; p < end && *p >= '0' && *p <= '9'; p++) {
		uint64_t digit = (uint64_t)(*p - '0');

		if (value > (UINT64_MAX - digit) / 10)
			return false;
		value = value * 10 + digit;
	}
	*at = p;
	*out = value;
	return true;
}

/* Step over spaces and tabs. */
static inline void skip_blanks(const char **at, const char *end)
{
	while (*at < end && (**at == ' ' || **at == '\t'))
		++*at;
}

/* A piece of a text. */
struct piece {
	const char *at, *end;
};

/* Take the next line, without its newline.  False when nothing is left. */
static inline bool take_line(const char **at, const char *end, struct piece *line)
{
	const char *newline;

	if (*at >= end)
		return false;
	newline = memchr(*at, '\n', (size_t)(end - *at));
	line->at = *at;
	line->end = newline == NULL ? end : newline;
	*at = newline == NULL ? end : newline + 1;
	return true;
}

/* Take what stands before a character, and step behind that; all that is left when it does not come.  False
 * when nothing is left. */
static inline bool take_until(struct piece *from, char stop, struct piece *out)
{
	const char *found;

	if (from->at >= from->end)
		return false;
	found = memchr(from->at, stop, (size_t)(from->end - from->at));
	out->at = from->at;
	out->end = found == NULL ? from->end : found;
	from->at = found == NULL ? from->end : found + 1;
	return true;
}

/* Whether a piece is a word. */
static inline bool piece_is(struct piece piece, const char *word)
{
	size_t len = strlen(word);

	return (size_t)(piece.end - piece.at) == len && memcmp(piece.at, word, len) == 0;
}

/* Whether a piece begins with a word; it then is what follows. */
static inline bool piece_skip(struct piece *piece, const char *word)
{
	size_t len = strlen(word);

	if ((size_t)(piece->end - piece->at) < len || memcmp(piece->at, word, len) != 0)
		return false;
	piece->at += len;
	return true;
}

#endif
