/*
 * heap_gauges.h - the gauges of a domain's major heap: its size, and its parts.
 *
 * OCaml 5.3 and later send the size by itself.  All releases send the parts at the end of a cycle, one after
 * the other; they add up only together, so none is valid before the last of them has come.
 */
#ifndef WATCH_HEAP_GAUGES_H
#define WATCH_HEAP_GAUGES_H

#include <stdbool.h>
#include <stdint.h>

#include "rtev/events.h"

enum { HEAP_WORDS, HEAP_POOL, HEAP_LIVE, HEAP_FRAGMENTS, HEAP_LARGE, HEAP_GAUGES };

struct heap_gauges {
	double values[HEAP_GAUGES]; /* NAN until one has come; the parts are of one cycle's end */
	double parts[HEAP_GAUGES];  /* those of a cycle's end, until all of them have come */
	unsigned come;		    /* which, a bit each */
	uint64_t parts_ts;	    /* of the parts in `values`; 0: none have come */
};

/* The place of a counter among the gauges; HEAP_GAUGES: it is none of them. */
int heap_gauge_of(rtev_counter counter);

/* Forget everything: another heap begins. */
void heap_gauges_forget(struct heap_gauges *h);

/* Events were lost: the rest of the parts that came together is gone. */
void heap_gauges_gap(struct heap_gauges *h);

/* Take a counter.  Returns true, and sets `words`, if it tells the size of the heap. */
bool heap_gauges_take(struct heap_gauges *h, uint64_t ts, rtev_counter counter, int64_t value, double *words);

#endif
