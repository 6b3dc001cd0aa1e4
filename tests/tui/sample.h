/*
 * sample.h - a sheet of made-up data that uses every drawing primitive, for goldens and the terminal tests.
 */
#pragma once

#include "canvas/canvas.h"

/* Draw a sheet with every plot, table and theme sample. */
void sample_sheet(struct canvas *canvas);
