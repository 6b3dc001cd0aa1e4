/*
 * json.c - a recursive JSON reader with bounded depth.  Values are allocated in blocks that are freed
 * together.
 */
#include "app/diff/json.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "canvas/text.h"

#define BLOCK_VALUES 1024

struct block {
	struct block *next;
	struct json values[BLOCK_VALUES];
};

struct json_tree {
	struct block *blocks; /* newest first */
	size_t used;	      /* values in the newest block */
	size_t count;	      /* values in all blocks */
};

struct reader {
	struct json_tree *tree;
	char *at, *end;
	unsigned depth;
	int error; /* errno of the first failure */
};

/* Record the first reason why reading failed.  Returns false. */
static bool fail(struct reader *r, int error)
{
	if (r->error == 0)
		r->error = error;
	return false;
}

/* Allocate a value of the tree; NULL when there are too many or memory ran out. */
static struct json *value_make(struct reader *r)
{
	struct json_tree *tree = r->tree;

	if (tree->count == JSON_VALUES_MAX) {
		fail(r, EINVAL);
		return NULL;
	}
	if (tree->blocks == NULL || tree->used == BLOCK_VALUES) {
		struct block *b = malloc(sizeof(*b));
		if (b == NULL) {
			fail(r, ENOMEM);
			return NULL;
		}
		b->next = tree->blocks;
		tree->blocks = b;
		tree->used = 0;
	}
	tree->count++;
	struct json *value = &tree->blocks->values[tree->used++];
	*value = (struct json){.number = NAN};
	return value;
}

/* Skip blanks. */
static void blanks(struct reader *r)
{
	while (r->at < r->end && memchr(" \t\r\n", *r->at, 4) != NULL)
		r->at++;
}

/* Skip a character if it is next. */
static bool take(struct reader *r, char c)
{
	if (r->at == r->end || *r->at != c)
		return false;
	r->at++;
	return true;
}

/* Skip a word if it is next. */
static bool take_word(struct reader *r, const char *word)
{
	size_t len = strlen(word);

	if ((size_t)(r->end - r->at) < len || memcmp(r->at, word, len) != 0)
		return false;
	r->at += len;
	return true;
}

/* Read the four digits after \u. */
static bool hex4(struct reader *r, uint32_t *out)
{
	static const char digits[] = "0123456789abcdef";

	*out = 0;
	for (int i = 0; i < 4; i++) {
		const char *digit = NULL;
		if (r->at < r->end && *r->at != '\0')
			digit = strchr(digits, *r->at >= 'A' && *r->at <= 'F' ? *r->at + 32 : *r->at);
		if (digit == NULL)
			return fail(r, EINVAL);
		*out = *out << 4 | (uint32_t)(digit - digits);
		r->at++;
	}
	return true;
}

/* Read what follows \u, with the second half of a surrogate pair.  An unpaired half becomes U+FFFD. */
static bool unicode(struct reader *r, char **to)
{
	uint32_t c, low;

	if (!hex4(r, &c))
		return false;
	if (c >= 0xd800 && c < 0xdc00 && take_word(r, "\\u")) {
		if (!hex4(r, &low))
			return false;
		c = low >= 0xdc00 && low < 0xe000 ? 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00) : 0xfffd;
	}
	if (c >= 0xd800 && c < 0xe000)
		c = 0xfffd;
	*to += text_encode(c, *to);
	return true;
}

/* Decode an escape in place: the result is never longer than the escape. */
static bool escape(struct reader *r, char **to)
{
	static const char from[] = "\"\\/bfnrt", into[] = "\"\\/\b\f\n\r\t";

	if (r->at == r->end)
		return fail(r, EINVAL);
	char c = *r->at++;
	if (c == 'u')
		return unicode(r, to);
	const char *found = c != '\0' ? strchr(from, c) : NULL;
	if (found == NULL)
		return fail(r, EINVAL);
	*(*to)++ = into[found - from];
	return true;
}

/* Read a string, after its opening quote. */
static bool string(struct reader *r, const char **text, size_t *len)
{
	char *to = r->at;

	*text = to;
	while (r->at < r->end && *r->at != '"') {
		if ((unsigned char)*r->at < 0x20)
			return fail(r, EINVAL);
		if (*r->at != '\\') {
			*to++ = *r->at++;
			continue;
		}
		r->at++;
		if (!escape(r, &to))
			return false;
	}
	*len = (size_t)(to - *text);
	return take(r, '"') || fail(r, EINVAL);
}

