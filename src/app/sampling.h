/*
 * sampling.h - sample a session's process and read the settings of its runtime, for commands that have a
 * model but no watch.
 */
#ifndef APP_SAMPLING_H
#define APP_SAMPLING_H

#include "model/model.h"
#include "session/session_system.h"
#include "watch/minor_size.h"
#include "watch/system_past.h"

/* Zeroed, it has taken none. */
struct sampling {
	struct session_system system;
	struct minor_size minor_size;
	struct system_past *past;	    /* receives the samples and the settings; may be NULL */
	const struct system_sample *sample; /* the latest */
	const struct ocaml_settings *settings;
};

/* Observe a model, for the size of the minor heap; it outlives `s`.  False when memory ran out. */
bool sampling_begin(struct sampling *s, struct model *model, struct system_past *past);
void sampling_end(struct sampling *s);

/* Take a sample if one is due, or if `last` is set, and read the settings.  Returns whether there is a new
 * sample. */
bool sampling_take(struct sampling *s, const struct session *session, uint64_t now, bool last);

#endif
