/* collector.h - collect evidence for the rules from a model's events. */
#pragma once

#include "advice/evidence.h"

struct collector;

/* Follow a model and a struct stw.  `whole`: the window is all time since the beginning.  NULL when memory
 * ran out. */
struct collector *collector_create(bool whole, struct model *model, const struct stw *stw);

/* The model may have been destroyed before, as observers end with it. */
void collector_destroy(struct collector *c);

/* Add the stops that were completed since the last call. */
void collector_stops(struct collector *c);

/* Fill in the evidence at `now`, which is valid until `c` changes.  This also determines which domains count
 * as idle in the stops added afterwards. */
void collector_read(struct collector *c, uint64_t now, struct evidence *out);
