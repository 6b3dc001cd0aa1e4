/*
 * press.h - handlers of a ui's actions.
 */
#ifndef UI_PRESS_H
#define UI_PRESS_H

#include "ui/view.h"

/* Register the actions of a new ui; those of the app only if the app offers them. */
void press_register(struct ui *ui);

/* Register the actions that depend on the subject and on the view shown. */
void press_adapt(struct ui *ui, const struct subject *subject);

/* The actions registered now. */
const struct action_set *press_actions(const struct ui *ui);

/* Take a key.  Returns reactions. */
unsigned press_key(struct ui *ui, const struct subject *subject, ui_key key);

#endif
