/*
 * sample.h - a screen of made-up data that uses every drawing primitive: for goldens, for the terminal tests
 * and for looking at.
 */
#ifndef SAMPLE_H
#define SAMPLE_H

#include "canvas/canvas.h"

/* Draw header, panes and footer over a whole canvas.  zoomed is a pane or -1. */
void sample_screen(struct canvas *canvas, int domains, int zoomed);

/* Draw a sheet with every plot, table and theme sample. */
void sample_sheet(struct canvas *canvas);

#endif
