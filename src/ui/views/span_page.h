/*
 * span_page.h - the page of one span name that was opened in view 3 or 4: how long its spans took, and the longest of them.
 *
 * A page is known by the name that was opened, not by its place in a list, so that it stays the same while lists grow and
 * while a replay goes back to before the name was known.
 */
#ifndef UI_VIEWS_SPAN_PAGE_H
#define UI_VIEWS_SPAN_PAGE_H

#include "watch/paths.h"
#include "ui/view.h"

/* What a page shows: the view finds it anew for each drawing. */
struct span_page_facts {
	const char *name;
	enum style style;
	const struct hist *spans; /* of a user span; NULL: of a phase there are only the next four */
	const uint64_t *octaves;  /* NULL: there is none */
	uint64_t count, total, self;
	uint64_t gc_ns, open;		    /* of a user span */
	const struct longest_list *longest; /* NULL: none is kept */
	const char *empty;		    /* what to say where none is */
};

/* Show a page in the view shown, with a place of its own; and what the view showed before again. */
void span_page_open(struct ui *ui, struct span_page *page);
void span_page_close(struct ui *ui, struct span_page *page);

void span_page_draw(struct ui *ui, const struct subject *subject, struct span_page *page,
    const struct span_page_facts *facts, struct canvas *canvas, struct rect body);

/* Take an action: Enter opens the moment of the selected span, Esc closes the page. */
unsigned span_page_act(struct ui *ui, const struct subject *subject, struct span_page *page,
    const struct span_page_facts *facts, enum ui_action action);

#endif
