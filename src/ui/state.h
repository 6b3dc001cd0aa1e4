/*
 * state.h - the state of the target in words: live, paused, quiet, frozen, ended, and how that is known.
 *
 * OCaml writes no event when it pauses its events.  Three rules tell, and the text names the one it goes by:
 * the process itself, read; a ring_pause event (of producers that write one); a ring_resume event, which
 * tells in retrospect that it had paused for at most the time since the last event.  Without any of them
 * silence is only called quiet.
 */
#ifndef UI_STATE_H
#define UI_STATE_H

#include "ui/view.h"

#define STATE_TEXT 128

struct state_word {
	enum style style;
	enum glyph glyph;
	char text[STATE_TEXT];
};

/* The state; `wide` in full, else in few words. */
void state_of(const struct ui *ui, const struct subject *subject, bool wide, struct state_word *out);

/* The state of the target alone, whether or not the picture is frozen. */
void state_of_target(const struct ui *ui, const struct subject *subject, bool wide, struct state_word *out);

/* "SIGKILL"; NULL for a signal that has no name here. */
const char *state_signal_name(int signal);

#endif
