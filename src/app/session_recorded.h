/*
 * session_recorded.h - a session as the source of a recording.
 */
#ifndef APP_SESSION_RECORDED_H
#define APP_SESSION_RECORDED_H

#include "record/recording.h"
#include "session/session.h"

/* The source.  The session must outlive the recording. */
struct recording_source session_recorded(struct session *s);

#endif
