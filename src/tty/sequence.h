/*
 * sequence.h - parse what follows Esc [ or Esc ] in the input: a control sequence or a string.  Only mouse
 * reports and answers to our questions have a meaning here.
 *
 * A sequence may come in parts, be broken, or never end; none of its characters is a key.  A mouse report is
 * "<BUTTON;COLUMN;ROW" and M, or m for a release (SGR, DEC private mode 1006).  The older form, M and any
 * three characters, is skipped.  Answers are those to OSC 11, the background colour ("11;rgb:RRRR/GGGG/BBBB"
 * in a string), to DECRQM 2026, synchronised output ("?2026;VALUE$y"), and the device attributes ("?...c").
 */
#pragma once

#include "canvas/keys.h"

#define SEQUENCE_TEXT 40

/* The sequence so far.  It begins as all zeros, except `string`: it followed Esc ], and ends with BEL or Esc
 * \. */
struct sequence {
	bool string, begun, mouse, broken, escaped;
	int raw; /* characters still to come of a report in the older form */
	int fields, digits;
	uint32_t numbers[3];
	char text[SEQUENCE_TEXT]; /* text of a string or an answer, with a NUL; longer ones are broken */
	unsigned len;
};

enum sequence_state {
	SEQUENCE_GOES_ON,
	SEQUENCE_UNKNOWN, /* end: a key without a meaning here */
	SEQUENCE_IGNORED, /* end: a broken or meaningless report */
	SEQUENCE_MOUSE,	  /* end: a mouse report */
	SEQUENCE_DARK,	  /* end: the background is dark */
	SEQUENCE_LIGHT,	  /* end: the background is light */
	SEQUENCE_SYNC,	  /* end: the terminal has synchronised output */
	SEQUENCE_LAST,	  /* end: device attributes, which every terminal reports */
	SEQUENCE_ESCAPE	  /* broken off; the character begins another sequence */
};

/* Take the next character.  For SEQUENCE_MOUSE fills in *out, whose cell may be outside the screen. */
enum sequence_state sequence_take(struct sequence *sequence, uint32_t character, struct ui_pointer *out);
