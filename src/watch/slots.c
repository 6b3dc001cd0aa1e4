/*
 * slots.c - see slots.h.
 */
#include "watch/slots.h"

void slots_clear(struct slots *s)
{
	if (s->list != NULL)
		memset(s->list, 0, SLOTS_BYTES);
	s->latest_end = 0;
}

/* The slot of ts, cleared if it held an earlier time; NULL if ts is older than all slots. */
static struct slot *slot_of(const struct slots *s, uint64_t ts)
{
	uint64_t number = ts / HISTORY_SLOT;

	if (s->list == NULL)
		return NULL;
	struct slot *slot = &s->list[number % HISTORY_SLOTS];
	if (slot->number > number + 1)
		return NULL;
	if (slot->number != number + 1)
		*slot = (struct slot){.number = number + 1};
	return slot;
}

void slots_pause_rare(struct slots *s, uint64_t begin, uint64_t end)
{
	uint64_t earliest = end / HISTORY_SLOT < HISTORY_SLOTS ? 0 : end / HISTORY_SLOT - HISTORY_SLOTS + 1;
	uint64_t from = begin < earliest * HISTORY_SLOT ? earliest * HISTORY_SLOT : begin;

	s->latest = slot_of(s, end);
	s->latest_end = s->latest == NULL ? 0 : (end / HISTORY_SLOT + 1) * HISTORY_SLOT;
	if (s->latest == NULL)
		return;
	if (end - begin > s->latest->pause_max)
		s->latest->pause_max = end - begin;
	for (uint64_t to; from < end; from = to) {
		struct slot *slot = slot_of(s, from);

		to = (from / HISTORY_SLOT + 1) * HISTORY_SLOT;
		if (to > end || to < from)
			to = end;
		if (slot != NULL)
			slot->gc += to - from > HISTORY_SLOT - slot->gc ? HISTORY_SLOT - slot->gc
									: (uint32_t)(to - from);
	}
}

void slots_lose(struct slots *s, uint64_t ts, uint64_t words)
{
	struct slot *slot = slot_of(s, ts);

	if (slot != NULL)
		slot->lost += words;
}

void slots_read(const struct slots *s, uint64_t oldest, uint64_t newest, uint64_t t0, uint64_t width,
    size_t columns, struct history_column *out)
{
	for (uint64_t n = oldest; n <= newest && s->list != NULL && width != 0; n++) {
		const struct slot *slot = &s->list[n % HISTORY_SLOTS];
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
