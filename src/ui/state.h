/*
 * state.h - the state of the target as text: live, paused, quiet, frozen, ended, and how it is known.
 *
 * OCaml writes no event when it pauses its events.  A pause is known from one of three sources, and the
 * text names it: the process's own variables; a ring_pause event, which some producers write; a
 * ring_resume event, which shows afterwards that the target had paused for at most the time since the last
 * event.  Silence without any of these is called quiet.
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

/* The state; `wide`: the long form. */
void state_of(const struct ui *ui, const struct subject *subject, bool wide, struct state_word *out);

/* The state of the target, regardless of freezing. */
void state_of_target(const struct ui *ui, const struct subject *subject, bool wide, struct state_word *out);

/* "SIGKILL"; NULL for a signal that has no name here. */
const char *state_signal_name(int signal);

#endif
