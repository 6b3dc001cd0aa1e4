/*
 * session_recorded.h - what a recording wants to know of a session.
 */
#ifndef APP_SESSION_RECORDED_H
#define APP_SESSION_RECORDED_H

#include "record/recording.h"
#include "session/session.h"

/* The session as a recording's source; it outlives the recording. */
struct recording_source session_recorded(struct session *s);

#endif
