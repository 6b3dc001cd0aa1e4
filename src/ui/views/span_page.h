/*
 * span_page.h - the page of one span name, opened in view 3 or 4: distribution and longest spans.
 *
 * A page is identified by name, not by list index: lists grow, and a replay may go back to before the name
 * appeared.
 */
#pragma once

#include "watch/paths.h"
#include "ui/view.h"

/* Data of a page; the view looks it up for each drawing. */
struct span_page_facts {
	const char *name;
	enum style style;
	bool user;		  /* a user span, else a phase */
	const struct hist *spans; /* durations; NULL: not all are known */
	uint64_t count, total;
	uint64_t self;			    /* phases only */
	uint64_t gc_ns, open;		    /* user spans only */
	const struct longest_list *longest; /* NULL: none is kept */
	const char *empty;		    /* text for an empty list */
};

/* The page of the view that is shown, which is all that it owns. */
static inline struct span_page *span_page_of(const struct ui *ui)
{
	return ui->own[ui->view == VIEW_USER ? VIEW_USER : VIEW_PHASES];
}

/* Whether an action does something in such a view: there is a histogram to scale on a page alone, and a line to copy in the
 * list. */
bool span_page_there(const struct ui *ui, const struct subject *subject, enum ui_action action);

/* Open a page in the current view, with its own struct view_place. */
void span_page_open(struct ui *ui, struct span_page *page);

/* Draw a page; without `cursor` one that is not open, below the list from which it would be opened. */
void span_page_draw(struct ui *ui, const struct subject *subject, struct span_page *page,
    const struct span_page_facts *facts, bool cursor, struct canvas *canvas, struct rect body);

/* Enter opens the moment of the selected span, Esc closes the page. */
unsigned span_page_act(struct ui *ui, const struct subject *subject, struct span_page *page,
    const struct span_page_facts *facts, enum ui_action action);
