/*
 * bars.h - the phase bars of one domain: nested boxes of a stretch of time, merged by stack path, whose width is their
 * share of it.
 *
 * The full width is the time in pauses or, on the wall clock scale, the whole stretch, the rest being the program's own
 * time; waits that are no pauses have a box on that scale alone.  Paused and lost time is neither: it is a box at the right
 * on the wall clock scale, else a narrow mark.  Where the pauses are less than BARS_DIM of the time, their boxes are dim:
 * the width tells nothing of how much they are.
 *
 * Siblings stand in the order of the phase table.  Those with less than a cell are one grey box at the end of the others.
 * A memory keeps the places of the boxes from one drawing to the next.  All boxes are laid out anew together, after they
 * have stood for BARS_STAND_NS: by the present shares, if an edge was off by more than an eighth of the width for
 * BARS_FAR_NS; or by the mean shares of the last seconds, if an edge is off from these by more than a cell.  Dim boxes
 * stand twice as long and are always laid out by the mean.  Figures are always the present ones.  A box whose phase is
 * gone keeps its cells, empty.  A new box gets cells at the next layout, which comes at once if no box with cells has any
 * time.  Time is that of the stretch, so a stretch that is drawn again looks the same.
 *
 * A box has the longest of its phase's names that fits with its share, else without.  The name depends on the width alone,
 * so it stays as long as the width does.  bars_legend names the boxes that have no room for a name.
 */
#pragma once

#include "canvas/canvas.h"
#include "figures/figures.h"
#include "watch/flame.h"

#define BARS_DIM 0.01
#define BARS_MAX 256 /* further boxes count as time of their parents */
#define BARS_FAR_NS 2000000000u
#define BARS_STAND_NS 12000000000u

struct bars_box {
	uint32_t phase; /* a phase, or other contents of row 0 */
	unsigned depth;
	int col, cols;		   /* 0: less than a cell, or not placed yet */
	int other_col, other_cols; /* for its contents with less than a cell each */
	double share, mean;	   /* of the full width: now, and on average */
};

/* Must be zeroed at first. */
struct bars_memory {
	int cols, count, rows;
	bool wall_scale, dim;
	uint64_t at, laid,
	    far; /* end of the last period; time of the last layout; since when an edge is far off */
	int other_col, other_cols; /* in row 0 */
	struct bars_box boxes[BARS_MAX];
};

/* Draw the bars.  `memory` may be NULL. */
void bars_draw(struct canvas *canvas, struct rect area, const struct flame_view *flame, bool wall_scale,
    struct bars_memory *memory);

/* Name the phases whose boxes in the first `rows` rows have no word in a line, the border below the bars,
 * each with its share, as many as fit; and at its right the base of shares. */
void bars_legend(struct canvas *canvas, struct rect line, const struct bars_memory *memory, int rows);

/* Return the collector's shares of the observed part of the period. */
struct figure_gc bars_gc(const struct flame_view *flame);

/* Return the share of it spent in waits that are not pauses; NAN: nothing was observed. */
double bars_idle(const struct flame_view *flame);
