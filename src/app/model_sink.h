/*
 * model_sink.h - the sinks through which a model learns of a target's events: those of a session, and those of a recording.
 */
#ifndef APP_MODEL_SINK_H
#define APP_MODEL_SINK_H

#include "session/session.h"
#include "model/model.h"
#include "trail/reader.h"

/* A session's sink that feeds a model, which stays the caller's. */
struct session_sink model_sink_of_session(struct model *model);

/* Likewise that of a recording that is played. */
struct trail_sink model_sink_of_trail(struct model *model);

#endif
