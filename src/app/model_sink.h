/*
 * model_sink.h - connect a model to a session.
 */
#ifndef APP_MODEL_SINK_H
#define APP_MODEL_SINK_H

#include "session/session.h"
#include "model/model.h"

/* A session sink that feeds `model`.  The model still belongs to the caller. */
struct session_sink model_sink_of_session(struct model *model);

#endif
