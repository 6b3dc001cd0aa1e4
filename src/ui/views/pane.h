/*
 * pane.h - the pane of one domain: title, phase bars or timeline, allocation, user events.
 */
#ifndef UI_VIEWS_PANE_H
#define UI_VIEWS_PANE_H

#include "ui/layout.h"
#include "ui/view.h"

/* What a pane of the domain would show, in rows.  Bars count the deepest nesting drawn so far, so that
 * panes don't change their height from one drawing to the next. */
struct layout_wish pane_wish(
    const struct ui *ui, const struct subject *subject, const struct model_domain *domain);

/* Draw it where the layout has put it. */
void pane_draw(struct ui *ui, const struct subject *subject, const struct model_domain *domain,
    struct canvas *canvas, const struct layout_pane *pane, bool selected);

#endif
