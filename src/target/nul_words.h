/*
 * nul_words.h - the NUL-separated words of /proc/PID/cmdline and /proc/PID/environ.
 *
 * The last word may lack its NUL.  Results point into the text.
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

/* The value of the first NAME=value, as getenv returns it. */
struct word words_value(const char *text, size_t len, const char *name);

/* Copy a word as a string.  Returns the size needed with the NUL; if that is above `size`, the copy is
 * truncated. */
size_t word_copy(struct word word, char *buf, size_t size);

/* Join all words with spaces, truncated, as a command line to show. */
void words_join(const char *text, size_t len, char *buf, size_t size);

#endif
