/*
 * out.h - buffered output of text and JSON to a descriptor.
 *
 * After a failed write the errno is kept and further output is discarded, so that callers check once, at the
 * end.
 */
#pragma once

#include "core/std.h"

struct out {
	int fd;
	int error; /* errno of the first failed write; ECANCELED if `wait` gave up; else 0 */
	bool (*wait)(void *ctx, int fd);
	void *wait_ctx;
	bool
	    ascii; /* escape all characters outside ASCII except the signs of numbers, which become u ~ < > */
	size_t used;
	char buffer[1 << 16];
};

void out_init(struct out *out, int fd);

/*
 * Call `wait` before each write; it blocks until the descriptor is writable and returns false to give up.  So
 * signals are handled while a reader is stuck.  NULL, the default: writes block.
 */
void out_set_wait(struct out *out, bool (*wait)(void *ctx, int fd), void *ctx);

/* Write the buffer.  Returns 0 or the errno of the first failure. */
int out_flush(struct out *out);

void out_bytes(struct out *out, const char *bytes, size_t len);

/* As out_bytes, for short text and lengths known when compiled. */
static inline void out_put(struct out *out, const char *bytes, size_t len)
{
	if (len > sizeof(out->buffer) - out->used) {
		out_bytes(out, bytes, len);
		return;
	}
	memcpy(out->buffer + out->used, bytes, len);
	out->used += len;
}

static inline void out_text(struct out *out, const char *text)
{
	out_put(out, text, strlen(text));
}

static inline void out_char(struct out *out, char c)
{
	out_put(out, &c, 1);
}

/* Decimal digits of a number, at most 20, that end before `end`.  Returns the first. */
char *out_digits(char *end, uint64_t value);

void out_unsigned(struct out *out, uint64_t value);
void out_signed(struct out *out, int64_t value);

/* Formatted text, at most 511 bytes, escaped as by out_foreign except for line feeds. */
__attribute__((format(printf, 2, 3))) void out_format(struct out *out, const char *format, ...);

/* Lower-case hexadecimal digits. */
void out_hex(struct out *out, const void *data, size_t len);

/* A quoted JSON string.  Characters not to be displayed (core/shown.h) become \uXXXX, invalid bytes \ufffd. */
void out_json_string(struct out *out, const char *text, size_t len);

/* Untrusted text for a terminal or log: each byte of an invalid or undisplayable character (core/shown.h) becomes
 * \xNN.  With `ascii`, so does each byte of other characters outside ASCII that have no ASCII sign. */
void out_foreign(struct out *out, const char *text, size_t len);

/* Write a foreign name, escaped as by out_foreign, and in quotes if it is empty or begins or ends with a blank. */
void out_name(struct out *out, const char *name, size_t len);

/* A line of formatted text of any length, escaped as by out_foreign, and its end. */
__attribute__((format(printf, 2, 3))) void out_line(struct out *out, const char *format, ...);

/* A blank and a place in a foreign file: "FILE:LINE", "FILE"; nothing if `file` is NULL. */
void out_place(struct out *out, const char *file, uint64_t line);

/* ---- columns of text, and text wrapped to the width of a report ---- */

/* Texts are untrusted: they are printed as by out_foreign, and padded by their number of characters. */

#define TABLE_COLUMNS 80 /* width of a text report */

/* A column; the last of a table is followed by one without a title. */
struct table_column {
	const char *title; /* NULL: the end */
	int width;	   /* negative: left-aligned */
};

/* Print `count` blanks; none for a negative number. */
void table_blanks(struct out *out, int count);

/* Print a text in a column of a given width; longer text is printed in full. */
void table_cell(struct out *out, int width, const char *text);

/* Print the cells of a line, separated by blanks, without the end of the line; or the titles of the columns,
 * with the end of the line. */
void table_cells(struct out *out, const struct table_column *columns, const char *const *cells);
void table_head(struct out *out, const struct table_column *columns);

/* Print words, wrapped at TABLE_COLUMNS, and the end of the line.  The first word begins at column `at`,
 * further lines at `indent`. */
void table_wrap(struct out *out, const char *text, int at, int indent);
