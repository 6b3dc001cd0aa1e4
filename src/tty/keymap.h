/*
 * keymap.h - translate ncurses' keys to ui_key.
 */
#ifndef TTY_KEYMAP_H
#define TTY_KEYMAP_H

#include "canvas/keys.h"

/* Define key sequences that many terminals send, unless terminfo gives them another meaning; forget any input that
 * was not complete. */
void keymap_define(void);

/* Read one key from ncurses.  Returns UI_KEY_NONE when there is none, UI_KEY_UNKNOWN for an unsupported
 * key, UI_KEY_MOUSE with *pointer filled in; its place may be outside the screen. */
ui_key keymap_read(struct ui_pointer *pointer);

#endif
