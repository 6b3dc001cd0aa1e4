/*
 * moment.h - the moment of a frozen screen: a range of time of all domains, to move and zoom in.
 *
 * A frozen screen shows the panes as they were.  Keys that move in time open the moment in place of them: the
 * history, one track for each domain, all over the same range of time.  The range is given by its centre, which zooming preserves, and its span.  It may lie anywhere
 * between `earliest` and `end`.  From moment_detail on the history holds every event; before, only the
 * collector's share of each HISTORY_SLOT.
 *
 * A *mark* is a pause, a stop or a span that was opened: it is shown above the tracks, and times count
 * from its begin.
 */
#pragma once

#include "rtev/events.h"
#include "ui/actions.h"
#include "canvas/canvas.h"
#include "ui/subject.h"

#define MOMENT_PAUSE 10000000u /* pauses that n and N stop at are as long, or longer */
#define MOMENT_SPAN_LEAST 1000u
#define MOMENT_SPAN_MOST 600000000000u

struct ui;

struct moment_mark {
	bool on;
	unsigned domain;
	uint64_t from, to;
	char text[96];
};

struct frozen_range {
	bool opened;	   /* it is shown in place of the panes; only while frozen */
	uint64_t earliest; /* range of the history */
	uint64_t end;
	uint64_t kept; /* from here on, all events of all domains were kept when the screen was frozen */
	uint64_t centre, span;
	unsigned domain; /* the one selected */
	int first;	 /* first track shown */
	int page;	 /* tracks that fitted in the last drawing */
	bool alone;	 /* only the selected domain is shown */
	bool bars;	 /* as bars merged by phase */
	struct moment_mark mark;
	enum ui_view back; /* view that Esc returns to */
	bool thaw;	   /* Esc also unfreezes the screen */
};

/* Show the last `span` ns. */
void moment_begin(struct ui *ui, const struct subject *subject, uint64_t span);

/* Freeze if necessary, and show a mark with half its length on both sides.  Esc returns to `back`. */
void moment_open(
    struct ui *ui, const struct subject *subject, const struct moment_mark *mark, enum ui_view back);

/* Show a mark that printf names, as moment_open does; returns reactions. */
__attribute__((format(printf, 5, 6))) unsigned moment_open_as(struct ui *ui, const struct subject *subject,
    struct moment_mark mark, enum ui_view back, const char *format, ...);

/* Show a mark as moment_open does if the history still has a part of it; else say why not.  Returns reactions. */
unsigned moment_open_kept(
    struct ui *ui, const struct subject *subject, const struct moment_mark *mark, enum ui_view back);

/* Go to a time that a user wrote: "30" or "-30s" for 30 s ago, "5m", "22:28", "22:28:30"; the trend moves its cursor there, other views open the
 * moment.  Returns reactions; where it can't, `why` says so. */
unsigned moment_go_to(struct ui *ui, const struct subject *subject, const char *text);

/* After the span has changed from `before`: move the range so that what is at a stamp stays where it was. */
void moment_hold_at(struct frozen_range *moment, uint64_t stamp, uint64_t before);

/* Return whether an action of the panes is the moment's: it is open, or the action opens it. */
bool moment_takes(const struct ui *ui, enum ui_action action);

/* Take such an action; enum ui_reaction bits. */
unsigned moment_act(struct ui *ui, const struct subject *subject, enum ui_action action);

/* Go to the next (direction > 0) or previous pause of at least MOMENT_PAUSE, loss, finding or mark. */
unsigned moment_event(struct ui *ui, const struct subject *subject, int direction);

/* The stamp from which all events of all domains are kept; UINT64_MAX: none are. */
uint64_t moment_detail(const struct ui *ui, const struct subject *subject);

/* The domains that have a track, in order; returns how many. */
int moment_domains(const struct ui *ui, const struct subject *subject, unsigned *out);

/* The begin of the range shown. */
uint64_t moment_from(const struct frozen_range *moment);

/* The time of a frozen screen: the end of the range shown by the moment; else the time of freezing. */
uint64_t moment_shown(const struct ui *ui);

/* The next longer (direction > 0) or shorter span: 1, 2, 5, 10 ... 20 s, then 1, 2, 5, 10 minutes. */
uint64_t moment_span_next(uint64_t span, int direction);

/* Draw it. */
void moment_draw(struct ui *ui, const struct subject *subject, struct canvas *canvas, struct rect body);
