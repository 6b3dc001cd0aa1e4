/*
 * keymap.c - read keys.
 *
 * A sequence that ncurses does not know arrives as Esc and the characters that follow it.  These characters
 * would act as keys, so the rest of the sequence is read and dropped, or parsed as a mouse report or an
 * answer.  The rest may be late: it is accepted for up to REST_NS.
 */
#include "tty/keymap.h"

#include <curses.h>

#include "core/clock.h"
#include "tty/sequence.h"

#define REST_NS 2000000000u
#define STRING_REST_NS 100000000u /* for a string that was not asked for: it may have no end */
#define READ_MOST 4096		  /* characters read in one call */

static struct {
	struct sequence sequence;
	bool on;	  /* `sequence` is being read */
	uint64_t taken;	  /* when its last character was taken */
	unsigned answers; /* of the terminal so far */
	bool asked;
	uint64_t asked_ts;
} input;

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
	input.on = input.asked = false;
	/* ncurses would read one form of mouse reports by itself. */
	define_key(NULL, KEY_MOUSE);
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

void keymap_asked(void)
{
	input.answers = 0;
	input.asked = true;
	input.asked_ts = monotonic_now();
}

unsigned keymap_answers(void)
{
	return input.answers;
}

bool keymap_owed(void)
{
	return input.asked && (input.answers & ANSWER_LAST) == 0 &&
	       monotonic_now() - input.asked_ts <= REST_NS;
}

/* Decide whether an Esc was the key itself or begins a sequence; returns UI_KEY_NONE for a sequence. */
static ui_key after_escape(void)
{
	wint_t next, more;
	int got = get_wch(&next);
	if (got == KEY_CODE_YES)
		ungetch((int)next);
	if (got != OK)
		return UI_KEY_ESCAPE;
	bool begins = next == '[' || next == ']';
	got = begins || next == 'O' ? get_wch(&more) : ERR;
	if (got == KEY_CODE_YES)
		ungetch((int)more);
	bool goes_on = got == OK;
	if (goes_on && next == 'O')
		return UI_KEY_UNKNOWN;
	if (goes_on)
		unget_wch((wchar_t)more);
	if (goes_on || (begins && keymap_owed())) {
		input.sequence = (struct sequence){.string = next == ']'};
		input.on = true;
		input.taken = monotonic_now();
		return UI_KEY_NONE;
	}
	unget_wch((wchar_t)next);
	return UI_KEY_ESCAPE;
}

/* Give up a sequence that has been silent for too long: the next character is a key. */
static void end_late(void)
{
	uint64_t rest = input.sequence.string && !keymap_owed() ? STRING_REST_NS : REST_NS;
	if (input.on && monotonic_now() - input.taken > rest)
		input.on = false;
}

ui_key keymap_read(struct ui_pointer *pointer)
{
	wint_t c;
	end_late();
	int got;
	for (int i = 0; i < READ_MOST && (got = get_wch(&c)) != ERR; i++) {
		enum sequence_state state = SEQUENCE_ESCAPE;
		if (input.on && got == OK)
			state = sequence_take(&input.sequence, c, pointer);
		input.on = state == SEQUENCE_GOES_ON;
		if (input.on)
			input.taken = monotonic_now();
		if (state >= SEQUENCE_DARK && state <= SEQUENCE_LAST)
			input.answers |= 1u << (state - SEQUENCE_DARK);
		if (state == SEQUENCE_MOUSE || state == SEQUENCE_UNKNOWN)
			return state == SEQUENCE_MOUSE ? UI_KEY_MOUSE : UI_KEY_UNKNOWN;
		if (state != SEQUENCE_ESCAPE)
			continue;
		if (got == KEY_CODE_YES)
			return key_of_code(c);
		ui_key key = key_of_character(c);
		if (key == UI_KEY_ESCAPE)
			key = after_escape();
		if (key != UI_KEY_NONE)
			return key;
	}
	return UI_KEY_NONE;
}
