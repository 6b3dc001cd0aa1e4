/*
 * moment.h - the moment of a frozen screen: a range of time of all domains, to move and zoom in.
 *
 * A frozen screen shows the panes as they were.  Keys that move in time open the moment in place of them: the
 * history, one track for each domain, all over the same range of time.  The range is given by its centre, which zooming
 * preserves, and its span.  It may lie anywhere between `earliest` and `end`.  From moment_detail on the history holds
 * every event; before, only the collector's share of each HISTORY_SLOT.
 *
 * A *mark* is a pause, a stop or a span that was opened: it is shown above the tracks, and times count
 * from its begin.
 */
#pragma once

#include "rtev/events.h"
#include "ui/actions.h"
#include "canvas/canvas.h"
#include "ui/subject.h"

#define MOMENT_PAUSE 10000000u /* least duration of pauses at which n and N stop */
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
	bool opened;	   /* shown in place of the panes; only while frozen */
	uint64_t earliest; /* range of the history */
	uint64_t end;
	uint64_t kept; /* from here on, all events of all domains were kept when the screen was frozen */
	uint64_t centre, span;
	unsigned domain; /* the selected domain */
	int first;	 /* first track shown */
	int page;	 /* tracks that fitted in the last drawing */
	bool alone;	 /* only the selected domain is shown */
	bool bars;	 /* show bars merged by phase */
	struct moment_mark mark;
	enum ui_view back; /* view that Esc returns to */
	bool thaw;	   /* Esc also unfreezes the screen */
};

/* Show the last `span` ns. */
void moment_begin(struct ui *ui, const struct subject *subject, uint64_t span);

/* Freeze if necessary, and show a mark with half its length on both sides.  Esc returns to `back`. */
void moment_open(
    struct ui *ui, const struct subject *subject, const struct moment_mark *mark, enum ui_view back);

/* Show a mark, named as by printf, with moment_open.  Returns reactions. */
__attribute__((format(printf, 5, 6))) unsigned moment_open_as(struct ui *ui, const struct subject *subject,
    struct moment_mark mark, enum ui_view back, const char *format, ...);

/* Show a span by its name and length, as moment_open does; returns reactions. */
unsigned moment_open_span(struct ui *ui, const struct subject *subject, unsigned domain, uint64_t from,
    uint64_t to, enum ui_view back, const char *name);

/* Show a mark with moment_open if the history still has a part of it; otherwise say why not.  Returns
 * reactions. */
unsigned moment_open_kept(
    struct ui *ui, const struct subject *subject, const struct moment_mark *mark, enum ui_view back);

/* Go to a time that a user entered: "30" or "-30s" for 30 s ago, "5m", "22:28", "22:28:30"; the trend moves
 * its cursor there, other views open the moment.  Returns reactions; if it can't, `why` says why. */
unsigned moment_go_to(struct ui *ui, const struct subject *subject, const char *text);

/* After the span has changed from `before`: move the range so that the place of a stamp does not change. */
void moment_hold_at(struct frozen_range *moment, uint64_t stamp, uint64_t before);

/* Return whether an action of the panes belongs to the moment: it is open, or the action opens it. */
bool moment_takes(const struct ui *ui, enum ui_action action);

/* Handle an action of the moment.  Returns enum ui_reaction bits. */
unsigned moment_act(struct ui *ui, const struct subject *subject, enum ui_action action);

/* Go to the next (direction > 0) or previous pause of at least MOMENT_PAUSE, loss, finding or mark. */
unsigned moment_event(struct ui *ui, const struct subject *subject, int direction);

/* Return the stamp from which on all events of all domains are kept; UINT64_MAX: none are. */
uint64_t moment_detail(const struct ui *ui, const struct subject *subject);

/* List the domains that have a track, in order.  Returns their number. */
int moment_domains(const struct ui *ui, const struct subject *subject, unsigned *out);

/* Return the begin of the shown range. */
uint64_t moment_from(const struct frozen_range *moment);

/* Return the time of a frozen screen: the end of the range of the moment, else the time of freezing. */
uint64_t moment_shown(const struct ui *ui);

/* Return the next longer (direction > 0) or shorter span: 1, 2, 5, 10 ... 20 s, then 1, 2, 5, 10 minutes. */
uint64_t moment_span_next(uint64_t span, int direction);

/* Draw the moment. */
void moment_draw(struct ui *ui, const struct subject *subject, struct canvas *canvas, struct rect body);
