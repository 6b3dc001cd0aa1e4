/*
 * trail.h - the trail of a recording (trail/trail.h), as an observer of the model.
 */
#ifndef RECORD_TRAIL_H
#define RECORD_TRAIL_H

#include <stdbool.h>
#include <stdint.h>

#include "record/sink.h"
#include "record/open_spans.h"
#include "model/model.h"

struct record_trail;

struct record_trail_calls {
	void *ctx;
	void (*start)(
	    void *ctx); /* something is to be written: see to it that record_trail_start has been called */
	/* The spans open on a domain before the event at hand; NULL: nothing is known. */
	const struct record_spans *(*open)(void *ctx, unsigned domain);
};

/* Write the trail of a model to a sink that takes blobs; both must outlive it.  NULL when memory ran out or the model has no
 * place for another observer. */
struct record_trail *record_trail_create(
    struct record_sink *sink, struct model *m, const struct record_trail_calls *calls);
void record_trail_destroy(struct record_trail *t);

/* Say whose recording it is. */
void record_trail_start(struct record_trail *t, const struct record_subject *subject);

/* Hand to the sink what is kept back. */
void record_trail_flush(struct record_trail *t);

/* End the trail at a stamp.  False when something could not be kept. */
bool record_trail_finish(struct record_trail *t, uint64_t end);

#endif
