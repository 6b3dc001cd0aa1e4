/*
 * code_note.h - samples of the code (calls/profile.h) as notes of a recording.
 *
 * A note has one stack and its samples of a second or two, so that it can be read by itself.  All numbers are
 * varints (core/varint.h): version 1, samples a second, domain plus one, marks (enum profile_mark), number of
 * frames.  For each frame, innermost first: its line twice, plus one if it is C, and the number of an earlier
 * frame of that function plus one, or 0 followed by the name and the file, each as length and bytes.  Then,
 * until the end of the note, for each sample: how long before the note it was, and its thread.  When a stack
 * is too large for a note, its outermost frames are left out and it is marked as incomplete.
 */
#pragma once

#include "calls/profile.h"
#include "record/system_note.h"

/* Write the settled samples from number *next on (profile_settled), and set *next to the first one that is
 * not. */
void code_note_write(const struct profile *p, unsigned hz, uint64_t *next, system_note_put *put, void *ctx);

/* Add the samples of a note, whose bytes are untrusted.  Returns the samples a second that it states; 0: it
 * is invalid, and nothing of it is taken. */
unsigned code_note_take(struct profile *p, uint64_t ts, const void *data, size_t len);
