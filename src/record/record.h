/*
 * record.h - a recording: what a model is told of, written to a file.
 *
 * Each domain is a track of nested slices.  A slice is written when its span ends, so that spans which the
 * model drops never appear.  Spans of the runtime nest by themselves.  A user span is a slice of its domain's
 * track where it nests with all others there, and an asynchronous slice beside it where it doesn't.  Stamps
 * of a domain that go back count as its latest one, and a slice that begins with the one around it begins a
 * nanosecond later, so that readers know which is the outer one.  A loss lasts from the event before it to
 * the one after it; what was overwritten before the attach is none.  Pauses of the target have a track of
 * their own.  Times in the file are since boot, clock.h.  What the model was told stands beside all that as a trail (trail/trail.h), for a replay.
 */
#ifndef RECORD_RECORD_H
#define RECORD_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "record/sink.h"
#include "model/model.h"

struct record;

/* Make a recording of a model into a sink, which becomes the recording's only on success.  Both the model and
 * what `subject` is called with must outlive it.  subject is asked once, before the first event is written.
 * The model may have taken in events already: spans that are open belong to the recording, with the times at
 * which they began.  NULL when memory ran out or the model has no place for another observer. */
struct record *record_create(struct record_sink *sink, struct model *m,
    void (*subject)(void *ctx, struct record_subject *out), void *ctx);

/* Write what has come to light by now: pauses of the target that ended before `settled`, all of whose events
 * have been read.  Then give everything written to the disk. */
void record_pass_on(struct record *record, uint64_t settled);

/* Since its boot the machine has slept for so long, as was seen at the stamp `from`: later events are recorded that much later.
 * Nothing happens unless the subject has told the times of one moment. */
void record_sleep(struct record *record, uint64_t from, uint64_t slept);

/* Whether an event has been written; before that there are no notes and no tables, which those below would write. */
bool record_started(const struct record *record);

/* Write a note or a table, trail/trail.h.  Nothing happens where the form of file has no trail. */
void record_note(struct record *record, uint32_t kind, uint64_t ts, const void *data, size_t len);
void record_table(struct record *record, uint32_t kind, uint64_t ts, const void *data, size_t len);

/* End the recording at a stamp: what is open is closed there and marked, but for what was begun before a resume
 * and is thus to be dropped.  The model may go on; its time should have been set just before.  The status is that of the sink's finish, or RTEV_E_NOMEM
 * when something could not be kept. */
int record_finish(struct record *record, uint64_t end);

#endif
