/*
 * fuzz_sequence.c - any characters as control sequences of the input.
 */
#include <stddef.h>
#include <stdlib.h>

#include "tty/sequence.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Take a character.  A report has a button and a place, and its end is the letter that ends it. */
static void take(struct sequence *s, uint32_t c)
{
	struct ui_pointer at = {.kind = UI_POINTER_WHEEL_DOWN, .row = -2, .col = -2};
	enum sequence_state state = sequence_take(s, c, &at);

	if ((state == SEQUENCE_MOUSE) != (at.row >= -1 && at.col >= -1))
		abort();
	if (state == SEQUENCE_MOUSE &&
	    (at.kind > UI_POINTER_WHEEL_DOWN || (c != 'M' && c != 'm') || s->broken || !s->mouse))
		abort();
	if (s->fields > 2 || s->raw < 0)
		abort();
	if (state != SEQUENCE_GOES_ON)
		*s = (struct sequence){0};
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sequence plain = {0}, reports = {0};

	for (size_t i = 0; i < size; i++) {
		static const char letters[] = "0123456789;;<Mm";
		take(&plain, data[i]);
		if (!reports.begun)
			take(&reports, '<');
		take(&reports, (uint8_t)letters[data[i] % (sizeof(letters) - 1)]);
	}
	return 0;
}
