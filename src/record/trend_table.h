/*
 * trend_table.h - the trend (watch/trend.h) as a table of a recording, and how a replay gets it back.
 *
 * The first table of a recording is of when it began: a replay from the beginning goes on from there and
 * comes to the same trend as was seen when it was recorded.  One that begins later takes the steps in between
 * from the latest table.
 */
#ifndef RECORD_TREND_TABLE_H
#define RECORD_TREND_TABLE_H

#include "record/recording.h"
#include "trail/reader.h"
#include "watch/watch.h"

/* The table of a watch, which outlives the recording. */
struct recording_table record_trend_table(struct watch *w);

/* Give a new watch the trend of before a replay that begins at `since`, 0: at the beginning of what is
 * recorded.  A recording that has none, or nonsense in its place, leaves the trend empty. */
void record_trend_restore(const struct trail *t, uint64_t since, struct watch *w);

#endif
