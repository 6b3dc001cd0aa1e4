/*
 * live.c - open addressing with linear probing; the table doubles at three quarters and shrinks below an
 * eighth.
 */
#include "sites/live.h"

#include "sites/index.h"

enum { FIRST_BITS = 6, FIRST = 1 << FIRST_BITS };

void sites_live_fini(struct sites_live *live)
{
	free(live->slots);
	*live = (struct sites_live){0};
}

/* The slot where the search for an object begins. */
static size_t home(const struct sites_live *live, int64_t id)
{
	return (size_t)((uint64_t)id * live->multiplier >> live->shift);
}

/* Find the slot of an object, or the free slot where it belongs. */
static struct sites_object *find_slot(const struct sites_live *live, int64_t id)
{
	size_t at = home(live, id);

	while (live->slots[at].samples != 0 && live->slots[at].id != id)
		at = (at + 1) & (live->size - 1);
	return &live->slots[at];
}

/* Move the objects to a table of 1 << bits slots. */
static bool resize(struct sites_live *live, unsigned bits)
{
	struct sites_live other = {.size = (size_t)1 << bits, .count = live->count, .shift = 64 - bits};

	other.slots = calloc(other.size, sizeof(*other.slots));
	if (other.slots == NULL)
		return false;
	other.multiplier = sites_multiplier(other.slots);
	for (size_t i = 0; i < live->size; i++) {
		if (live->slots[i].samples != 0)
			*find_slot(&other, live->slots[i].id) = live->slots[i];
	}
	free(live->slots);
	*live = other;
	return true;
}

struct sites_object *sites_live_slot(struct sites_live *live, int64_t id)
{
	bool room = live->count < live->size / 4 * 3 ||
		    resize(live, live->size == 0 ? FIRST_BITS : 64 - live->shift + 1);

	if (live->size == 0)
		return NULL;
	struct sites_object *slot = find_slot(live, id);
	return room || slot->samples != 0 ? slot : NULL;
}

void sites_live_remove(struct sites_live *live, struct sites_object *object)
{
	size_t mask = live->size - 1, hole = (size_t)(object - live->slots);

	for (size_t at = (hole + 1) & mask; live->slots[at].samples != 0; at = (at + 1) & mask) {
		/* The object may move to the hole unless its home is between the hole and its slot. */
		if (((at - home(live, live->slots[at].id)) & mask) >= ((at - hole) & mask)) {
			live->slots[hole] = live->slots[at];
			hole = at;
		}
	}
	live->slots[hole].samples = 0;
	live->count--;
	/* If this fails, the table stays larger than necessary. */
	if (live->size > FIRST && live->count < live->size / 8)
		resize(live, 64 - live->shift - 1);
}
