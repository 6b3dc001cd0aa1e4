/*
 * trend_keeper.h - the trend of a model without a watch, for recordings: a replay that begins in the middle
 * of one takes from it what was before.
 *
 * It comes to the same trend as a watch that has the same events.
 */
#ifndef RECORD_TREND_KEEPER_H
#define RECORD_TREND_KEEPER_H

#include "model/model.h"
#include "record/recording.h"
#include "watch/system_past.h"

struct trend_keeper;

/* Follow a model, which outlives this; `attach_ts` as in struct model_options, not 0.  NULL when memory ran
 * out. */
struct trend_keeper *trend_keeper_create(struct model *m, uint64_t attach_ts);
void trend_keeper_destroy(struct trend_keeper *k);

/* Samples of the process, to be added by the sampler. */
struct system_past *trend_keeper_system(struct trend_keeper *k);

/* Bring it up to date, a few times a second: sets the model's time.  All events stamped before `watermark`
 * have been delivered. */
void trend_keeper_advance(struct trend_keeper *k, uint64_t now, uint64_t watermark);

/* Set a mark of a file of the flight recorder. */
void trend_keeper_file(struct trend_keeper *k, uint64_t from, uint64_t to);

/* The table of a recording. */
struct recording_table trend_keeper_table(struct trend_keeper *k);

#endif
