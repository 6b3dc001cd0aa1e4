/*
 * sequence.c - parse control sequences of the input.
 */
#include "tty/sequence.h"

#include <ctype.h>

#define NUMBER_MOST 1000000u
/* Below and above this lightness, 0 to 1, a background is certainly dark or light. */
#define GROUND_DARK 0.4
#define GROUND_LIGHT 0.6

/* Bits and values of the first number of a report. */
enum { MODIFIERS = 4 | 8 | 16, MOTION = 32, BUTTON_LEFT = 0, WHEEL_UP = 64, WHEEL_DOWN = 65 };

/* Return the meaning of a complete report. */
static enum sequence_state report(const struct sequence *s, bool release, struct ui_pointer *out)
{
	uint32_t button = s->numbers[0] & ~(uint32_t)(MODIFIERS | MOTION);
	bool motion = (s->numbers[0] & MOTION) != 0, wheel = button == WHEEL_UP || button == WHEEL_DOWN;

	if (s->broken || s->fields != 2 || s->digits == 0 || (button != BUTTON_LEFT && (!wheel || release)))
		return SEQUENCE_IGNORED;
	out->kind = button == WHEEL_UP	   ? UI_POINTER_WHEEL_UP
		    : button == WHEEL_DOWN ? UI_POINTER_WHEEL_DOWN
		    : release		   ? UI_POINTER_RELEASE
		    : motion		   ? UI_POINTER_DRAG
					   : UI_POINTER_PRESS;
	out->col = (int)s->numbers[1] - 1;
	out->row = (int)s->numbers[2] - 1;
	return SEQUENCE_MOUSE;
}

/* Take a character of a report's numbers. */
static void number_take(struct sequence *s, uint32_t c)
{
	if (c >= '0' && c <= '9') {
		uint32_t *number = &s->numbers[s->fields];
		*number = *number < NUMBER_MOST ? *number * 10 + (c - '0') : NUMBER_MOST;
		s->digits = 1;
	} else if (c == ';' && s->digits > 0 && s->fields < 2) {
		s->fields++;
		s->digits = 0;
	} else {
		s->broken = true;
	}
}

/* Keep a character of a string's or an answer's text. */
static void text_take(struct sequence *s, uint32_t c)
{
	if (s->len + 1 < SEQUENCE_TEXT && c >= 0x20 && c < 0x7f)
		s->text[s->len++] = (char)c;
	else
		s->broken = true;
}

/* Read up to four hexadecimal digits at *at as a share of the largest number with so many digits, and the
 * character `follows` after them. */
static bool read_channel(const char **at, char follows, double *out)
{
	unsigned value = 0, most = 0;

	for (; isxdigit((unsigned char)**at) && most < 0xffff; ++*at) {
		char c = **at;
		value = value * 16 + (unsigned)(c <= '9' ? c - '0' : (c | 32) - 'a' + 10);
		most = most * 16 + 15;
	}
	*out = most > 0 ? (double)value / most : 0;
	return most > 0 && *(*at)++ == follows;
}

/* Return the meaning of a complete string.  A background between dark and light is neither. */
static enum sequence_state string_end(const struct sequence *s)
{
	double red, green, blue;
	const char *at = s->text + strlen("11;rgb:");

	if (s->broken || strncmp(s->text, "11;rgb:", strlen("11;rgb:")) != 0 ||
	    !read_channel(&at, '/', &red) || !read_channel(&at, '/', &green) ||
	    !read_channel(&at, '\0', &blue))
		return SEQUENCE_IGNORED;
	double light = 0.299 * red + 0.587 * green + 0.114 * blue;
	return light < GROUND_DARK ? SEQUENCE_DARK : light > GROUND_LIGHT ? SEQUENCE_LIGHT : SEQUENCE_IGNORED;
}

static enum sequence_state string_take(struct sequence *s, uint32_t c)
{
	if (s->escaped && c == '[')
		*s = (struct sequence){0};
	else if (s->escaped && c == ']')
		*s = (struct sequence){.string = true};
	else if (s->escaped)
		return c == '\\' ? string_end(s) : SEQUENCE_IGNORED;
	else if (c == 0x07 || c == 0x9c)
		return string_end(s);
	else if (c == 0x1b)
		s->escaped = true;
	else
		text_take(s, c);
	return SEQUENCE_GOES_ON;
}

/* Return the meaning of a complete answer. */
static enum sequence_state answer(const struct sequence *s, uint32_t end)
{
	if (end == 'c')
		return SEQUENCE_LAST;
	bool has = !s->broken && (strcmp(s->text, "?2026;1$") == 0 || strcmp(s->text, "?2026;2$") == 0);
	return has && end == 'y' ? SEQUENCE_SYNC : SEQUENCE_IGNORED;
}

enum sequence_state sequence_take(struct sequence *s, uint32_t c, struct ui_pointer *out)
{
	bool first = !s->begun;

	if (s->string)
		return string_take(s, c);
	s->begun = true;
	if (s->raw > 0)
		return --s->raw > 0 ? SEQUENCE_GOES_ON : SEQUENCE_IGNORED;
	if (c == 0x1b)
		return SEQUENCE_ESCAPE;
	if (first && (c == '<' || c == 'M')) {
		s->mouse = c == '<';
		s->raw = c == 'M' ? 3 : 0;
		return SEQUENCE_GOES_ON;
	}
	if (c >= 0x40 && c <= 0x7e && s->mouse)
		return c == 'M' || c == 'm' ? report(s, c == 'm', out) : SEQUENCE_IGNORED;
	if (c >= 0x40 && c <= 0x7e && s->text[0] == '?')
		return answer(s, c);
	if (c < 0x20 || c >= 0x40)
		return SEQUENCE_UNKNOWN;
	if (s->mouse)
		number_take(s, c);
	else if (first ? c == '?' : s->text[0] == '?')
		text_take(s, c);
	return SEQUENCE_GOES_ON;
}
