/*
 * sequence.h - what follows Esc [ in the input: a control sequence, of which only reports of the mouse mean something.
 *
 * A sequence may come in parts, be broken, or never end; none of its characters is a key.  A report of the mouse is
 * "<BUTTON;COLUMN;ROW" and M, or m for a release (SGR, DEC private mode 1006).  The older form, M and three characters
 * that may be anything, is read over.
 */
#ifndef TTY_SEQUENCE_H
#define TTY_SEQUENCE_H

#include <stdbool.h>

#include "canvas/keys.h"

/* A sequence so far; zeros at its begin. */
struct sequence {
	bool begun, mouse, broken;
	int raw; /* characters that still belong to a report of the older form */
	int fields, digits;
	uint32_t numbers[3];
};

enum sequence_state {
	SEQUENCE_GOES_ON,
	SEQUENCE_UNKNOWN, /* its end: a key that means nothing here */
	SEQUENCE_IGNORED, /* its end: a report that means nothing, or is broken */
	SEQUENCE_MOUSE,	  /* its end: a report */
	SEQUENCE_ESCAPE	  /* it broke off; the character begins another */
};

/* Take the next character.  Fills in *out, whose place may be outside the screen, for SEQUENCE_MOUSE. */
enum sequence_state sequence_take(struct sequence *sequence, uint32_t character, struct ui_pointer *out);

#endif
