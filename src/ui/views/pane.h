/* pane.h - the pane of one domain: title, levels, phase bars or timeline, allocation, user events, and its
 * extras (layout.h): figures, timeline, strips, longest pauses, distribution, phases. */
#pragma once

#include "ui/layout.h"
#include "ui/view.h"

struct panes_own {
	int selected, first;		 /* panes */
	int grid_cols, grid_page;	 /* grid of the last drawing */
	double level_top;		 /* upper end of the scale of all panes' levels */
	uint64_t level_needed, level_at; /* when a level last needed it; when the levels were last drawn */
	struct bars_memory *bars[MODEL_DOMAINS_MAX]; /* as last drawn, by domain; NULL until then */
	uint64_t bars_first, bars_restarts,
	    bars_window;	  /* the target, program and window for which they were placed */
	struct slow_memory *slow; /* memory of the lists beside the panes; NULL until they are drawn */
};

VIEW_OWN(panes, panes_own, PANES)

/* Return the rows that a domain's pane wishes for.  Bars count the deepest nesting seen so far, so that panes
 * keep their height between drawings. */
struct layout_wish pane_wish(
    const struct ui *ui, const struct subject *subject, const struct model_domain *domain);

/* Return the rows that a domain's bars used in the last drawing, which are fewer than the nesting if inner
 * phases have no room. */
int pane_bar_rows(const struct ui *ui, unsigned domain);

/* The collector's shares of a domain's time in the window: minor collections, the rest of its own work, and waiting for
 * other domains.  NAN: not known. */
enum { PANE_MINOR, PANE_MAJOR, PANE_WAITING, PANE_LEVELS };

/* Draw the pane at the place given by the layout, except for its levels, which are only read.  `bar_rows`:
 * rows that the bars of neighbouring panes use, so that the sections below line up. */
void pane_draw(struct ui *ui, const struct subject *subject, const struct model_domain *domain,
    struct canvas *canvas, const struct layout_pane *pane, int bar_rows, bool selected,
    double levels[PANE_LEVELS]);

/* Draw the levels of a pane on a scale up to `top`, and the domain that it waited for most. */
void pane_levels_draw(const struct ui *ui, const struct subject *subject, unsigned domain,
    struct canvas *canvas, struct rect area, const double levels[PANE_LEVELS], double top);

/* Name the phases that had no room in the bars in a pane's lower border, without its last `taken` columns. */
void pane_legend_draw(
    const struct ui *ui, unsigned domain, struct canvas *canvas, const struct layout_pane *pane, int taken);

/* Fill in the rows that each extra of a domain needs and can use. */
void pane_extras_wish(const struct ui *ui, const struct subject *subject, const struct model_domain *domain,
    struct layout_extra extras[LAYOUT_EXTRA_COUNT]);

/* Draw the extras to which the layout gave rows. */
void pane_extras_draw(struct ui *ui, const struct subject *subject, const struct model_domain *domain,
    struct canvas *canvas, const struct layout_pane *pane);

/* Draw the phases of a domain by self time, longest first. */
void pane_phases_draw(const struct model_domain *domain, struct canvas *canvas, struct rect area);

/* Draw the window from left to right.  The last row is a time scale if there are two or more; `user` adds
 * a row with the program's own events above it. */
void pane_timeline_draw(struct ui *ui, const struct subject *subject, unsigned domain, struct canvas *canvas,
    struct rect area, bool user);

/* Return the rows that the slowest requests and the longest pauses need and can use in free space; draw
 * them. */
struct layout_extra slowest_wish(const struct subject *subject);
void slowest_draw(struct ui *ui, const struct subject *subject, struct canvas *canvas, struct rect area);

/* Return the value of the spot that the cursor is on among them, -1: it is not there; remove the cursor; put it on one by
 * the value of its spot, and return whether it was there. */
int slowest_place(const struct ui *ui);
void slowest_leave(struct ui *ui);
bool slowest_pick(struct ui *ui, int place);

/* Handle an action if the cursor is among them, or a move leads there from the panes; Enter opens the moment
 * of a span.  Returns false if the action is for the panes. */
bool slowest_act(
    struct ui *ui, const struct subject *subject, enum ui_action action, bool leads_out, unsigned *reactions);

/* Whether a domain's counts from memory are shown in place of bars, as no events arrive. */
bool pane_counts(const struct subject *subject, const struct model_domain *domain);
