/*
 * texts.c - a table of texts by string id.
 *
 * The array doubles as higher ids are used.  Each text is an allocation of its own, so that a slot redefined
 * a million times uses memory for one text.
 */
#include "core/array.h"
#include "fxt/format.h"
#include "rtev/fxt.h"

/* Make room for an id. */
static bool texts_grow(struct fxt_texts *texts, uint32_t id)
{
	size_t count = texts->count;
	if (!array_room(&texts->entries, &texts->count, (size_t)id + 1, sizeof(texts->entries[0])))
		return false;
	memset(texts->entries + count, 0, (texts->count - count) * sizeof(texts->entries[0]));
	return true;
}

int fxt_texts_set(struct fxt_texts *texts, uint32_t id, const char *data, size_t len)
{
	if (id >= texts->count && !texts_grow(texts, id))
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
	for (size_t i = 0; i < texts->count; i++)
		free(texts->entries[i].data);
	free(texts->entries);
	*texts = (struct fxt_texts){0};
}
