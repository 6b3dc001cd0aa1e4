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
 * Rows that remain go, one at a time, to sections whose wishes are not yet met: bars, alloc up to its least
 * height, user, alloc up to its most.  What is left then takes *extras*, in the order of LAYOUT_EXTRAS: first each
 * of a tier gets its least height, then they grow to what they wish for, one row at a time; after the last tier they
 * grow to their most.  So where an extra can grow without end no row stays blank.  Rows that are too few for any extra go
 * to the timelines of all panes seen, which then have no scale.
 *
 * In a pane of LAYOUT_SIDE_FROM columns or more the extras of the side stand to the right of all that is below the
 * bars and the timeline.
 *
 * All is arithmetic: no drawing, no allocation, no state.  Rectangles lie inside the screen, never overlap
 * and never have negative sizes.
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
#define LAYOUT_PANE_COLS_ROOMY                                                                               \
	90		     /* from here on they stand side by side where they also fit below each other */
#define LAYOUT_SIDE_FROM 150 /* columns inside a pane that has room for a side */

/*
 * X(NAME, tier, where it stands in a wide pane): what spare rows are given to, in this order.  In a narrow pane FACTS stand
 * above the bars, TIMELINE below them, the others below the user events.
 */
/* clang-format off */
#define LAYOUT_EXTRAS(X)                                                                                     \
	X(FACTS,        1, MAIN) /* figures of the domain */                                                 \
	X(TIMELINE,     1, MAIN) /* the window from left to right, under the merged bars */                  \
	X(HEAP,         1, MAIN) /* strips over the last minutes */                                          \
	X(RATE,         1, MAIN) /* allocation */                                                            \
	X(PAUSES,       1, MAIN) /* the longest pauses */                                                    \
	X(WORST,        1, SIDE) /* the longest pauses, one by one */                                        \
	X(DISTRIBUTION, 2, SIDE) /* how long all of them took */                                             \
	X(PHASES,       2, SIDE) /* the phases of the domain */
/* clang-format on */

enum layout_extra_name {
#define LAYOUT_EXTRA_ENUM(name, tier, side) LAYOUT_##name,
	LAYOUT_EXTRAS(LAYOUT_EXTRA_ENUM)
#undef LAYOUT_EXTRA_ENUM
	    LAYOUT_EXTRA_COUNT
};

/* Rows that an extra needs, wishes for and can use at most; least 0: there is nothing to show. */
struct layout_extra {
	int least, wish, most;
};

#define LAYOUT_MOST 1000 /* as many rows as there are */

struct layout_wish {
	int bars;		     /* rows of nested phases */
	int alloc_least, alloc_most; /* rows that alloc needs and can use; 0 for none */
	int user;		     /* user events */
	struct layout_extra extras[LAYOUT_EXTRA_COUNT];
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
	struct rect extras[LAYOUT_EXTRA_COUNT];
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

/* Rows of the header of a screen with so many. */
int layout_header_rows(int rows);

/* Solve.  Any numbers are legal; those out of range are cut to it. */
void layout_solve(const struct layout_request *request, struct layout *out);

#endif