/* Skip digits; false when there is none. */
static bool digits(struct reader *r)
{
	const char *start = r->at;

	while (r->at < r->end && *r->at >= '0' && *r->at <= '9')
		r->at++;
	return r->at > start;
}

/* Read a number.  A number longer than any that stats prints is refused. */
static bool number(struct reader *r, struct json *value)
{
	char copy[64];
	const char *start = r->at;

	take(r, '-');
	if (!take(r, '0') && !digits(r))
		return fail(r, EINVAL);
	if (take(r, '.') && !digits(r))
		return fail(r, EINVAL);
	if (take(r, 'e') || take(r, 'E')) {
		if (!take(r, '+'))
			take(r, '-');
		if (!digits(r))
			return fail(r, EINVAL);
	}
	size_t len = (size_t)(r->at - start);
	if (len >= sizeof(copy))
		return fail(r, EINVAL);
	memcpy(copy, start, len);
	copy[len] = '\0';
	value->kind = JSON_NUMBER;
	value->number = strtod(copy, NULL);
	return isfinite(value->number) || fail(r, EINVAL);
}

static struct json *value_read(struct reader *r);

/* Read members or elements up to `end`. */
static bool inside(struct reader *r, struct json *parent, char end)
{
	const struct json **link = &parent->first;

	blanks(r);
	if (take(r, end))
		return true;
	do {
		const char *name = NULL;
		size_t name_len = 0;
		blanks(r);
		if (parent->kind == JSON_OBJECT) {
			if (!take(r, '"') || !string(r, &name, &name_len))
				return fail(r, EINVAL);
			blanks(r);
			if (!take(r, ':'))
				return fail(r, EINVAL);
		}
		struct json *value = value_read(r);
		if (value == NULL)
			return false;
		value->name = name;
		value->name_len = name_len;
		*link = value;
		link = &value->next;
		blanks(r);
	} while (take(r, ','));
	return take(r, end) || fail(r, EINVAL);
}

/* Read a value; NULL when there is none. */
static struct json *value_read(struct reader *r)
{
	struct json *value = value_make(r);
	bool read = false;

	if (value == NULL)
		return NULL;
	blanks(r);
	if (take(r, '"')) {
		value->kind = JSON_STRING;
		read = string(r, &value->text, &value->text_len);
	} else if (take_word(r, "null")) {
		read = true;
	} else if (take_word(r, "true") || take_word(r, "false")) {
		value->kind = r->at[-2] == 'u' ? JSON_TRUE : JSON_FALSE;
		read = true;
	} else if (r->at < r->end && (*r->at == '{' || *r->at == '[')) {
		bool object = *r->at++ == '{';
		value->kind = object ? JSON_OBJECT : JSON_ARRAY;
		if (r->depth == JSON_DEPTH_MAX) {
			fail(r, EINVAL);
		} else {
			r->depth++;
			read = inside(r, value, object ? '}' : ']');
			r->depth--;
		}
	} else {
		read = number(r, value);
	}
	return read ? value : NULL;
}

int json_read(struct json_tree **out, const struct json **root, char *text, size_t len)
{
	struct reader r = {.at = text, .end = text + len};

	*out = NULL;
	r.tree = calloc(1, sizeof(*r.tree));
	if (r.tree == NULL)
		return ENOMEM;
	*root = value_read(&r);
	blanks(&r);
	if (*root != NULL && r.at == r.end) {
		*out = r.tree;
		return 0;
	}
	json_destroy(r.tree);
	*root = NULL;
	return r.error != 0 ? r.error : EINVAL;
}

void json_destroy(struct json_tree *tree)
{
	if (tree == NULL)
		return;
	for (struct block *b = tree->blocks, *next; b != NULL; b = next) {
		next = b->next;
		free(b);
	}
	free(tree);
}

const struct json *json_member(const struct json *object, const char *name)
{
	size_t len = strlen(name);

	if (object == NULL || object->kind != JSON_OBJECT)
		return NULL;
	for (const struct json *m = object->first; m != NULL; m = m->next)
		if (m->name_len == len && memcmp(m->name, name, len) == 0)
			return m;
	return NULL;
}

double json_number(const struct json *value)
{
	return value != NULL && value->kind == JSON_NUMBER ? value->number : NAN;
}
