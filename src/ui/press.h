/*
 * press.h - what keys do to a ui: the handlers of its actions.
 */
#ifndef UI_PRESS_H
#define UI_PRESS_H

#include "ui/view.h"

/* Register the actions of a new ui: of those left to the app only what it can carry out. */
void press_register(struct ui *ui);

/* Register what depends on the subject: the views that it has something for, and what they have a use for. */
void press_adapt(struct ui *ui, const struct subject *subject);

/* The actions there are now. */
const struct action_set *press_actions(const struct ui *ui);

/* Take a key.  Returns reactions. */
unsigned press_key(struct ui *ui, const struct subject *subject, ui_key key);

#endif
