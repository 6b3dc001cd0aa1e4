/*
 * keymap.h - translate ncurses' keys to ui_key.
 */
#pragma once

#include "canvas/keys.h"

/* Define key sequences that many terminals send, unless terminfo gives them another meaning; forget any input that
 * was not complete. */
void keymap_define(void);

/* Read one key from ncurses.  Returns UI_KEY_NONE when there is none, or when more input came than a person types,
 * UI_KEY_UNKNOWN for an unsupported key, UI_KEY_MOUSE with *pointer filled in; its place may be outside the screen. */
ui_key keymap_read(struct ui_pointer *pointer);

/* Answers of the terminal that keymap_read has come across, as bits.  ANSWER_LAST ends them. */
enum keymap_answer { ANSWER_DARK = 1, ANSWER_LIGHT = 2, ANSWER_SYNC = 4, ANSWER_LAST = 8 };
unsigned keymap_answers(void);

/* The terminal was asked: for the next seconds an Esc [ or Esc ] alone is the begin of an answer. */
void keymap_asked(void);

/* Whether an answer may still come. */
bool keymap_owed(void);
