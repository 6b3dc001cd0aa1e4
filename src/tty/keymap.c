/*
 * keymap.c - read keys.
 *
 * A sequence that ncurses does not know arrives as Esc and the characters that follow it.  These characters
 * would act as keys, so the rest of such a sequence is read and dropped.
 */
#include "tty/keymap.h"

#include <stddef.h>

#include <curses.h>

#define SEQUENCE_MAX 64

/* ncurses' key codes and ours. */
static const struct {
	int code;
	ui_key key;
} codes[] = {
    {KEY_UP, UI_KEY_UP},
    {KEY_DOWN, UI_KEY_DOWN},
    {KEY_LEFT, UI_KEY_LEFT},
    {KEY_RIGHT, UI_KEY_RIGHT},
    {KEY_PPAGE, UI_KEY_PAGE_UP},
    {KEY_NPAGE, UI_KEY_PAGE_DOWN},
    {KEY_HOME, UI_KEY_HOME},
    {KEY_FIND, UI_KEY_HOME},
    {KEY_A1, UI_KEY_HOME},
    {KEY_END, UI_KEY_END},
    {KEY_SELECT, UI_KEY_END},
    {KEY_C1, UI_KEY_END},
    {KEY_A3, UI_KEY_PAGE_UP},
    {KEY_C3, UI_KEY_PAGE_DOWN},
    {KEY_IC, UI_KEY_INSERT},
    {KEY_DC, UI_KEY_DELETE},
    {KEY_BTAB, UI_KEY_BACK_TAB},
    {KEY_ENTER, UI_KEY_ENTER},
    {KEY_BACKSPACE, UI_KEY_BACKSPACE},
    {KEY_SUSPEND, UI_CTRL('Z')},
    {KEY_REFRESH, UI_CTRL('L')},
};

/* Sequences that terminals send although their terminfo entry says otherwise. */
static const struct {
	const char *sequence;
	int code;
} common[] = {
    {"\033[A", KEY_UP},
    {"\033[B", KEY_DOWN},
    {"\033[C", KEY_RIGHT},
    {"\033[D", KEY_LEFT},
    {"\033OA", KEY_UP},
    {"\033OB", KEY_DOWN},
    {"\033OC", KEY_RIGHT},
    {"\033OD", KEY_LEFT},
    {"\033[H", KEY_HOME},
    {"\033OH", KEY_HOME},
    {"\033[1~", KEY_HOME},
    {"\033[7~", KEY_HOME},
    {"\033[F", KEY_END},
    {"\033OF", KEY_END},
    {"\033[4~", KEY_END},
    {"\033[8~", KEY_END},
    {"\033[5~", KEY_PPAGE},
    {"\033[6~", KEY_NPAGE},
    {"\033[Z", KEY_BTAB},
    {"\033OP", KEY_F(1)},
    {"\033[11~", KEY_F(1)},
    {"\033[[A", KEY_F(1)},
    {"\033OS", KEY_F(4)},
    {"\033[14~", KEY_F(4)},
    {"\033[[D", KEY_F(4)},
    {"\033[17~", KEY_F(6)},
    {"\033[21~", KEY_F(10)},
};

void keymap_define(void)
{
	for (size_t i = 0; i < sizeof(common) / sizeof(common[0]); i++)
		if (key_defined(common[i].sequence) == 0)
			define_key(common[i].sequence, common[i].code);
}

static ui_key key_of_code(wint_t code)
{
	if (code >= (wint_t)KEY_F(1) && code <= (wint_t)KEY_F(12))
		return UI_KEY_F1 + (ui_key)(code - (wint_t)KEY_F(1));
	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++)
		if ((wint_t)codes[i].code == code)
			return codes[i].key;
	return UI_KEY_UNKNOWN;
}

static ui_key key_of_character(wint_t c)
{
	switch (c) {
	case '\t':
		return UI_KEY_TAB;
	case '\r':
	case '\n':
		return UI_KEY_ENTER;
	case 0x08:
	case 0x7f:
		return UI_KEY_BACKSPACE;
	case 0x1b:
		return UI_KEY_ESCAPE;
	default:
		break;
	}
	if (c == 0 || (c > 26 && c < 32) || (c >= 0x80 && c < 0xa0) || c > 0x10ffff)
		return UI_KEY_UNKNOWN;
	return (ui_key)c;
}

/* Drop the rest of a control sequence that began with Esc and `introducer`.  Returns false if nothing
 * follows: it was not a control sequence. */
static bool drop_sequence(wint_t introducer)
{
	wint_t c;
	for (int i = 0; i < SEQUENCE_MAX; i++) {
		if (get_wch(&c) != OK)
			return i > 0;
		if (introducer == 'O' || (c >= 0x40 && c <= 0x7e))
			return true;
	}
	return true;
}

/* Decide whether an Esc was the key itself or the beginning of a sequence. */
static ui_key after_escape(void)
{
	wint_t next;
	int got = get_wch(&next);
	if (got == KEY_CODE_YES) {
		ungetch((int)next);
		return UI_KEY_ESCAPE;
	}
	if (got != OK)
		return UI_KEY_ESCAPE;
	if ((next == '[' || next == 'O') && drop_sequence(next))
		return UI_KEY_UNKNOWN;
	unget_wch((wchar_t)next);
	return UI_KEY_ESCAPE;
}

ui_key keymap_read(void)
{
	wint_t c;
	switch (get_wch(&c)) {
	case KEY_CODE_YES:
		return key_of_code(c);
	case OK:
		break;
	default:
		return UI_KEY_NONE;
	}
	ui_key key = key_of_character(c);
	return key == UI_KEY_ESCAPE ? after_escape() : key;
}
