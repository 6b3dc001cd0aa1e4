/*
 * keymap.h - translate ncurses' keys to ui_key.
 */
#ifndef TTY_KEYMAP_H
#define TTY_KEYMAP_H

#include "canvas/keys.h"

/* Define key sequences that many terminals send, unless terminfo gives them another meaning. */
void keymap_define(void);

/* Read one key from ncurses.  Returns UI_KEY_NONE when there is none, UI_KEY_UNKNOWN for an unsupported
 * key. */
ui_key keymap_read(void);

#endif
