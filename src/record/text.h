/*
 * text.h - foreign bytes as text that every reader of a recording takes.
 */
#ifndef RECORD_TEXT_H
#define RECORD_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* Room that record_text_clean needs for a text of len bytes. */
#define RECORD_TEXT_ROOM(len) (3 * (len))

/* Copy a text, with U+FFFD for each byte that is not UTF-8; returns its length.  No NUL is added. */
size_t record_text_clean(char *to, const char *text, size_t len);

/* Whether a payload is text that can be shown as it is: valid UTF-8 without control characters but tabs and
 * line ends. */
bool record_text_printable(const void *data, size_t len);

/* Write bytes as 2 * len lower-case hexadecimal digits. */
void record_text_hex(char *to, const void *data, size_t len);

#endif
