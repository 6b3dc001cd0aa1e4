/*
 * json.h - read a JSON text (RFC 8259) into a tree.
 *
 * The text is untrusted: it is refused if it nests deeper than JSON_DEPTH_MAX or has more than
 * JSON_VALUES_MAX values.  Strings are unescaped in place and may contain any byte, so the text must outlive
 * the tree.
 */
#ifndef APP_DIFF_JSON_H
#define APP_DIFF_JSON_H

#include <stdbool.h>
#include <stddef.h>

#define JSON_DEPTH_MAX 32
#define JSON_VALUES_MAX (4u << 20)

enum json_kind { JSON_NULL, JSON_FALSE, JSON_TRUE, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

struct json {
	enum json_kind kind;
	const char *name; /* name of an object's member, not terminated; NULL for other values */
	size_t name_len;
	const char *text; /* of a string, not terminated */
	size_t text_len;
	double number;
	const struct json *first; /* first member of an object or element of an array */
	const struct json *next;  /* next value with the same parent */
};

struct json_tree;

/*
 * Read `text`, which is modified: one value, with blanks around it.  Returns 0 and sets *out to the tree and
 * *root to the value; EINVAL when the text is not JSON or exceeds a bound; ENOMEM.
 */
int json_read(struct json_tree **out, const struct json **root, char *text, size_t len);
void json_destroy(struct json_tree *tree);

/* Return the first member of that name; NULL when there is none, or when `object` is NULL or not an
 * object. */
const struct json *json_member(const struct json *object, const char *name);

/* Return the number; NAN when `value` is NULL or not a number. */
double json_number(const struct json *value);

#endif
