/*
 * fiber_tracks.h - the tracks of fibers in a recording.
 *
 * Each domain with an event loop has a track of runs, named by path and span: "server/conn: report".  Each fiber has a track while
 * it lasts, and another one has it then: a slice for its life, named by its path, and in it one for each time that it waited,
 * named by operation and object.  A fiber that finds no track has its waits as asynchronous slices.  A flow leads from a fork
 * to the first run of the child, and from where a fiber gives something to where another that waited for it has it; both stand
 * in runs.  What a loss cut is not there: fibers that were seen before it have another track after it.
 *
 * All tables are bounded: nothing is kept of fibers but the tracks.
 */
#pragma once

#include "fibers/schedulers.h"
#include "record/tracks_private.h"

/* Write the fibers of schedulers, which outlive this, for a recording; NULL when memory ran out. */
struct fiber_tracks *fiber_tracks_create(struct tracks *record, struct schedulers *schedulers);

/* Write what is open at `end`, marked as such.  NULL is allowed, here and below. */
void fiber_tracks_finish(struct fiber_tracks *t, uint64_t end);
void fiber_tracks_destroy(struct fiber_tracks *t);
