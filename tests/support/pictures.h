/*
 * pictures.h - screens that a test makes by keys: each is held against its goldens, and at every size and
 * level of glyphs against what is true of all screens.
 */
#pragma once

#include "support/ui_story.h"

/* The sizes that a picture has a golden at, and what is not true of it. */
enum picture_trait {
	PICTURE_80x24 = 1,
	PICTURE_120x40 = 2, /* with its styles; that is what 0 stands for */
	PICTURE_200x60 = 4,
	PICTURE_TWICE = PICTURE_80x24 | PICTURE_120x40,
	PICTURE_BY_WIDTH = 8 /* its numbers are of a time that goes with the width */
};

struct picture_set {
	int count;
	const char *(*name)(int picture);
	unsigned (*traits)(int picture);
	struct stage *(*open)(int picture, int rows, int cols); /* all keys have been pressed */
	void (*close)(struct stage *stage);
};

/* Compare the goldens, whose names are "view_", the picture's name and its size. */
void pictures_check_goldens(const struct picture_set *set);

/* From 1x1 to 1000x500 every screen is sound, names its program, offers its keys where there is room, stays as
 * it is when it is drawn again, and has no number that one with more room has not. */
void pictures_check_sizes(const struct picture_set *set);

/* In ASCII the screens say the same; with lines, and without colour, they are sound. */
void pictures_check_looks(const struct picture_set *set);

/* All of these. */
void pictures_check(const struct picture_set *set);
