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

/* Open a page in the current view, with its own struct view_place. */
void span_page_open(struct ui *ui, struct span_page *page);

void span_page_draw(struct ui *ui, const struct subject *subject, struct span_page *page,
    const struct span_page_facts *facts, struct canvas *canvas, struct rect body);

/* Draw a page that is not open below the list from which it would be opened. */
void span_page_preview(struct ui *ui, const struct subject *subject, struct span_page *page,
    const struct span_page_facts *facts, struct canvas *canvas, struct rect area);

/* Enter opens the moment of the selected span, Esc closes the page. */
unsigned span_page_act(struct ui *ui, const struct subject *subject, struct span_page *page,
    const struct span_page_facts *facts, enum ui_action action);
