/*
 * json.h - write JSON values, nested by calls that begin and end objects and arrays.
 *
 * A member of an object is given its name.  The name is NULL in an array, for an outermost value, and after
 * json_key.  Commas and brackets are added automatically.  Each outermost value is a line.
 */
#pragma once

#include "print/out.h"

/* The state of a writer, which begins as {.out = ..}. */
struct json {
	struct out *out;
	unsigned depth;	 /* open objects and arrays, at most 31 */
	uint32_t arrays; /* one bit for each: an array */
	uint32_t filled; /* one bit for each: it has a member already */
	bool keyed;	 /* the name of the next value has been written */
};

void json_begin_object(struct json *j, const char *name);
void json_begin_array(struct json *j, const char *name);
void json_end(struct json *j);

/* Write the name of the next value, which is untrusted text. */
void json_key(struct json *j, const char *name, size_t len);

void json_put_null(struct json *j, const char *name);

/* Return whether a value is known: if so, the caller prints it; if not, null has been printed. */
bool json_known(struct json *j, const char *name, bool known);

void json_put_bool(struct json *j, const char *name, bool value);
void json_put_unsigned(struct json *j, const char *name, uint64_t value);
void json_put_known(struct json *j, const char *name, uint64_t value);		/* null for UINT64_MAX */
void json_put_if(struct json *j, const char *name, bool known, uint64_t value); /* null unless known */
void json_put_signed(struct json *j, const char *name, int64_t value);

/* Nanoseconds as seconds, exactly. */
void json_put_seconds(struct json *j, const char *name, uint64_t ns);
void json_put_time(struct json *j, const char *name, double ns); /* null for NAN */

/* A number with nine significant digits, or with a number of decimals; null for NAN and infinities. */
void json_put_number(struct json *j, const char *name, double value);
void json_put_fixed(struct json *j, const char *name, double value, int decimals);

/* Untrusted text, up to its NUL or of `len` bytes; null for NULL. */
void json_put_text(struct json *j, const char *name, const char *text);
void json_put_string(struct json *j, const char *name, const char *text, size_t len);
