/*
 * icicle.h - nested spans as rows of bars: a flame graph growing downwards.
 *
 * Row 0 holds the outermost spans, each further row the spans inside those above.  A bar's width is its
 * share of the time, in whole cells: the widths of siblings and their parent's self time add up to the
 * parent's width, by the largest remainder method.  Siblings keep their order.  Two or more siblings
 * narrower than five cells are merged into one bar at the end, "+5 12%"; a single one gets at least one
 * cell.
 *
 * A *memory* of the previous picture keeps a live icicle steady: while a parent has the same width and the
 * same bars, an edge that would move by at most one cell stays.  This flickers less and sends less to the
 * terminal.  The same tree drawn again gives the same picture.
 */
#pragma once

#include "canvas/rect.h"

/* ---- apportion ---- */

/*
 * Divide `cells` among `count` parts in proportion to their values, by the largest remainder method: each
 * part gets its share rounded down, and the remaining cells go to the largest fractions, earlier parts
 * first.  The sum is exactly `cells`, or 0 if no value is above 0.  Values must be finite and not
 * negative.
 */
void share_cells(const double *values, int count, int cells, int *out);

/* ---- icicle ---- */

#define ICICLE_ROWS_MAX 1024   /* rows below are not laid out */
#define ICICLE_SIBLINGS_MAX 96 /* further siblings count as the parent's self time */

/* A span of the tree.  A tree is an array in preorder; depth is 0 for the outermost spans and increases by
 * one per level. */
struct icicle_span {
	const char *label;
	uint64_t value; /* time, including the spans inside */
	unsigned depth;
};

/* A bar.  `span` is the index of its span, or of the first of `merged` siblings; -1 for the rest of row 0. */
struct icicle_segment {
	int row, col, cols;
	int span, merged;
	uint64_t value;
};

#define ICICLE_PLACES_MAX 256 /* bars kept in a memory */

/* Position of a bar, in preorder. */
struct icicle_place {
	uint64_t name;	    /* hash of its label */
	int row, cols, end; /* `end` is relative to the parent's begin */
};

struct icicle_picture {
	int cols, count;
	struct icicle_place places[ICICLE_PLACES_MAX];
};

/* Must be zeroed at first. */
struct icicle_memory {
	struct icicle_picture pictures[2];
	unsigned last; /* index of the previous picture */
};

/*
 * Lay out the bars of an area of rows x cols, within each parent from the left.  `total` is the time of
 * the full width, at least the sum of the outermost spans; 0: that sum.  `memory` may be NULL. Returns the
 * number of bars, at most `capacity`.
 */
int icicle_layout(const struct icicle_span *spans, int count, uint64_t total, struct icicle_memory *memory,
    int rows, int cols, struct icicle_segment *segments, int capacity);
