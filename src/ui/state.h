/*
 * state.h - the state of the target as text: live, paused, quiet, frozen, ended, and how it is known; and what
 * a domain is doing.
 *
 * OCaml writes no event when it pauses its events.  A pause is known from one of three sources, and the
 * text names it: the process's own variables; a ring_pause event, which some producers write; a
 * ring_resume event, which shows afterwards that the target had paused for at most the time since the last
 * event.  Silence without any of these is called quiet.
 */
#pragma once

#include "canvas/theme.h"
#include "ui/view.h"
#include "ui/widgets/line.h"

#define STATE_TEXT 128

struct state_word {
	enum style style;
	enum glyph glyph;
	char text[STATE_TEXT];
};

/* Return a state whose text is formatted as by printf. */
__attribute__((format(printf, 3, 4))) struct state_word state_said(
    enum style style, enum glyph glyph, const char *format, ...);

/* Return the state of the screen; `wide`: in the long form. */
struct state_word state_of(const struct ui *ui, const struct subject *subject, bool wide);

/* Return the state of the target, whether frozen or not. */
struct state_word state_of_target(const struct subject *subject, bool wide);

/* Return an item of a line with the state's glyph and text. */
struct line_item state_item(const struct state_word *state, enum glyph_level level);

/* ---- domains ---- */

struct doing {
	char text[RTEV_NAME_SIZE];
	char more[RTEV_NAME_SIZE + 8]; /* appended if there is room: "in minor" after "killed"; else empty */
	const char *brief;	       /* short form of `text`, static storage; NULL: none */
	enum style style;
};

/* Describe a domain: "running", the innermost phase, "paused" while the target has paused its events,
 * "terminated"; for an ended target "killed in minor" or "ended". */
void domain_activity(const struct subject *subject, const struct model_domain *domain, struct doing *out);

/* Return how a process ended without a ring_stop: "killed", "crashed", or "ended" if the signal is
 * unknown. */
const char *doing_ended(const struct subject *subject);

/* Format the cause and the place: "by SIGKILL, in minor".  `phase` is the innermost open phase, or
 * MODEL_NO_PHASE. */
void doing_end_detail(const struct subject *subject, int64_t phase, char *out, size_t size);
