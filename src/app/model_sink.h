/*
 * model_sink.h - the sink through which a model learns of the events of a session.
 */
#ifndef APP_MODEL_SINK_H
#define APP_MODEL_SINK_H

#include "session/session.h"
#include "model/model.h"

/* A session's sink that feeds a model, which stays the caller's. */
struct session_sink model_sink_of_session(struct model *model);

#endif
