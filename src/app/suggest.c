/*
 * suggest.c - find the most similar name by edit distance.
 */
#include "app/suggest.h"

#include <string.h>

#define LETTERS_MAX 15 /* longer words are similar to no name */
#define FAR 3	       /* a distance that is too large */
#define ABBREVIATION 3 /* letters of an abbreviation, at least */

static unsigned least(unsigned a, unsigned b, unsigned c)
{
	unsigned low = a < b ? a : b;

	return low < c ? low : c;
}

/* Edit distance; a swap of neighbouring letters counts once. */
static unsigned distance(const char *a, const char *b)
{
	unsigned d[LETTERS_MAX + 1][LETTERS_MAX + 1];
	size_t rows = strlen(a), columns = strlen(b);

	if (rows > LETTERS_MAX || columns > LETTERS_MAX)
		return FAR;
	for (size_t i = 0; i <= rows; i++)
		for (size_t k = 0; k <= columns; k++) {
			if (i == 0 || k == 0) {
				d[i][k] = (unsigned)(i + k);
				continue;
			}
			d[i][k] =
			    least(d[i - 1][k] + 1, d[i][k - 1] + 1, d[i - 1][k - 1] + (a[i - 1] != b[k - 1]));
			if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1] &&
			    d[i - 2][k - 2] + 1 < d[i][k])
				d[i][k] = d[i - 2][k - 2] + 1;
		}
	return d[rows][columns];
}

/* Distance of a name from a word; 0 if the word abbreviates the name. */
static unsigned far_from(const char *word, const char *name)
{
	size_t len = strlen(word);

	if (len >= ABBREVIATION && strncmp(word, name, len) == 0)
		return 0;
	unsigned differ = distance(word, name);
	return 2 * differ < strlen(name) ? differ : FAR;
}

const char *suggest(const char *word, const char *const *names, size_t count)
{
	const char *best = NULL;
	unsigned nearest = FAR;

	for (size_t i = 0; i < count; i++) {
		if (names[i] == NULL)
			continue;
		unsigned far = far_from(word, names[i]);
		if (far == nearest)
			best = NULL;
		if (far < nearest) {
			nearest = far;
			best = names[i];
		}
	}
	return best;
}
