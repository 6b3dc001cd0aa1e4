/*
 * sentence.h - a sentence in three lengths; a line of a screen shows the longest one that fits.
 *
 * Parts that the shorter ones omit are marked where the sentence is written:
 *
 *	sentence_print(&said, "The collector spends %s" SAY_MORE(" of its time") " on %s" SAY_MOST(", as it often does"), ...);
 *
 * A mark in an argument counts as well, so untrusted text goes through sentence_name.
 */
#pragma once

#include "core/std.h"

#define SAY_MORE(words) "\x1c" words "\x1e" /* omitted in the shortest */
#define SAY_MOST(words) "\x1d" words "\x1e" /* only in the longest */

#define SENTENCE_TEXT 360
#define SENTENCE_SHORTER 200

/* The texts contain untrusted bytes if names do. */
struct sentence {
	char text[SENTENCE_TEXT];
	char shorter[2][SENTENCE_SHORTER]; /* the longer one first; "": it did not fit */
};

/* An untrusted name for a sentence: at most `most` bytes, 16 or more, '?' in place of marks.  A longer one loses its middle,
 * for "...", and no part of a character. */
#define SENTENCE_NAME 256
struct sentence_name {
	char s[SENTENCE_NAME];
};
struct sentence_name sentence_name(const char *text, size_t len, size_t most);

__attribute__((format(printf, 2, 3))) void sentence_print(struct sentence *out, const char *format, ...);
__attribute__((format(printf, 2, 0))) void sentence_vprint(
    struct sentence *out, const char *format, va_list args);
