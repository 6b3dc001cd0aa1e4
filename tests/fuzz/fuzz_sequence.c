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
	if (s->fields > 2 || s->raw < 0 || s->len >= SEQUENCE_TEXT || s->text[s->len] != '\0')
		abort();
	if (state != SEQUENCE_GOES_ON)
		*s = (struct sequence){0};
}

/* Begin a sequence anew with a text. */
static void take_all(struct sequence *s, const char *text)
{
	if (s->begun || s->len > 0 || s->escaped)
		return;
	s->string = text[0] != '?';
	for (; *text != '\0'; text++)
		take(s, (unsigned char)*text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sequence plain = {0}, reports = {0}, strings = {.string = true}, answers = {0};

	for (size_t i = 0; i < size; i++) {
		static const char letters[] = "0123456789;;<Mm";
		take(&plain, data[i]);
		if (!reports.begun)
			take(&reports, '<');
		take(&reports, (uint8_t)letters[data[i] % (sizeof(letters) - 1)]);
		static const char colours[] = "1;rgb:/0fA\033\\\a[]";
		take_all(&strings, "11;rgb:");
		take(&strings, (uint8_t)colours[data[i] % (sizeof(colours) - 1)]);
		take_all(&answers, "?2026;");
		take(&answers, (uint8_t) "0123$ycq;"[data[i] % 9]);
	}
	return 0;
}
