/*
 * keymap.h - translate ncurses' keys to ui_key.
 */
#pragma once

#include "canvas/keys.h"

/* Define key sequences that many terminals send, unless terminfo gives them another meaning; drop incomplete
 * input. */
void keymap_define(void);

/* Read one key from ncurses.  Returns UI_KEY_NONE when there is no key or more input than a person types,
 * UI_KEY_UNKNOWN for an unsupported key, and UI_KEY_MOUSE with *pointer filled in, whose cell may be outside
 * the screen. */
ui_key keymap_read(struct ui_pointer *pointer);

/* The terminal's answers that keymap_read has met so far, as bits.  ANSWER_LAST is set with the last one. */
enum keymap_answer { ANSWER_DARK = 1, ANSWER_LIGHT = 2, ANSWER_SYNC = 4, ANSWER_LAST = 8 };
unsigned keymap_answers(void);

/* Note that the terminal was asked: for the next seconds, Esc [ or Esc ] begins an answer. */
void keymap_asked(void);

/* Whether an answer may still come. */
bool keymap_owed(void);
