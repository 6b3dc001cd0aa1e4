/*
 * sequence.c - parse control sequences of the input.
 */
#include "tty/sequence.h"

#define NUMBER_MOST 1000000u

/* Bits and values of the first number of a report. */
enum { MODIFIERS = 4 | 8 | 16, MOTION = 32, BUTTON_LEFT = 0, WHEEL_UP = 64, WHEEL_DOWN = 65 };

/* Tell what a complete report means. */
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

enum sequence_state sequence_take(struct sequence *s, uint32_t c, struct ui_pointer *out)
{
	bool first = !s->begun;

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
	if (c < 0x20 || c >= 0x40)
		return SEQUENCE_UNKNOWN;
	if (s->mouse)
		number_take(s, c);
	return SEQUENCE_GOES_ON;
}
