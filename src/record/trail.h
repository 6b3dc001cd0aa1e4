/*
 * trail.h - an observer of the model that writes the trail (trail/trail.h) of a recording or of the flight
 * recorder.
 */
#pragma once

#include "record/sink.h"
#include "record/open_spans.h"
#include "model/model.h"
#include "trail/reader.h"

struct record_trail;

struct record_trail_calls {
	void *ctx;
	void (*blob)(void *ctx, enum trail_blob blob, const void *data, size_t len);
	/* Called before anything is written; it must call record_trail_start.  May be NULL. */
	void (*start)(void *ctx);
	/* Returns the spans open on a domain before the current event, or NULL.  Without this function the
	 * model is asked. */
	const struct record_spans *(*open)(void *ctx, unsigned domain);
};

/* Write the trail of a model, which must outlive it.  NULL if out of memory or the model has no room for
 * another observer. */
struct record_trail *record_trail_create(struct model *m, const struct record_trail_calls *calls);
void record_trail_destroy(struct record_trail *t);

/* Write the header. */
void record_trail_start(struct record_trail *t, const struct record_subject *subject);

/* Add a note; one of more than TRAIL_NOTE_MAX bytes is ignored.  A note from before the first event is
 * written together with that event. */
void record_trail_note(struct record_trail *t, uint32_t kind, uint64_t ts, const void *data, size_t len);

/* Pass on all chunks. */
void record_trail_flush(struct record_trail *t);

/* End the trail at a stamp.  Returns false if something is missing. */
bool record_trail_finish(struct record_trail *t, uint64_t end);

/* False if something is missing. */
bool record_trail_sound(const struct record_trail *t);

/* Create the user slots of a model in the order of the recorded model.  Without this call they are created in
 * the order of time, which may differ from the order of delivery of several rings. */
void record_trail_users(const struct trail *t, struct model *model);

/* A sink that feeds a model, which remains the caller's. */
struct trail_sink record_trail_sink(struct model *model);
