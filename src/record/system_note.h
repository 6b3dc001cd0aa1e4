/*
 * system_note.h - notes of a recording: samples of the system, settings of the runtime (samples/system.h),
 * whether it has paused its events, and what was known of heaps and fibers at the begin.
 *
 * A sample takes one note, or several when there are many threads: parts with one stamp, in order.  A reader
 * takes a sample once it has all of its parts, and leaves out one that lacks some.  All numbers are varints
 * (core/varint.h):
 *   sample     version 1, number of this part, 1 if more parts follow; in the first part flags (1 in turns),
 *              why threads are not known, whose pressure, number of values, for each whether it is known and,
 *              if so, the value; then, in each part, the number of threads, for each tid, state, length of the
 *              name and its bytes, how long before the sample it was read, and for each of its six values whether
 *              it is known and, if so, the value
 *   settings   version 1, whether the environment is known, number of settings, for each its origin and, if
 *              it has one, the value; length of the reason why memory can't be read and its bytes
 *   tracing    version 1, 1 if the target has paused its events
 *   read       version 1, domain: the loss before its next event began at the stamp, up to which the ring had
 *              been read
 *   heaps      version 1; then, until the end of the note, for each domain its number, a bit for each gauge that
 *              is known (enum heap_gauge) and HEAPS_SENT if the size is sent by itself, how long before the
 *              note the parts came, and the gauges that are known, in words.  Many domains take several notes.
 *   look       version 1, a bit for each gauge that is known of all domains (enum heap_gauge), these gauges; then,
 *              until the end of the note, for each domain its number and the words of its heap, of its minor heap
 *              and of the used part of that.  Domains for which there is no room are left out.
 *   fibers     version 1, length of the scheduler's name and its bytes, stamp; then, until the end of the note, for
 *              each event (fibers_tell) its enum fiber_op, domain, enum fiber_kind, two ids, how long before that
 *              stamp it was, and the length of its text and its bytes.  The note has the stamp 0; events beyond
 *              FIBERS_BYTES are left out.
 * Values and settings are in the order of their enums, which only grow at the end.
 */
#pragma once

#include "calls/profile.h"
#include "fibers/schedulers.h"
#include "model/model.h"
#include "samples/system_past.h"

/* Where notes go: recording_note, flight_note, or a test. */
typedef void system_note_put(void *ctx, uint32_t kind, uint64_t ts, const void *data, size_t len);

/* Write a sample, and the settings at its time (NULL: not known). */
void system_note_write(const struct system_sample *sample, const struct ocaml_settings *settings,
    system_note_put *put, void *ctx);

/* Write the settings that held at `ts`. */
void system_note_settings(
    const struct ocaml_settings *settings, uint64_t ts, system_note_put *put, void *ctx);

/* Write whether the target has paused its events, by its own report. */
void system_note_tracing(bool paused, uint64_t ts, system_note_put *put, void *ctx);

/* Write until when the ring of a domain had been read before it lost words. */
void system_note_read(unsigned domain, uint64_t ts, system_note_put *put, void *ctx);

/* Write which domains of a live target run at `ts`, and what the model knows of their heaps. */
void system_note_heaps(const struct model *m, uint64_t ts, system_note_put *put, void *ctx);

void system_note_look(const struct model_look *look, uint64_t ts, system_note_put *put, void *ctx);

/* Write what is known at `ts` of the contexts of these schedulers and, with `all`, of their objects and
 * fibers.  These notes must come before others. */
void system_note_fibers(
    const struct schedulers *schedulers, bool all, uint64_t ts, system_note_put *put, void *ctx);

/* Where notes are read into.  The caller sets `past`, `model` and `schedulers`; the rest begins as zeros. */
struct system_notes {
	struct system_past *past;      /* gets samples and settings; NULL: nothing does */
	struct model *model;	       /* is told of pauses, losses and heaps; NULL: nothing is */
	struct schedulers *schedulers; /* learns of fibers; NULL: nothing does */
	bool open;		       /* `sample` has some of its parts */
	unsigned parts;
	struct system_sample sample;
};

/* Take a note, whose bytes are untrusted.  `ctx` is a struct system_notes: this is the `note` of a struct
 * trail_sink.  Notes of other kinds, and invalid ones, are ignored. */
void system_notes_take(void *ctx, uint32_t kind, uint64_t ts, const void *data, size_t len);

/*
 * Samples of the code (calls/profile.h) as notes of a recording (code_note.c).
 *
 * A note has one stack and its samples of a second or two, so that it can be read by itself.  All numbers are
 * varints (core/varint.h): version 1, samples a second, domain plus one, marks (enum profile_mark), number of
 * frames.  For each frame, innermost first: its line twice, plus one if it is C, and the number of an earlier
 * frame of that function plus one, or 0 followed by the name and the file, each as length and bytes.  Then,
 * until the end of the note, for each sample: how long before the note it was, and its thread.  When a stack
 * is too large for a note, its outermost frames are left out and it is marked as incomplete.
 */

/* Write the settled samples from number *next on (profile_settled), and set *next to the first one that is
 * not. */
void code_note_write(const struct profile *p, unsigned hz, uint64_t *next, system_note_put *put, void *ctx);

/* Add the samples of a note, whose bytes are untrusted.  Returns the samples a second that it states; 0: it
 * is invalid, and nothing of it is taken. */
unsigned code_note_take(struct profile *p, uint64_t ts, const void *data, size_t len);
