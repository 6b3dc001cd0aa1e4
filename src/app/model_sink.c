/*
 * model_sink.c - connect a model to a session.
 */
#include "app/model_sink.h"

#include "record/trail.h"

struct session_sink model_sink_of_session(struct model *model)
{
	const struct trail_sink like = record_trail_sink(model);

	return (struct session_sink){
	    .calls = like.calls, .ctx = model, .resume = like.resume, .reopened = like.reopened};
}
