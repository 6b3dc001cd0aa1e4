/*
 * tracks.h - write what a model is told to a file.
 *
 * Each domain is a track of nested slices.  A slice is written when its span ends, so spans that the model
 * drops never appear.  Runtime spans nest by themselves.  A user span becomes a slice on its domain's track
 * if it nests with the others there, else an asynchronous slice.  A stamp earlier than the one before is
 * raised to that one.  A slice that begins with its parent begins a nanosecond later, so that readers can
 * tell which is the outer one.  A loss is a slice from the event before it to the one after it; words
 * overwritten before the attach are no loss.  Pauses of the target have a track of their own.  So do the
 * waits of a domain's threads, which replace the stretches in which the domain is idle; waits of several
 * threads lie one above the other.  Times are since boot (tracks_private.h).  The trail (trail/trail.h) is
 * written besides, for a replay.
 */
#pragma once

#include "record/sink.h"
#include "model/model.h"

struct schedulers;
struct tracks;

/* Record a model into a sink, which belongs to the recording only on success.  The model, `schedulers` (NULL:
 * none) and `ctx` must outlive it.  `subject` is called once, before the first event is written.  If the
 * model has received events before, its open spans are recorded with their true begins.  NULL if out of
 * memory or the model has no room for another observer. */
struct tracks *tracks_create(struct record_sink *sink, struct model *m, struct schedulers *schedulers,
    void (*subject)(void *ctx, struct record_subject *out), void *ctx);

/* Write pauses of the target that ended before `settled`, a stamp up to which all events have been read, and
 * pass everything to the disk. */
void tracks_pass_on(struct tracks *record, uint64_t settled);

/* The machine has slept `slept` nanoseconds since boot, as noticed at the stamp `from`; later events are
 * shifted accordingly.  Ignored unless the subject had its base times. */
void tracks_sleep(struct tracks *record, uint64_t from, uint64_t slept);

/* Write a note of the trail, if the form of file has one.  A note of samples of the code is also written as
 * tracks. */
void tracks_note(struct tracks *record, uint32_t kind, uint64_t ts, const void *data, size_t len);

/* End the recording at a stamp.  Open spans are closed there and marked, except those that began before a
 * resume, which are dropped.  The model may go on; its time should have been set just before.  Returns the
 * status of the sink's finish, or RTEV_E_NOMEM if something is missing. */
int tracks_finish(struct tracks *record, uint64_t end);
