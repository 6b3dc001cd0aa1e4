/*
 * suggest.h - find the name that a misspelt word stands for.
 */
#ifndef APP_SUGGEST_H
#define APP_SUGGEST_H

#include <stddef.h>

/* The name that the word abbreviates, else the most similar one: at most two edits, and fewer than half of
 * its letters.  NULLs in `names` are skipped.  Returns NULL if there is none, or if several are equally
 * similar. */
const char *suggest(const char *word, const char *const *names, size_t count);

#endif
