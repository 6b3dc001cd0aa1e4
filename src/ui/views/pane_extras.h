/*
 * pane_extras.h - what a pane shows where rows are left over: the timeline, strips, the longest pauses, their distribution, the phases.
 */
#ifndef UI_VIEWS_PANE_EXTRAS_H
#define UI_VIEWS_PANE_EXTRAS_H

#include "ui/layout.h"
#include "ui/view.h"

/* Say how many rows each extra of a domain needs and can use. */
void pane_extras_wish(const struct ui *ui, const struct subject *subject, const struct model_domain *domain,
    struct layout_extra extras[LAYOUT_EXTRA_COUNT]);

/* Draw those that the layout has given rows to. */
void pane_extras_draw(struct ui *ui, const struct subject *subject, const struct model_domain *domain,
    struct canvas *canvas, const struct layout_pane *pane);

/* Draw the window from left to right, with a scale where there are two rows or more, and above it, if asked for, a row with
 * the program's own events. */
void pane_timeline_draw(struct ui *ui, const struct subject *subject, unsigned domain, struct canvas *canvas,
    struct rect area, bool user);

#endif
