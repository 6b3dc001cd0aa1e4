/*
 * texts.h - a table from string ids to texts, which it copies.
 */
#ifndef FXT_TEXTS_H
#define FXT_TEXTS_H

#include <stddef.h>
#include <stdint.h>

struct fxt_text_entry {
	char *data; /* NUL added; NULL: no text */
	uint32_t len;
};

/* All zeros: an empty table. */
struct fxt_texts {
	struct fxt_text_entry *entries;
	uint32_t count; /* entries there are, at most RTEV_FXT_STRING_ID_MAX + 1 */
};

/* Put a copy of a text in the place of id, 1 to RTEV_FXT_STRING_ID_MAX, and free the one before.
 * RTEV_E_NOMEM. */
int fxt_texts_set(struct fxt_texts *texts, uint32_t id, const char *data, size_t len);

/* The text of an id, or NULL. */
const struct fxt_text_entry *fxt_texts_get(const struct fxt_texts *texts, uint32_t id);

/* Free all texts; the table is then empty. */
void fxt_texts_fini(struct fxt_texts *texts);

#endif
