/*
 * slots.c - see slots.h.
 */
#include "watch/slots.h"

_Static_assert(HISTORY_SLOT == WATCH_STEP, "pauses that are added together end in one slot");

/* The slot of a number, cleared if it held an earlier time; NULL if it is older than all slots. */
static struct slot *slot_of(struct slot *list, uint64_t number)
{
	struct slot *slot = list != NULL ? &list[number % HISTORY_SLOTS] : NULL;

	if (slot == NULL || slot->number > number + 1)
		return NULL;
	if (slot->number != number + 1)
		*slot = (struct slot){.number = number + 1};
	return slot;
}

void slots_add(struct slot *list, const struct pauses *pauses)
{
	const uint64_t end = pauses->list[pauses->count - 1].end, last = end / HISTORY_SLOT;
	const uint64_t earliest = last < HISTORY_SLOTS ? 0 : last - HISTORY_SLOTS + 1;
	uint64_t from = pauses->list[0].begin;
	struct slot *slot = slot_of(list, last);

	if (slot == NULL)
		return;
	slot->pause_max = pauses->most > slot->pause_max ? pauses->most : slot->pause_max;
	from = from < earliest * HISTORY_SLOT ? earliest * HISTORY_SLOT : from;
	for (uint64_t n = from / HISTORY_SLOT; n <= last; n++) {
		const uint64_t to = n == last ? end : (n + 1) * HISTORY_SLOT;
		const uint64_t time = pauses->count > 1 ? pauses->sum : to - from;
		slot = slot_of(list, n);
		if (slot != NULL)
			slot->gc = time > HISTORY_SLOT - slot->gc ? HISTORY_SLOT : slot->gc + (uint32_t)time;
		from = to;
	}
}

void slots_lose(struct slot *list, uint64_t ts, uint64_t words)
{
	struct slot *slot = slot_of(list, ts / HISTORY_SLOT);

	if (slot != NULL)
		slot->lost += words;
}

void slots_read(const struct slot *list, uint64_t oldest, uint64_t newest, uint64_t t0, uint64_t width,
    size_t columns, struct history_column *out)
{
	for (uint64_t n = oldest; n <= newest && list != NULL && width != 0; n++) {
		const struct slot *slot = &list[n % HISTORY_SLOTS];
		uint64_t middle = n * HISTORY_SLOT + HISTORY_SLOT / 2;

		if (middle < t0 || (middle - t0) / width >= columns)
			continue;
		struct history_column *column = &out[(middle - t0) / width];
		column->known = true;
		if (slot->number != n + 1)
			continue;
		column->gc += slot->gc;
		column->lost += slot->lost;
		column->pause_max = slot->pause_max > column->pause_max ? slot->pause_max : column->pause_max;
	}
}
