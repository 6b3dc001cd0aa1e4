/*
 * texts.h - a table of texts by string id, which stores copies.
 */
#ifndef FXT_TEXTS_H
#define FXT_TEXTS_H

#include <stddef.h>
#include <stdint.h>

struct fxt_text_entry {
	char *data; /* NUL-terminated; NULL: none */
	uint32_t len;
};

/* Empty if all zeros. */
struct fxt_texts {
	struct fxt_text_entry *entries;
	uint32_t count; /* at most RTEV_FXT_STRING_ID_MAX + 1 */
};

/* Store a copy of a text under an id, 1 to RTEV_FXT_STRING_ID_MAX, in place of an earlier one.  Returns
 * RTEV_OK or RTEV_E_NOMEM. */
int fxt_texts_set(struct fxt_texts *texts, uint32_t id, const char *data, size_t len);

/* Text of an id, or NULL. */
const struct fxt_text_entry *fxt_texts_get(const struct fxt_texts *texts, uint32_t id);

/* Free all texts and leave the table empty. */
void fxt_texts_fini(struct fxt_texts *texts);

#endif
