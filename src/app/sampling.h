/*
 * sampling.h - samples of a session's process and the settings of its runtime, for commands that have a model and no watch.
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
	struct system_past *past;	    /* gets the samples and the settings; NULL: nothing does */
	const struct system_sample *sample; /* the latest */
	const struct ocaml_settings *settings;
};

/* Follow a model, which tells of the minor heap and outlives this.  False when memory ran out. */
bool sampling_begin(struct sampling *s, struct model *model, struct system_past *past);
void sampling_end(struct sampling *s);

/* Take a sample when it is time for one, with `last` in any case, and read the settings.  True: there is a new one. */
bool sampling_take(struct sampling *s, const struct session *session, uint64_t now, bool last);

#endif
