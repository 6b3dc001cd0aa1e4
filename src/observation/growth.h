/*
 * growth.h - what the memory of a target tells while it records no events, taken into its model.
 *
 * Memory and events count on from where the other stopped.  Memory counts what is in the young heaps as well, of which
 * events tell later: when these begin, so much may be counted before it is collected.
 */
#pragma once

#include "model/model.h"
#include "samples/runtime_sample.h"

struct growth;

/* NULL when memory ran out. */
struct growth *growth_create(void);
void growth_destroy(struct growth *g);

/* Another program runs. */
void growth_forget(struct growth *g);

/* Whether samples are of use: the target records no events, or did so once. */
bool growth_waits(const struct growth *g, const struct model *m);

/* Once for each sample: whether the target recorded no events at the last one either, so that all of them have been
 * read. */
bool growth_goes_on(struct growth *g, const struct model *m);

/* Begin with a sample, without effect if that was done.  `each`: as OCaml 5.0 does, it counts a minor collection once
 * for each domain that runs. */
void growth_begin(struct growth *g, const struct runtime_sample *sample, bool each, struct model *m);

/* Take what the model lacks of a sample: `silent` as growth_goes_on said; else all events up to the sample have been
 * read. */
void growth_take(
    struct growth *g, const struct runtime_sample *sample, bool each, bool silent, struct model *m);
