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

/* A state whose text is as printf has it. */
__attribute__((format(printf, 3, 4))) struct state_word state_said(
    enum style style, enum glyph glyph, const char *format, ...);

/* The state; `wide`: the long form. */
struct state_word state_of(const struct ui *ui, const struct subject *subject, bool wide);

/* The state of the target, regardless of freezing. */
struct state_word state_of_target(const struct ui *ui, const struct subject *subject, bool wide);

/* An item of a line with its glyph and text. */
struct line_item state_item(const struct state_word *state, enum glyph_level level);

/* ---- domains ---- */

struct ui;

struct doing {
	char text[RTEV_NAME_SIZE];
	char more[RTEV_NAME_SIZE +
		  8];	   /* appended where there is room: "in minor" after "killed"; else empty */
	const char *brief; /* of `text`, static storage; NULL: there is none */
	enum style style;
};

/* One of "running", the innermost phase, "paused" while the target has paused its events, "terminated";
 * once the target has ended, "killed in minor" or "ended". */
void domain_activity(
    const struct ui *ui, const struct subject *subject, const struct model_domain *domain, struct doing *out);

/* How a process ended without a ring_stop: "killed", "crashed", or "ended" where the signal is unknown. */
const char *doing_ended(const struct subject *subject);

/* The cause and the place: "by SIGKILL, in minor".  `phase` is the innermost open phase, or
 * MODEL_NO_PHASE. */
void doing_end_detail(
    const struct ui *ui, const struct subject *subject, int64_t phase, char *out, size_t size);
