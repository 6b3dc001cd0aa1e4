/*
 * icicle.h - nested phases as rows of bars, the flame graph of one domain hanging from its top.
 *
 * Row 0 holds the outermost spans, each row below the spans inside those above it; a bar's width is its share
 * of the time. Widths are whole cells: siblings and what their parent spent itself add up to the parent's
 * width exactly, by the method of the largest remainder.  Siblings stand in the order they are given.  Of
 * those below five cells, two or more are merged into one bar at the end, "+5 12%"; one alone keeps a cell of
 * its own.
 *
 * A *memory* of the picture before keeps a live icicle steady: as long as the bars of a parent are the same
 * and it is as wide, an end that would move by no more than a cell stays where it was.  That is calmer to look
 * at and sends less to the terminal.  The same tree drawn again gives the same picture.
 */
#ifndef UI_WIDGETS_ICICLE_H
#define UI_WIDGETS_ICICLE_H

#include <stdint.h>

#include "rtev/events.h"
#include "canvas/canvas.h"

#define ICICLE_ROWS_MAX 1024   /* rows below count as outside the area */
#define ICICLE_SIBLINGS_MAX 96 /* further siblings count as their parent's own time */

/* One span of the tree.  A tree is an array in which a span stands before those inside it (preorder); depth
 * is 0 for the outermost and goes up by one from a span to those inside it. */
struct icicle_span {
	const char *label;
	uint64_t value; /* time, that of the spans inside included */
	enum rtev_phase_class class;
	unsigned depth;
};

/* One bar.  `span` is its index, or that of the first of `merged` siblings; -1 for the rest of row 0. */
struct icicle_segment {
	int row, col, cols;
	int span, merged;
	uint64_t value;
	int skip; /* bytes at the label's start: words that the label of a span around it has too */
};

#define ICICLE_PLACES_MAX 256 /* bars that are remembered */

/* Where a bar stood, in preorder. */
struct icicle_place {
	uint64_t name;	    /* of its label */
	int row, cols, end; /* its end is counted from its parent's begin */
};

struct icicle_picture {
	int cols, count;
	struct icicle_place places[ICICLE_PLACES_MAX];
};

/* Begin with all zeros. */
struct icicle_memory {
	struct icicle_picture pictures[2];
	unsigned last; /* the one that is the picture before */
};

/* Rows that have a bar in the picture that was drawn last, below the area too. */
int icicle_rows(const struct icicle_memory *memory);

/*
 * Work out the bars in an area of rows x cols, row by row from the left within each parent.  `total` is what
 * the full width stands for, at least the sum of the outermost spans; 0 for that sum.  `memory` may be NULL.
 * Returns how many bars there are, at most `capacity`.
 */
int icicle_layout(const struct icicle_span *spans, int count, uint64_t total, struct icicle_memory *memory,
    int rows, int cols, struct icicle_segment *segments, int capacity);

/* Draw the tree.  `rest` names what is left of the full width in row 0 (the program's own time); NULL leaves
 * it blank. */
void icicle_draw(struct canvas *canvas, struct rect area, const struct icicle_span *spans, int count,
    uint64_t total, const char *rest, struct icicle_memory *memory);

#endif
