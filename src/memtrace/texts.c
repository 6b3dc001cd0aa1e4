/*
 * texts.c - the pool of interned texts.
 *
 * A block is filled from its front.  An object that does not fit goes into a new block, which is as large as
 * the object if that exceeds BLOCK_SIZE.
 */
#include "memtrace/texts.h"

#include <stdalign.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_SIZE = 16384, SLOTS_FIRST = 64 };

/* Objects have the alignment of this type. */
union unit {
	int64_t number;
	void *pointer;
};

struct mt_block {
	struct mt_block *next;
	size_t used, size;
	alignas(union unit) char bytes[];
};

struct mt_text {
	const char *text; /* NULL: free */
	uint64_t hash;
	size_t len;
};

void mt_texts_fini(struct mt_texts *texts)
{
	while (texts->blocks != NULL) {
		struct mt_block *next = texts->blocks->next;
		free(texts->blocks);
		texts->blocks = next;
	}
	free(texts->slots);
	*texts = (struct mt_texts){0};
}

void *mt_texts_take(struct mt_texts *texts, size_t size)
{
	const size_t unit = alignof(union unit);
	struct mt_block *block = texts->blocks;

	if (size > SIZE_MAX / 2)
		return NULL;
	size = (size + unit - 1) / unit * unit;
	if (block == NULL || block->size - block->used < size) {
		size_t room = size > BLOCK_SIZE ? size : BLOCK_SIZE;
		block = malloc(sizeof(*block) + room);
		if (block == NULL)
			return NULL;
		*block = (struct mt_block){.next = texts->blocks, .size = room};
		texts->blocks = block;
	}
	void *place = block->bytes + block->used;
	block->used += size;
	return place;
}

/* Hash a text.  The pool's address serves as a seed that a crafted trace cannot know. */
static uint64_t hash_text(const struct mt_texts *texts, const char *text, size_t len)
{
	uint64_t hash = (uint64_t)(uintptr_t)texts + len, part;

	for (; len >= sizeof(part); text += sizeof(part), len -= sizeof(part)) {
		memcpy(&part, text, sizeof(part));
		hash = mt_mix(hash ^ part);
	}
	part = 0;
	memcpy(&part, text, len);
	return mt_mix(hash ^ part);
}

/* Return the slot of a text, or the free slot where it belongs. */
static struct mt_text *find_slot(const struct mt_texts *texts, uint64_t hash, const char *text, size_t len)
{
	size_t at = (size_t)hash & (texts->slot_count - 1);

	for (;; at = (at + 1) & (texts->slot_count - 1)) {
		struct mt_text *slot = &texts->slots[at];
		if (slot->text == NULL ||
		    (slot->hash == hash && slot->len == len && memcmp(slot->text, text, len) == 0))
			return slot;
	}
}

/* Double the table and rehash its entries. */
static bool grow_slots(struct mt_texts *texts)
{
	struct mt_texts grown = *texts;

	grown.slot_count = texts->slot_count == 0 ? SLOTS_FIRST : texts->slot_count * 2;
	grown.slots = calloc(grown.slot_count, sizeof(*grown.slots));
	if (grown.slots == NULL)
		return false;
	for (size_t i = 0; i < texts->slot_count; i++) {
		const struct mt_text *old = &texts->slots[i];
		if (old->text != NULL)
			*find_slot(&grown, old->hash, old->text, old->len) = *old;
	}
	free(texts->slots);
	*texts = grown;
	return true;
}

const char *mt_texts_intern(struct mt_texts *texts, const char *text, size_t len)
{
	if (texts->count >= texts->slot_count / 2 && !grow_slots(texts))
		return NULL;
	uint64_t hash = hash_text(texts, text, len);
	struct mt_text *slot = find_slot(texts, hash, text, len);
	if (slot->text == NULL) {
		char *copy = mt_texts_take(texts, len + 1);
		if (copy == NULL)
			return NULL;
		memcpy(copy, text, len);
		copy[len] = '\0';
		*slot = (struct mt_text){copy, hash, len};
		texts->count++;
	}
	return slot->text;
}
