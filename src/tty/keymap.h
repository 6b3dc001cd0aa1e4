/*
 * keymap.h - from ncurses' keys to ours.
 */
#ifndef TTY_KEYMAP_H
#define TTY_KEYMAP_H

#include "canvas/keys.h"

/* Teach ncurses the sequences that many terminals send, where the description has no other meaning for them. */
void keymap_define(void);

/* Read one key from ncurses; UI_KEY_NONE when there is none, UI_KEY_UNKNOWN for what has no meaning here. */
ui_key keymap_read(void);

#endif
