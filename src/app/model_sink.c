/*
 * model_sink.c - the sinks through which a model learns of a target's events.
 */
#include "app/model_sink.h"

/* A resume was found ahead of its event. */
static void on_resume(void *ctx, uint64_t ts)
{
	model_resume_at(ctx, ts);
}

/* Another cursor follows. */
static void on_reopened(void *ctx)
{
	model_reattach(ctx);
}

/* Make the sink of a session. */
struct session_sink model_sink_of_session(struct model *model)
{
	struct session_sink sink = {.ctx = model, .resume = on_resume, .reopened = on_reopened};

	model_callbacks(&sink.calls);
	return sink;
}

/* Make the sink of a recording. */
struct trail_sink model_sink_of_trail(struct model *model)
{
	struct trail_sink sink = {.ctx = model, .resume = on_resume, .reopened = on_reopened};

	model_callbacks(&sink.calls);
	return sink;
}
