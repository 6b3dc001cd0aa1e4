/*
 * span_time.h - arithmetic on stretches of time, in ns, that can't overflow.
 */
#pragma once

#include "model/model.h"
#include "core/sum.h"

/* How much of [begin, end) lies in [from, to). */
static inline uint64_t span_time(uint64_t begin, uint64_t end, uint64_t from, uint64_t to)
{
	if (begin < from)
		begin = from;
	if (end > to)
		end = to;
	return end > begin ? end - begin : 0;
}

/* How much of [from, to) the target had its events paused; `pauses` is ascending and without overlap. */
static inline uint64_t span_time_paused(
    const struct model_target_pause *pauses, size_t count, uint64_t from, uint64_t to)
{
	uint64_t sum = 0;

	for (size_t i = count; i-- > 0 && pauses[i].to > from;)
		sum += span_time(pauses[i].from, pauses[i].to, from, to);
	return sum;
}
