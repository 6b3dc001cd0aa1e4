/*
 * words.h - running text, wrapped at blanks.
 */
#ifndef UI_WIDGETS_WORDS_H
#define UI_WIDGETS_WORDS_H

#include "canvas/canvas.h"

/* Draw a text at the top of an area behind a label of `label_cols` columns, and cut the lines it takes off
 * the area.  A word longer than a line is shortened in its middle; what does not fit into the area is left
 * out. */
void words_draw(struct canvas *canvas, struct rect *area, const char *label, int label_cols, enum style style,
    const char *text);

#endif
