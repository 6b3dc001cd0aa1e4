/*
 * pane.h - the pane of one domain: title, levels, phase bars or timeline, allocation, user events, and its extras
 * (layout.h): figures, timeline, strips, longest pauses, distribution, phases.
 */
#pragma once

#include "ui/layout.h"
#include "ui/view.h"

/* The rows a domain's pane wishes for.  Bars count the deepest nesting seen so far, so that panes keep
 * their height between drawings. */
struct layout_wish pane_wish(
    const struct ui *ui, const struct subject *subject, const struct model_domain *domain);

/* The rows that a domain's bars used as they were last drawn.  These are fewer than the nesting where inner phases have no
 * room. */
int pane_bar_rows(const struct ui *ui, unsigned domain);

/* The collector's shares of a domain's time in the window: minor collections, the rest of its own work, and waiting for
 * other domains.  NAN: not known. */
enum { PANE_MINOR, PANE_MAJOR, PANE_WAITING, PANE_LEVELS };

/* Draw the pane at the place given by the layout, but for its levels, which it reads; `bar_rows`: what the bars of its neighbours use, so that all have what
 * stands below at the same height. */
void pane_draw(struct ui *ui, const struct subject *subject, const struct model_domain *domain,
    struct canvas *canvas, const struct layout_pane *pane, int bar_rows, bool selected,
    double levels[PANE_LEVELS]);

/* Draw its levels, on a scale up to `top`, and whom it waited for most. */
void pane_levels_draw(const struct ui *ui, const struct subject *subject, unsigned domain,
    struct canvas *canvas, struct rect area, const double levels[PANE_LEVELS], double top);

/* Name in a pane's lower border, but for the last `taken` columns, what its bars have no room for. */
void pane_legend_draw(
    const struct ui *ui, unsigned domain, struct canvas *canvas, const struct layout_pane *pane, int taken);

/* Fill in the rows each extra of a domain needs and can use. */
void pane_extras_wish(const struct ui *ui, const struct subject *subject, const struct model_domain *domain,
    struct layout_extra extras[LAYOUT_EXTRA_COUNT]);

/* Draw the extras that the layout has given rows. */
void pane_extras_draw(struct ui *ui, const struct subject *subject, const struct model_domain *domain,
    struct canvas *canvas, const struct layout_pane *pane);

/* Draw the window from left to right.  The last row is a time scale if there are two or more; `user` adds
 * a row with the program's own events above it. */
void pane_timeline_draw(struct ui *ui, const struct subject *subject, unsigned domain, struct canvas *canvas,
    struct rect area, bool user);

/* The rows that the slowest requests and the longest pauses need and can use where panes leave room, and draw them. */
struct layout_extra slowest_wish(const struct subject *subject);
void slowest_draw(struct ui *ui, const struct subject *subject, struct canvas *canvas, struct rect area);

/* Whether the cursor is among them; take it away; put it on one by the value of its spot, and return whether it was there. */
bool slowest_on(const struct ui *ui);
void slowest_leave(struct ui *ui);
bool slowest_pick(struct ui *ui, int place);

/* Take an action with its reactions, if the cursor is among them or a move leads it there, out of the panes; Enter opens the
 * moment of a span.  False: it is one of the panes. */
bool slowest_act(
    struct ui *ui, const struct subject *subject, enum ui_action action, bool leads_out, unsigned *reactions);

/* Whether memory tells of a domain while no events come: its counters stand where bars would be. */
bool pane_counts(const struct subject *subject, const struct model_domain *domain);
