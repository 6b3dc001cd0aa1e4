/*
 * growth.h - add the counters in the memory of a target to its model while the target records no events.
 *
 * When events begin or end, the sums of the model go on from where the other source stopped.  Memory also counts words
 * that are still in minor heaps; events count them at the next collection, so these are counted early.
 */
#pragma once

#include "model/model.h"
#include "samples/runtime_sample.h"

struct growth;

/* NULL when memory ran out. */
struct growth *growth_create(void);
void growth_destroy(struct growth *g);

/* Forget all samples: the process now runs another program. */
void growth_forget(struct growth *g);

/* Whether samples are of use: the target records no events now, or growth_begin was called. */
bool growth_waits(const struct growth *g, const struct model *m);

/* Call this once for each sample.  Returns whether the target recorded no events at this sample and the one before, so
 * that all of its events have been read. */
bool growth_goes_on(struct growth *g, const struct model *m);

/* Take a first sample to count from; later calls have no effect.  `each`: the runtime counts a minor collection once for
 * each running domain, as OCaml 5.0 does. */
void growth_begin(struct growth *g, const struct runtime_sample *sample, bool each, struct model *m);

/* Add to the model what a sample counts beyond it.  `silent`: growth_goes_on returned true; if not, all events up to the
 * sample must have been read. */
void growth_take(
    struct growth *g, const struct runtime_sample *sample, bool each, bool silent, struct model *m);
