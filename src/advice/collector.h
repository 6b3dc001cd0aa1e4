/*
 * collector.h - collects from the events of a model what the rules judge by.
 */
#ifndef ADVICE_COLLECTOR_H
#define ADVICE_COLLECTOR_H

#include "advice/evidence.h"

struct collector;

/* Follow a model and a struct stw.  `whole`: the window is all since the begin.  NULL when memory ran out. */
struct collector *collector_create(bool whole, struct model *model, const struct stw *stw);

/* Its model may be gone already: the observer goes with it. */
void collector_destroy(struct collector *c);

/* Take in the stops that have been put together since the last call. */
void collector_stops(struct collector *c);

/* The evidence at `now`, valid until c changes.  It also settles which domains are idle, for the stops to come. */
void collector_read(struct collector *c, uint64_t now, struct evidence *out);

#endif
