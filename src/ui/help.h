/*
 * help.h - the footer and the help, made from the list of actions and the handlers that a program has.
 */
#ifndef UI_HELP_H
#define UI_HELP_H

#include "ui/actions.h"
#include "canvas/canvas.h"

/* Draw the keys that matter most in a view into one row; `note`, if any, goes to the right (a message, the filter), whatever
 * keys have to go for it. */
void help_footer(struct canvas *canvas, struct rect line, const struct action_set *set, enum ui_view view,
    const char *note);

/* Lines of the help of a view, and how many of them a screen shows at a time. */
int help_lines(const struct action_set *set, enum ui_view view);
int help_page(struct rect screen);

/* Draw the help in a box in the middle of the screen, from the line `first` on. */
void help_overlay(
    struct canvas *canvas, struct rect screen, const struct action_set *set, enum ui_view view, int first);

#endif
