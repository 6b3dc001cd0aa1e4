/*
 * json.h - read a JSON text (RFC 8259) into a tree.
 *
 * The text is a stranger's: what nests deeper than JSON_DEPTH_MAX or has more values than JSON_VALUES_MAX is refused.  Strings are
 * unescaped in place and may hold any byte, so the tree lives no longer than the text.
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
	const char *name; /* of a member of an object, not terminated; NULL for others */
	size_t name_len;
	const char *text; /* of a string, not terminated */
	size_t text_len;
	double number;
	const struct json *first; /* member of an object, element of an array */
	const struct json *next;  /* one of the same parent */
};

struct json_tree;

/*
 * Read `text`, which is changed; one value, blanks around it.  0 and the tree in *out; EINVAL: it is no JSON, or exceeds a bound;
 * ENOMEM.  *root is the value.
 */
int json_read(struct json_tree **out, const struct json **root, char *text, size_t len);
void json_destroy(struct json_tree *tree);

/* The first member of that name; NULL when there is none, or when `object` is NULL or no object. */
const struct json *json_member(const struct json *object, const char *name);

/* The number; NAN when `value` is NULL or no number. */
double json_number(const struct json *value);

#endif
