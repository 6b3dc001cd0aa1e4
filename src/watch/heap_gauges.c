/*
 * heap_gauges.c - see heap_gauges.h.
 */
#include "watch/heap_gauges.h"

#include <math.h>

static const rtev_counter counters[HEAP_GAUGES] = {
    [HEAP_WORDS] = RTEV_COUNTER_MAJOR_HEAP_WORDS,
    [HEAP_POOL] = RTEV_COUNTER_MAJOR_HEAP_POOL_WORDS,
    [HEAP_LIVE] = RTEV_COUNTER_MAJOR_HEAP_POOL_LIVE_WORDS,
    [HEAP_FRAGMENTS] = RTEV_COUNTER_MAJOR_HEAP_POOL_FRAG_WORDS,
    [HEAP_LARGE] = RTEV_COUNTER_MAJOR_HEAP_LARGE_WORDS,
};

int heap_gauge_of(rtev_counter counter)
{
	int g = 0;

	while (g < HEAP_GAUGES && counters[g] != counter)
		g++;
	return g;
}

void heap_gauges_forget(struct heap_gauges *h)
{
	for (int g = 0; g < HEAP_GAUGES; g++)
		h->values[g] = NAN;
	h->come = 0;
	h->parts_ts = 0;
}

void heap_gauges_gap(struct heap_gauges *h)
{
	h->come = 0;
}

bool heap_gauges_take(struct heap_gauges *h, uint64_t ts, rtev_counter counter, int64_t value, double *words)
{
	static const unsigned all =
	    1u << HEAP_POOL | 1u << HEAP_LIVE | 1u << HEAP_FRAGMENTS | 1u << HEAP_LARGE;
	int gauge = heap_gauge_of(counter);

	if (gauge == HEAP_GAUGES)
		return false;
	*words = value > 0 ? (double)value : 0;
	if (gauge == HEAP_WORDS) {
		h->values[HEAP_WORDS] = *words;
		return true;
	}
	h->parts[gauge] = *words;
	/* The runtime sends that of the pools first. */
	if (gauge == HEAP_POOL)
		h->come = 0;
	h->come |= 1u << gauge;
	if (h->come != all)
		return false;
	for (int g = HEAP_POOL; g < HEAP_GAUGES; g++)
		h->values[g] = h->parts[g];
	h->parts_ts = ts;
	/* They say nothing of the whole once that comes by itself. */
	*words = h->values[HEAP_POOL] + h->values[HEAP_LARGE];
	return isnan(h->values[HEAP_WORDS]);
}
