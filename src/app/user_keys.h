/*
 * user_keys.h - the keys under which a JSON object tells of user slots, no two of them equal.
 *
 * The key of a slot is its name as JSON prints it, where bytes that are no UTF-8 have become U+FFFD.  Where several slots
 * have the same, the first of them in the order of slots keeps it.  The others get NAME#KIND, those after the first
 * of one kind NAME#KIND#2, NAME#KIND#3 and so on; what is the key of another slot is passed over.  So a name that no other
 * equals is never changed, and a slot has one key in all domains.
 */
#ifndef APP_USER_KEYS_H
#define APP_USER_KEYS_H

#include <stddef.h>

#include "model/model.h"

struct user_keys;

/* The names of kinds: "unit", "int", "span", "custom". */
extern const char *const user_kind_names[MODEL_USER_KINDS];

/* The keys of all slots that a model has.  NULL when memory ran out. */
struct user_keys *user_keys_create(const struct model *m);
void user_keys_destroy(struct user_keys *keys);

/* The key of a slot: valid UTF-8, control characters among it, not NUL-terminated; *len is its length. */
const char *user_keys_get(const struct user_keys *keys, size_t slot, size_t *len);

#endif
