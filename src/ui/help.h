/*
 * help.h - the footer and the help screen, generated from the list of actions and the registered handlers.
 */
#ifndef UI_HELP_H
#define UI_HELP_H

#include "ui/actions.h"
#include "canvas/canvas.h"

/* Draw the most important keys of a view into one row.  `note`, if not NULL (a message, the filter),
 * stands at the right and takes precedence over keys. */
void help_footer(struct canvas *canvas, struct rect line, const struct action_set *set, enum ui_view view,
    const char *note);

/* The number of help lines of a view, and how many of them fit on a screen. */
int help_lines(const struct action_set *set, enum ui_view view);
int help_page(struct rect screen);

/* Draw the help in a centred box, starting at line `first`. */
void help_overlay(
    struct canvas *canvas, struct rect screen, const struct action_set *set, enum ui_view view, int first);

#endif
