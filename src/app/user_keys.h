/*
 * user_keys.h - unique keys for user slots in a JSON object.
 *
 * The key of a slot is its name as printed in JSON: invalid UTF-8 becomes U+FFFD.  If several slots have the
 * same key, the first of them keeps it.  The others get NAME#KIND; further ones of the same kind NAME#KIND#2,
 * NAME#KIND#3 and so on, where keys of other slots are skipped.  So a unique name is never changed, and a
 * slot has the same key in all domains.
 */
#pragma once

#include "model/model.h"

struct user_keys;

/* The keys of all slots of a model.  With `shown` they contain nothing that may not be displayed (core/shown.h).
 * Returns NULL if memory ran out. */
struct user_keys *user_keys_create(const struct model *m, bool shown);
void user_keys_destroy(struct user_keys *keys);

/* The key of a slot and its length: valid UTF-8, not NUL-terminated. */
const char *user_keys_get(const struct user_keys *keys, size_t slot, size_t *len);
