/*
 * code_tracks.h - the tracks of samples of the code in a recording.
 *
 * Each thread that was sampled has a track of calls as nested slices, the outermost caller as the outer one.  A sample stands for
 * the time since the one before of its thread, but at most for the time between two samples; calls that neighbouring samples have in
 * common are one slice, which tells how many samples it has.  Between samples that are further apart nothing is claimed.
 *
 * All tables are bounded: of further threads, and of samples beside each other in time, there is nothing.
 */
#pragma once

#include "record/tracks_private.h"

/* For a recording; NULL when memory ran out. */
struct code_tracks *code_tracks_create(struct tracks *record);

/* Take a note of samples (code_note.h), and write what is known with it.  Bytes that make no sense are ignored. */
void code_tracks_note(struct code_tracks *t, uint64_t ts, const void *data, size_t len);

/* Write the rest.  NULL is allowed, here and below. */
void code_tracks_finish(struct code_tracks *t);
void code_tracks_destroy(struct code_tracks *t);
