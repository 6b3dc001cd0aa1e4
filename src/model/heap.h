/*
 * heap.h - the gauges of a domain's major heap: its size, and its parts.
 *
 * OCaml 5.3 and later send the size by itself.  All releases since 5.1 send the parts at the end of a cycle,
 * one after the other; they add up only together, so none is valid before the last of them has come.
 */
#ifndef MODEL_HEAP_H
#define MODEL_HEAP_H

#include <stdbool.h>
#include <stdint.h>

#include "rtev/events.h"

enum heap_gauge { HEAP_SIZE, HEAP_POOL, HEAP_LIVE, HEAP_FRAGMENTS, HEAP_LARGE, HEAP_GAUGES };

/* All gauges are in words, and NAN until one has come. */
struct heap {
	double
	    values[HEAP_GAUGES]; /* the parts are of one cycle's end; they make the size if it is not sent */
	double parts[HEAP_GAUGES]; /* those of a cycle's end, until all of them have come */
	unsigned come;		   /* which, a bit each */
	uint64_t parts_ts;	   /* of the parts in `values`; 0: none have come */
	bool size_sent;		   /* by itself */
	bool size_set;		   /* by the counter taken last */
};

/* Forget everything: another heap begins. */
void heap_forget(struct heap *h);

/* Events were lost: the rest of the parts that came together is gone. */
void heap_gap(struct heap *h);

/* Take a counter in, which may be any. */
void heap_take(struct heap *h, uint64_t ts, rtev_counter counter, int64_t value);

#endif
