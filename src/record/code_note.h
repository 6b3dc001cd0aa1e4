/*
 * code_note.h - samples of the code (calls/profile.h) as notes of a recording.
 *
 * A note has a stack and the samples that have it, of a second or two, so that it can be read by itself.  All numbers are
 * varints (core/varint.h): version 1, samples a second, domain plus one, marks (enum profile_mark), number of frames; for
 * each, innermost first, its line twice, plus one if it is C, and the number of an earlier frame of the same function plus
 * one, or 0 and length of the name and its bytes, length of the file and its bytes; then, until the end of the note, for
 * each sample how long before the note it was and its thread.  Of a stack that is too large for a note the outermost frames
 * are left out, and it is incomplete.
 */
#pragma once

#include "calls/profile.h"
#include "record/system_note.h"

/* Write the samples from number *next on that are settled (profile_settled), and set it to the first that is not. */
void code_note_write(const struct profile *p, unsigned hz, uint64_t *next, system_note_put *put, void *ctx);

/* Add the samples of a note, of which the bytes may be anybody's.  Returns the samples a second that it states; 0:
 * it makes no sense, and nothing of it is taken. */
unsigned code_note_take(struct profile *p, uint64_t ts, const void *data, size_t len);
