/*
 * suggest.h - which of several names a mistyped word was meant to be.
 */
#ifndef APP_SUGGEST_H
#define APP_SUGGEST_H

#include <stddef.h>

/* The name that the word is an abbreviation of, else the one that it differs least from: in two letters at most, and in fewer than
 * half of them.  NULL in `names` is passed over.  NULL when there is none, or when several are as near. */
const char *suggest(const char *word, const char *const *names, size_t count);

#endif
