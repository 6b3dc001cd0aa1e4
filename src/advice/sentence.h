/*
 * sentence.h - a sentence in three lengths, of which a line of a screen shows the longest that it has room for.
 *
 * What the shorter ones lack is marked where the sentence is written:
 *
 *	sentence_print(&said, "The collector spends %s" SAY_MORE(" of its time") " on %s" SAY_MOST(", as it often does"), ...);
 *
 * A mark in an argument counts as well, so what is foreign goes through sentence_name.
 */
#pragma once

#include "core/std.h"

#define SAY_MORE(words) "\x1c" words "\x1e" /* what the shortest lacks */
#define SAY_MOST(words) "\x1d" words "\x1e" /* what the longest alone has */

#define SENTENCE_TEXT 360
#define SENTENCE_SHORTER 200

/* Untrusted bytes, as names may be in them. */
struct sentence {
	char text[SENTENCE_TEXT];
	char shorter[2][SENTENCE_SHORTER]; /* the longer one first; "": has no room here */
};

/* A foreign name as it stands in a sentence: `most` bytes of it at most, no character cut, '?' for what would be a mark. */
#define SENTENCE_NAME 256
struct sentence_name {
	char s[SENTENCE_NAME];
};
struct sentence_name sentence_name(const char *text, size_t len, size_t most);

__attribute__((format(printf, 2, 3))) void sentence_print(struct sentence *out, const char *format, ...);
__attribute__((format(printf, 2, 0))) void sentence_vprint(
    struct sentence *out, const char *format, va_list args);
