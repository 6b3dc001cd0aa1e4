/*
 * scales.h - screens without their scales, whose numbers say nothing of now and are other ones on another
 * width.
 */
#ifndef SUPPORT_SCALES_H
#define SUPPORT_SCALES_H

#include "canvas/canvas.h"

static inline void blank_scales(struct canvas *canvas)
{
	for (int row = 0; row < canvas_rows(canvas); row++)
		for (int col = 0; col < canvas_cols(canvas); col++)
			if (canvas_row(canvas, row)[col].style == STYLE_AXIS)
				canvas_fill(canvas, rect_make(row, col, 1, 1), STYLE_AXIS, 0);
}

#endif
