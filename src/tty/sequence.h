/*
 * sequence.h - what follows Esc [ or Esc ] in the input: a control sequence or a string, of which only reports of the
 * mouse and answers to what we ask mean something.
 *
 * A sequence may come in parts, be broken, or never end; none of its characters is a key.  A report of the mouse is
 * "<BUTTON;COLUMN;ROW" and M, or m for a release (SGR, DEC private mode 1006).  The older form, M and three characters
 * that may be anything, is read over.  The answers are that to OSC 11, the colour of the ground ("11;rgb:RRRR/GGGG/BBBB"
 * in a string), to DECRQM 2026, synchronised output ("?2026;VALUE$y"), and the device attributes ("?...c").
 */
#pragma once

#include "canvas/keys.h"

#define SEQUENCE_TEXT 40

/* A sequence so far; zeros at its begin, but for `string`: it followed Esc ], and ends with BEL or Esc \. */
struct sequence {
	bool string, begun, mouse, broken, escaped;
	int raw; /* characters that still belong to a report of the older form */
	int fields, digits;
	uint32_t numbers[3];
	char text[SEQUENCE_TEXT]; /* of a string or an answer, with a NUL; longer ones are broken */
	unsigned len;
};

enum sequence_state {
	SEQUENCE_GOES_ON,
	SEQUENCE_UNKNOWN, /* its end: a key that means nothing here */
	SEQUENCE_IGNORED, /* its end: a report that means nothing, or is broken */
	SEQUENCE_MOUSE,	  /* its end: a report */
	SEQUENCE_DARK,	  /* its end: the ground is dark */
	SEQUENCE_LIGHT,	  /* its end: the ground is light */
	SEQUENCE_SYNC,	  /* its end: the terminal has synchronised output */
	SEQUENCE_LAST,	  /* its end: device attributes, which every terminal tells */
	SEQUENCE_ESCAPE	  /* it broke off; the character begins another */
};

/* Take the next character.  Fills in *out, whose place may be outside the screen, for SEQUENCE_MOUSE. */
enum sequence_state sequence_take(struct sequence *sequence, uint32_t character, struct ui_pointer *out);
