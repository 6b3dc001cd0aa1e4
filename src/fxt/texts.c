/*
 * texts.c - a table of texts by string id.
 *
 * The array doubles as higher ids are used.  Each text is an allocation of its own, so that a slot redefined
 * a million times uses memory for one text.
 */
#include <stdlib.h>
#include <string.h>

#include "fxt/format.h"
#include "rtev/fxt.h"

/* Make room for an id. */
static int texts_grow(struct fxt_texts *texts, uint32_t id)
{
	uint32_t count = texts->count == 0 ? 64 : texts->count;
	while (count <= id)
		count *= 2;
	struct fxt_text_entry *entries = realloc(texts->entries, count * sizeof(*entries));
	if (entries == NULL)
		return RTEV_E_NOMEM;
	memset(entries + texts->count, 0, (count - texts->count) * sizeof(*entries));
	texts->entries = entries;
	texts->count = count;
	return RTEV_OK;
}

int fxt_texts_set(struct fxt_texts *texts, uint32_t id, const char *data, size_t len)
{
	if (id >= texts->count && texts_grow(texts, id) != RTEV_OK)
		return RTEV_E_NOMEM;
	char *copy = malloc(len + 1);
	if (copy == NULL)
		return RTEV_E_NOMEM;
	if (len > 0)
		memcpy(copy, data, len);
	copy[len] = '\0';
	struct fxt_text_entry *entry = &texts->entries[id];
	free(entry->data);
	entry->data = copy;
	entry->len = (uint32_t)len;
	return RTEV_OK;
}

const struct fxt_text_entry *fxt_texts_get(const struct fxt_texts *texts, uint32_t id)
{
	if (id >= texts->count || texts->entries[id].data == NULL)
		return NULL;
	return &texts->entries[id];
}

void fxt_texts_fini(struct fxt_texts *texts)
{
	for (uint32_t i = 0; i < texts->count; i++)
		free(texts->entries[i].data);
	free(texts->entries);
	*texts = (struct fxt_texts){0};
}
