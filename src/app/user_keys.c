/*
 * user_keys.c - unique JSON keys for user slots.
 *
 * All keys are in one tree.  Names are inserted first, so that no generated key takes the place of a name.
 * Each name remembers the next number to try, so that each generated key is tried once.
 */
#include "app/user_keys.h"

#include <sys/tree.h>

#include "core/shown.h"
#include "ui/widgets/user_text.h"

/* Longest sanitised name: each byte may become U+FFFD, which takes three. */
#define NAME_BYTES (3 * RTEV_USER_NAME_SIZE)
#define SUFFIX_BYTES 32

struct user_key {
	RB_ENTRY(user_key) link;
	uint32_t next[MODEL_USER_KINDS]; /* the last number used for a generated key */
	size_t len;
	char text[];
};

RB_HEAD(user_key_tree, user_key);

struct user_keys {
	struct user_key_tree tree;
	size_t count;
	struct user_key *of[]; /* by slot */
};

/* Compare keys bytewise. */
static int key_compare(const struct user_key *a, const struct user_key *b)
{
	int order = memcmp(a->text, b->text, a->len < b->len ? a->len : b->len);

	return order != 0 ? order : (a->len > b->len) - (a->len < b->len);
}

RB_GENERATE_INTERNAL(user_key_tree, user_key, link, key_compare, __attribute__((unused)) static)

/* Make a key from a name, with room for a suffix: invalid UTF-8 is replaced, and with `shown` also what may
 * not be displayed.  Returns NULL if memory ran out. */
static struct user_key *key_of_name(const struct model_user_slot *what, bool shown)
{
	static const char replacement[] = "\xef\xbf\xbd";
	char text[NAME_BYTES];
	size_t len = 0,
	       name_len = what->name_len < RTEV_USER_NAME_SIZE ? what->name_len : RTEV_USER_NAME_SIZE;
	uint32_t code;

	for (size_t i = 0, size; i < name_len; i += size) {
		bool valid = utf8_decode(what->name + i, name_len - i, &size, &code);
		if (valid && !(shown && shown_of(code) == SHOWN_NEVER)) {
			memcpy(text + len, what->name + i, size);
			len += size;
		} else {
			memcpy(text + len, replacement, sizeof(replacement) - 1);
			len += sizeof(replacement) - 1;
			size = valid ? size : 1;
		}
	}
	struct user_key *key = calloc(1, sizeof(*key) + len + SUFFIX_BYTES);
	if (key != NULL) {
		memcpy(key->text, text, len);
		key->len = len;
	}
	return key;
}

/* Append a suffix that makes a key equal to `base` unique, and insert the key. */
static void make_up(
    struct user_keys *keys, struct user_key *base, struct user_key *key, enum model_user_kind kind)
{
	do {
		uint32_t number = ++base->next[kind];
		int suffix = number == 1
				 ? snprintf(key->text + base->len, SUFFIX_BYTES, "#%s", user_text_kind(kind))
				 : snprintf(key->text + base->len, SUFFIX_BYTES, "#%s#%u",
				       user_text_kind(kind), number);
		key->len = base->len + (size_t)suffix;
	} while (RB_INSERT(user_key_tree, &keys->tree, key) != NULL);
}

struct user_keys *user_keys_create(const struct model *m, bool shown)
{
	size_t count = model_user_slots(m);
	struct user_keys *keys = calloc(1, sizeof(*keys) + count * sizeof(keys->of[0]));
	struct user_key **bases = calloc(count + 1, sizeof(struct user_key *));

	if (keys == NULL || bases == NULL)
		goto fail;
	RB_INIT(&keys->tree);
	for (size_t slot = 0; slot < count; slot++) {
		struct user_key *key = keys->of[slot] = key_of_name(model_user_slot(m, slot), shown);
		if (key == NULL)
			goto fail;
		keys->count = slot + 1;
		bases[slot] = RB_INSERT(user_key_tree, &keys->tree, key);
	}
	for (size_t slot = 0; slot < count; slot++)
		if (bases[slot] != NULL)
			make_up(keys, bases[slot], keys->of[slot], model_user_slot(m, slot)->kind);
	free(bases);
	return keys;
fail:
	free(bases);
	user_keys_destroy(keys);
	return NULL;
}

void user_keys_destroy(struct user_keys *keys)
{
	for (size_t slot = 0; keys != NULL && slot < keys->count; slot++)
		free(keys->of[slot]);
	free(keys);
}

const char *user_keys_get(const struct user_keys *keys, size_t slot, size_t *len)
{
	*len = keys->of[slot]->len;
	return keys->of[slot]->text;
}
