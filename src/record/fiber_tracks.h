/*
 * fiber_tracks.h - the tracks of fibers in a recording.
 *
 * Each domain with an event loop has a track of runs, named by path and span: "server/conn: report".  Each
 * fiber has a track during its life, which another fiber may use afterwards: a slice for the life, named by
 * the fiber's path, and in it one for each wait, named by operation and object.  A fiber without a free track
 * has its waits as asynchronous slices.  A flow leads from a fork to the first run of the child, and from
 * where a fiber gives something to where another fiber that waited for it gets it; both ends are in runs.
 * What a loss cut is left out, and fibers seen before it have another track after it.
 *
 * All tables are bounded, and no fiber is remembered beyond its track.
 */
#pragma once

#include "fibers/schedulers.h"
#include "record/tracks_private.h"

/* Write the fibers of schedulers, which must outlive the result, to a recording.  NULL when memory ran out. */
struct fiber_tracks *fiber_tracks_create(struct tracks *record, struct schedulers *schedulers);

/* Write what is open at `end`, marked as open.  NULL is allowed, here and below. */
void fiber_tracks_finish(struct fiber_tracks *t, uint64_t end);
void fiber_tracks_destroy(struct fiber_tracks *t);
