/*
 * slots.h - the pauses and the losses of a domain in slots of HISTORY_SLOT ns, of which a history keeps HISTORY_SLOTS
 * whatever the rate of events.
 */
#pragma once

#include "watch/history.h"
#include "watch/pauses.h"

struct slot {
	uint64_t number; /* of the slot, plus one; 0: never used */
	uint64_t pause_max;
	uint64_t lost;
	uint32_t gc;
};

/* A list has HISTORY_SLOTS of them, n at n mod HISTORY_SLOTS, zeroed at first; NULL: nothing is kept. */
#define SLOTS_BYTES (HISTORY_SLOTS * sizeof(struct slot))

/* Add pauses that ended. */
void slots_add(struct slot *list, const struct pauses *pauses);

/* Add words that were lost. */
void slots_lose(struct slot *list, uint64_t ts, uint64_t words);

/* Add the slots from `oldest` to `newest` to `columns` columns of `width` ns from t0 on; see history_slots. */
void slots_read(const struct slot *list, uint64_t oldest, uint64_t newest, uint64_t t0, uint64_t width,
    size_t columns, struct history_column *out);
