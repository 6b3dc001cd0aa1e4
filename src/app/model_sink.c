/*
 * model_sink.c - the sink through which a model learns of a target's events.
 */
#include "app/model_sink.h"

#include "record/trail.h"

/* Make the sink of a session. */
struct session_sink model_sink_of_session(struct model *model)
{
	const struct trail_sink like = record_trail_sink(model);

	return (struct session_sink){
	    .calls = like.calls, .ctx = model, .resume = like.resume, .reopened = like.reopened};
}
