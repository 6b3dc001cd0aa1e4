/*
 * pane_search.h - search the panes for a domain's name ("D3", "3", "domain 3"), a phase it has been in, or
 * one of its user events.
 */
#ifndef UI_PANE_SEARCH_H
#define UI_PANE_SEARCH_H

#include "ui/subject.h"

/* Return the index in `domains` of the next domain after `from`, wrapping around to itself, that matches a
 * text; -1 when none does.  A domain's name takes precedence and must match as a whole. */
int pane_search(
    const struct subject *subject, const unsigned *domains, int count, int from, const char *text);

#endif
