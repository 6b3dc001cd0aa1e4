/*
 * moment.h - a frozen stretch of time, of all domains, to move and zoom in.
 *
 * While the picture is frozen the panes view shows the history instead of the last seconds: one track for
 * each domain, all over the same range of time.  The range is given by its centre, which zooming leaves where
 * it is, and its span.  It may lie anywhere between `earliest` and `end`; from moment_detail on every event
 * is kept, before it only the collector's share of every HISTORY_SLOT.
 *
 * A *mark* is a pause or a stop that was opened: it is shown above the tracks, and times count from its
 * begin.
 */
#ifndef UI_VIEWS_MOMENT_H
#define UI_VIEWS_MOMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "rtev/events.h"
#include "ui/actions.h"
#include "canvas/canvas.h"
#include "ui/subject.h"

#define MOMENT_SPAN_LEAST 1000u
#define MOMENT_SPAN_MOST 600000000000u

struct ui;

struct moment_mark {
	bool on;
	unsigned domain;
	uint64_t from, to;
	char text[96];
};

struct moment {
	uint64_t earliest; /* the ends of what is kept */
	uint64_t end;
	uint64_t kept; /* when it was frozen, all events of all domains were kept from here on */
	uint64_t centre, span;
	unsigned domain; /* the one selected */
	int first;	 /* of the tracks shown */
	int page;	 /* tracks that the last drawing had room for */
	bool alone;	 /* only the selected domain is shown */
	bool bars;	 /* as bars merged by phase */
	struct moment_mark mark;
	enum ui_view back; /* where Esc leads: the panes, or the view that the mark was opened from */
	bool thaw;	   /* Esc also lets the picture go on */
};

/* Look at the last `span` ns before now. */
void moment_begin(struct ui *ui, const struct subject *subject, uint64_t span);

/* Freeze if need be, and look at a pause or stop with half its length on both sides; Esc leads back to
 * `back`. */
void moment_open(
    struct ui *ui, const struct subject *subject, const struct moment_mark *mark, enum ui_view back);

/* Take an action; enum ui_reaction bits. */
unsigned moment_act(struct ui *ui, const struct subject *subject, enum ui_action action);

/* From which stamp on all events of all domains are kept; UINT64_MAX when there is no such stretch. */
uint64_t moment_detail(const struct ui *ui, const struct subject *subject);

/* The domains that have a track, in order; returns how many. */
int moment_domains(const struct ui *ui, const struct subject *subject, unsigned *out);

/* The begin of the range shown. */
uint64_t moment_from(const struct moment *moment);

/* The time that a frozen screen is of: the end of the range that the panes show; in other views when it was frozen. */
uint64_t moment_shown(const struct ui *ui);

/* The next longer (direction > 0) or shorter span: 1, 2, 5, 10 ... 20 s, then 1, 2, 5, 10 minutes. */
uint64_t moment_span_next(uint64_t span, int direction);

/* Draw it. */
void moment_draw(struct ui *ui, const struct subject *subject, struct canvas *canvas, struct rect body);

#endif
