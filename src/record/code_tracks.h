/*
 * code_tracks.h - the tracks of samples of the code in a recording.
 *
 * Each sampled thread has a track of calls as nested slices, the outermost caller outside.  A sample stands
 * for the time since its thread's sample before, but at most for the time between two samples.  Calls that
 * successive samples have in common are one slice, which tells the number of its samples.  Between samples
 * that are further apart, nothing is drawn.
 *
 * All tables are bounded: further threads, and samples of too many threads at once, are left out.
 */
#pragma once

#include "record/tracks_private.h"

/* For a recording; NULL when memory ran out. */
struct code_tracks *code_tracks_create(struct tracks *record);

/* Take a note of samples (code_note.h), and write the slices that it completes.  Invalid bytes are ignored. */
void code_tracks_note(struct code_tracks *t, uint64_t ts, const void *data, size_t len);

/* Write the rest.  NULL is allowed, here and below. */
void code_tracks_finish(struct code_tracks *t);
void code_tracks_destroy(struct code_tracks *t);
