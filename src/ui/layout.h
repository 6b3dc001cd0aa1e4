/*
 * layout.h - where everything stands on the screen of the panes view.
 *
 * The screen is a header of one to three lines, a body, and a footer line.  The body holds a grid of *panes*,
 * one for each domain shown.  A pane has a title, and below it up to three *sections*: bars (the rows of the
 * phase icicle), alloc (the rates of allocation, and their histogram), user (one row for each user event).  A
 * pane *wishes* for rows in each section; the solver gives what fits.
 *
 * Header, footer and the rest by the size of the screen:
 *      rows    header  footer
 *      30..      3       1
 *      16..29    2       1
 *       8..15    1       1
 *       5..7     1       0
 *   fewer than 5 rows or 20 columns: too small; only a message can be shown.
 *
 * Panes by what the body can hold.  Each *stage* keeps all that the stage before it left and gives up one
 * thing more:
 *      stage   given up
 *        0     nothing
 *        1     user events beyond 6
 *        2     bars beyond 4 rows
 *        3     user events beyond 4
 *        4     user events beyond 3, bars beyond 3
 *        5     the box (a title rule remains)
 *        6     alloc beyond 1 row
 *        7     user events beyond 2
 *        8     alloc
 *        9     bars beyond 2
 *       10     user events beyond 1
 *       11     bars beyond 1
 *       12     user events
 *       13     bars: the title alone remains
 * The solver takes the number of columns and the earliest stage, up to stage 7, at which all panes can be seen;
 * panes narrower than is comfortable count as five stages.  If there is none, it shows as many as it can and the
 * grid scrolls, by whole rows of panes.  Stages beyond 7 are for bodies that cannot hold one row of panes
 * otherwise.
 *
 * All is arithmetic: no drawing, no allocation, no state.  Rectangles lie inside the screen, never overlap
 * and never have negative sizes.  Rows that remain go, one at a time, to sections whose wishes are not yet
 * met: bars, alloc up to its least height, user, alloc up to its most.
 */
#ifndef UI_LAYOUT_H
#define UI_LAYOUT_H

#include <stdbool.h>

#include "canvas/rect.h"

#define LAYOUT_PANES_MAX 256 /* seen at one time */
#define LAYOUT_ROWS_LEAST 5
#define LAYOUT_COLS_LEAST 20
#define LAYOUT_PANE_COLS_LEAST 38	/* below this, panes do not stand side by side */
#define LAYOUT_PANE_COLS_COMFORTABLE 56 /* from here on a pane's lines read well */

struct layout_wish {
	int bars;		     /* rows of nested phases */
	int alloc_least, alloc_most; /* rows that alloc needs and can use; 0 for none */
	int user;		     /* user events */
};

struct layout_request {
	int rows, cols;
	int panes;
	const struct layout_wish *wishes; /* one for each pane */
	int first;			  /* the pane that the user has scrolled to */
	int keep;			  /* a pane that must be seen (the selected one), or -1 */
	int zoomed;			  /* the pane that fills the body, or -1 */
};

struct layout_pane {
	int pane;		       /* which one */
	struct rect frame;	       /* all of it, title and border included */
	struct rect title;	       /* its first row, from corner to corner */
	struct rect bars, alloc, user; /* inside the frame; empty when left out */
	bool boxed;
};

struct layout {
	bool too_small;
	struct rect header, body, footer;
	int stage;     /* 0 to 13 */
	int grid_cols; /* panes side by side */
	int grid_rows; /* rows of panes there are */
	int first_row; /* the first row of panes seen */
	int seen_rows; /* how many are seen */
	int seen;      /* panes seen; pane[0..seen-1], in order */
	struct layout_pane pane[LAYOUT_PANES_MAX];
};

/* Solve.  Any numbers are legal; those out of range are cut to it. */
void layout_solve(const struct layout_request *request, struct layout *out);

#endif
