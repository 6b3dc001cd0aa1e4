/*
 * pane_search.h - find the domain whose pane has what was searched for: its name ("D3", "3", "domain 3"), a phase it has been in,
 * or a user event of its own.
 */
#ifndef UI_PANE_SEARCH_H
#define UI_PANE_SEARCH_H

#include "ui/subject.h"

/* The place in `domains` of the next one after `from`, around to itself, that has a text; -1 when none has.  Names of domains
 * go before what is in them, and have to match in whole. */
int pane_search(
    const struct subject *subject, const unsigned *domains, int count, int from, const char *text);

#endif
