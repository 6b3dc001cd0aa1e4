/*
 * text.h - untrusted bytes as text that every reader of a recording accepts.
 */
#ifndef RECORD_TEXT_H
#define RECORD_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* Room for the result of record_text_clean. */
#define RECORD_TEXT_ROOM(len) (3 * (len))

/* Copy a text, with U+FFFD in place of each invalid byte.  Returns the length; no NUL is added. */
size_t record_text_clean(char *to, const char *text, size_t len);

/* Whether a payload can be shown as text: valid UTF-8 without control characters except tabs and newlines. */
bool record_text_printable(const void *data, size_t len);

/* Write 2 * len lower-case hexadecimal digits. */
void record_text_hex(char *to, const void *data, size_t len);

#endif
