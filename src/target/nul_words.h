/*
 * nul_words.h - the NUL-separated words of /proc/PID/cmdline and /proc/PID/environ.
 *
 * The last word may lack its NUL.  Nothing is copied: results point into the text, which the caller keeps.
 */
#ifndef TARGET_NUL_WORDS_H
#define TARGET_NUL_WORDS_H

#include <stddef.h>

struct word {
	const char *text; /* not NUL-terminated; NULL: no such word */
	size_t len;
};

/* The word with this index. */
struct word words_get(const char *text, size_t len, size_t index);

/* The value of NAME=value: of the first, as getenv does. */
struct word words_value(const char *text, size_t len, const char *name);

/* Copy a word as a string.  The size that it needs with its NUL; when that is above `size` it was cut. */
size_t word_copy(struct word word, char *buf, size_t size);

/* Join all words with spaces, cut to the size, as a command line to show. */
void words_join(const char *text, size_t len, char *buf, size_t size);

#endif
