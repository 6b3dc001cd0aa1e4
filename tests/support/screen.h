/*
 * screen.h - what is true of every screen, and the numbers that stand on one.
 */
#pragma once

#include "canvas/canvas.h"

#define SCREEN_NUMBERS_MAX 4096
#define SCREEN_NUMBER 40

/* Fail unless every cell holds a style and a character that a terminal may be sent, at the canvas's level, and
 * no wide character is cut in half. */
void screen_check(const struct canvas *canvas);

/* Fail if a share is above 100 %. */
void screen_check_shares(const struct canvas *canvas);

/* Whether two canvases have the same size and cells. */
bool screen_same(const struct canvas *a, const struct canvas *b);

/* Fail unless a screen at the level ASCII is what the one at BLOCKS is: the same text in the same cells, and
 * for a glyph its character of ASCII. */
void screen_check_ascii(const struct canvas *blocks, const struct canvas *ascii);

/* Blank the scales, the bars that stand for several spans, and keys: their numbers differ with the width, or are
 * none. */
void screen_blank_by_width(struct canvas *canvas);

/* The numbers of a screen: what begins as one and stands between blanks, borders and bars, each once. */
struct screen_numbers {
	char word[SCREEN_NUMBERS_MAX][SCREEN_NUMBER];
	int count;
};

/* Add the numbers of a screen. */
void screen_numbers(const struct canvas *canvas, struct screen_numbers *out);
bool screen_has_number(const struct screen_numbers *numbers, const char *word);
