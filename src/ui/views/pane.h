/*
 * pane.h - the pane of one domain: title, phase bars or timeline, allocation, user events.
 */
#ifndef UI_VIEWS_PANE_H
#define UI_VIEWS_PANE_H

#include "ui/layout.h"
#include "ui/view.h"

/* The rows a domain's pane wishes for.  Bars count the deepest nesting seen so far, so that panes keep
 * their height between drawings. */
struct layout_wish pane_wish(
    const struct ui *ui, const struct subject *subject, const struct model_domain *domain);

/* Draw the pane at the place given by the layout. */
void pane_draw(struct ui *ui, const struct subject *subject, const struct model_domain *domain,
    struct canvas *canvas, const struct layout_pane *pane, bool selected);

#endif
