/*
 * slots.h - the pauses and the losses of a domain in slots of HISTORY_SLOT ns, of which a history keeps HISTORY_SLOTS
 * whatever the rate of events.
 */
#pragma once

#include "watch/history.h"

struct slot {
	uint64_t number; /* of the slot, plus one; 0: never used */
	uint64_t pause_max;
	uint64_t lost;
	uint32_t gc;
};

struct slots {
	struct slot *list;   /* HISTORY_SLOTS of them, n at n mod HISTORY_SLOTS; NULL: nothing is kept */
	struct slot *latest; /* the slot of the latest pause, which ends at latest_end */
	uint64_t latest_end; /* 0: there is none */
};

#define SLOTS_BYTES (HISTORY_SLOTS * sizeof(struct slot))

/* Forget all. */
void slots_clear(struct slots *s);

/* Add a pause that ended, in any slot. */
void slots_pause_rare(struct slots *s, uint64_t begin, uint64_t end);

/* Add a pause that ended: quickly, if it lies in the slot of the pause before and is not the longest there. */
static inline void slots_pause(struct slots *s, uint64_t begin, uint64_t end)
{
	if (end >= s->latest_end || begin + HISTORY_SLOT < s->latest_end ||
	    end - begin > s->latest->pause_max || end - begin > HISTORY_SLOT - s->latest->gc)
		slots_pause_rare(s, begin, end);
	else
		s->latest->gc += (uint32_t)(end - begin);
}

/* Add words that were lost. */
void slots_lose(struct slots *s, uint64_t ts, uint64_t words);

/* Add the slots from `oldest` to `newest` to `columns` columns of `width` ns from t0 on; see history_slots. */
void slots_read(const struct slots *s, uint64_t oldest, uint64_t newest, uint64_t t0, uint64_t width,
    size_t columns, struct history_column *out);
