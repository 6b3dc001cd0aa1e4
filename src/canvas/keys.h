/*
 * keys.h - key codes, independent of the terminal.
 *
 * The code of a key that types a character is the code point of the character.  Ctrl with a letter is 1 to
 * 26, except for keys that have a name here.  The codes of other keys are above all code points.
 */
#pragma once

#include "core/std.h"

typedef uint32_t ui_key;

#define UI_CTRL(letter) ((ui_key)(letter)&0x1fu)

/* X(NAME, text): keys without a character of their own. */
#define UI_NAMED_KEYS(X)                                                                                     \
	X(UP, "Up")                                                                                          \
	X(DOWN, "Down")                                                                                      \
	X(LEFT, "Left")                                                                                      \
	X(RIGHT, "Right")                                                                                    \
	X(PAGE_UP, "PgUp")                                                                                   \
	X(PAGE_DOWN, "PgDn")                                                                                 \
	X(HOME, "Home")                                                                                      \
	X(END, "End")                                                                                        \
	X(INSERT, "Ins")                                                                                     \
	X(DELETE, "Del")                                                                                     \
	X(TAB, "Tab")                                                                                        \
	X(BACK_TAB, "S-Tab")                                                                                 \
	X(ENTER, "Enter")                                                                                    \
	X(ESCAPE, "Esc")                                                                                     \
	X(BACKSPACE, "Bksp")                                                                                 \
	X(F1, "F1")                                                                                          \
	X(F2, "F2")                                                                                          \
	X(F3, "F3")                                                                                          \
	X(F4, "F4")                                                                                          \
	X(F5, "F5")                                                                                          \
	X(F6, "F6")                                                                                          \
	X(F7, "F7")                                                                                          \
	X(F8, "F8")                                                                                          \
	X(F9, "F9")                                                                                          \
	X(F10, "F10")                                                                                        \
	X(F11, "F11")                                                                                        \
	X(F12, "F12")                                                                                        \
	X(RESIZE, "resize")   /* the terminal has changed its size */                                        \
	X(MOUSE, "mouse")     /* the mouse was used: struct ui_pointer says how */                           \
	X(UNKNOWN, "unknown") /* an unsupported key was pressed */

enum {
	UI_KEY_NONE = 0, /* nothing was pressed */
	UI_KEY_BASE = 0x110000,
#define UI_KEY_ENUM(name, text) UI_KEY_##name,
	UI_NAMED_KEYS(UI_KEY_ENUM)
#undef UI_KEY_ENUM
	    UI_KEY_LIMIT
};

/* What the mouse did, and its cell, counted from 0 at the top left.  Only the left button is reported. */
struct ui_pointer {
	enum {
		UI_POINTER_PRESS,
		UI_POINTER_DRAG, /* moved while the button is pressed */
		UI_POINTER_RELEASE,
		UI_POINTER_WHEEL_UP,
		UI_POINTER_WHEEL_DOWN
	} kind;
	int row, col;
};

/* The name of a key: "q", "Space", "Ctrl-L", "PgUp".  Returned by value; empty for UI_KEY_NONE and invalid
 * codes. */
struct key_name {
	char s[12];
};
struct key_name ui_key_name(ui_key key);
