/*
 * replayed.h - what a recording tells when it is played, for tests.
 */
#pragma once

#include "model/model.h"
#include "support/test.h"
#include "support/trail_bytes.h"

static inline void replayed_resume(void *ctx, uint64_t ts)
{
	model_resume_at(ctx, ts);
}

static inline void replayed_reopened(void *ctx)
{
	model_reattach(ctx);
}

/* A new model that was told all that a recording in memory holds. */
static inline struct model *replayed(const void *data, size_t size)
{
	struct trail_sink sink = {
	    .ctx = model_create(NULL), .resume = replayed_resume, .reopened = replayed_reopened};
	struct trail_info info;
	struct trail *t;

	CHECK(sink.ctx != NULL);
	model_callbacks(&sink.calls);
	CHECK_INT(trail_open_bytes(&t, data, size), TRAIL_OK);
	while (trail_index(t, UINT32_MAX))
		continue;
	trail_rewind(t, 0);
	trail_feed(t, &sink, UINT64_MAX, UINT64_MAX);
	trail_info(t, &info);
	CHECK(info.ended && info.fault == NULL);
	CHECK_INT(info.damaged, 0);
	trail_close(t);
	return sink.ctx;
}
