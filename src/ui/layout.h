/*
 * layout.h - the layout of the panes view.
 *
 * The screen consists of a header of one to four lines, a line of tabs where there is room, a body, and a footer
 * line.  The body holds a grid of *panes*, one for each domain shown.  A pane has a title and up to four *sections*:
 * levels (the collector's shares, all or none), bars (rows of the phase icicle), alloc (allocation rates and
 * histogram), user (one row per user event).  A pane *wishes* for a number of rows in each section; the solver grants
 * what fits.
 *
 * Header and footer by screen size:
 *      rows    header  footer
 *      20..      4       1
 *      14..19    3       1
 *       9..13    2       1
 *       8        1       1
 *       5..7     1       0
 *   fewer than 5 rows or 20 columns: too small; only a message can be shown.
 * Tabs, if there are any: from 22 rows on, and from 16 rows on if there are 100 columns.
 *
 * If not all wishes fit, the solver gives things up in *stages*. Each stage includes those before it:
 *      stage   given up
 *        0     nothing
 *        1     user events beyond 6
 *        2     bars beyond 4 rows
 *        3     user events beyond 4
 *        4     user events beyond 3, bars beyond 3
 *        5     the box (a title rule remains)
 *        6     bars beyond 2, user events beyond 2
 *        7     bars beyond 1, alloc beyond 1 row
 *        8     alloc
 *        9     user events beyond 1
 *       10     user events
 *       11     levels
 *       12     bars: the title alone remains
 * The solver chooses the number of columns with the earliest stage, up to stage 7, at which all panes are visible; of
 * equal ones it takes the most columns, and panes below the comfortable width only as a last choice.  If there is no
 * such stage, it shows as many panes as fit, and the grid scrolls by whole rows of panes.  Stages above 7 are used only if the
 * body cannot hold one row of panes otherwise.
 *
 * Spare rows go, one at a time, to sections whose wishes are not met: bars up to 2, alloc up to its least height, bars,
 * user, alloc up to its maximum.  Rows still spare go to *extras*, in the order of LAYOUT_EXTRAS: each
 * extra of a tier gets its least height, then the extras of that tier grow to their wishes, one row at a
 * time; after the last tier all grow to their maximum.  If an extra has no maximum, no row stays blank.
 * If the spare rows suffice for no extra, each visible pane gets a timeline without a scale.
 *
 * All panes have one size.  The *rest* is the area that the last row of panes leaves free beside it.  If that row is
 * full and all panes are visible, the rest consists of rows below them: as many as `rest` wishes and the first tier of
 * extras leaves.
 *
 * In a pane of at least LAYOUT_SIDE_FROM columns, side extras stand in a column of their own at the right,
 * below bars and timeline.
 *
 * The solver does arithmetic only: no drawing, no allocation, no state.  Rectangles lie inside the screen,
 * do not overlap and have no negative sizes.
 */
#pragma once

#include "canvas/canvas.h"

#define LAYOUT_PANES_MAX 256 /* visible at one time */
#define LAYOUT_ROWS_LEAST 5
#define LAYOUT_COLS_LEAST 20
#define LAYOUT_PANE_COLS_LEAST 38	/* narrower panes are not placed side by side */
#define LAYOUT_PANE_COLS_COMFORTABLE 58 /* width at which a pane's lines are readable */
#define LAYOUT_SIDE_FROM 150		/* least inner width of a pane with a side column */

/*
 * X(NAME, tier, column in a wide pane): the extras in the order in which they get spare rows.  In a narrow
 * pane FACTS and FIBERS stand above the bars, TIMELINE below them, and the others below the user events.
 */
/* clang-format off */
#define LAYOUT_EXTRAS(X)                                                                                     \
	X(LAYOUT_FACTS,        1, MAIN) /* figures of the domain */                                                 \
	X(LAYOUT_FIBERS,       1, MAIN) /* the domain's event loop and fibers */                                    \
	X(LAYOUT_TIMELINE,     1, MAIN) /* the window from left to right, under the merged bars */                  \
	X(LAYOUT_HEAP,         2, MAIN) /* strips over the last minutes */                                          \
	X(LAYOUT_RATE,         2, MAIN) /* allocation */                                                            \
	X(LAYOUT_PAUSES,       2, MAIN) /* the longest pauses */                                                    \
	X(LAYOUT_WORST,        2, SIDE) /* the longest pauses, one by one */                                        \
	X(LAYOUT_DISTRIBUTION, 3, SIDE) /* how long all of them took */                                             \
	X(LAYOUT_PHASES,       3, SIDE) /* the phases of the domain */
/* clang-format on */

enum layout_extra_name { LAYOUT_EXTRAS(LIST_NAME) LAYOUT_EXTRA_COUNT };

/* Rows an extra needs, wishes for and can use. least 0: the extra has nothing to show. */
struct layout_extra {
	int least, wish, most;
};

#define LAYOUT_MOST 1000 /* no maximum */

struct layout_wish {
	int levels;		     /* rows of shares */
	int bars;		     /* rows of nested phases */
	int alloc_least, alloc_most; /* rows alloc needs and can use; 0: none */
	int user;		     /* user events */
	struct layout_extra extras[LAYOUT_EXTRA_COUNT];
};

struct layout_request {
	int rows, cols;
	bool tabs;
	int panes;
	const struct layout_wish *wishes; /* one for each pane */
	int first;			  /* the pane the user scrolled to */
	int keep;			  /* a pane that must be visible (the selected one), or -1 */
	int zoomed;			  /* the pane that fills the body, or -1 */
	struct layout_extra rest;	  /* rows for the area that panes leave free */
};

struct layout_pane {
	int pane;			       /* index of the pane */
	struct rect frame;		       /* all of it, title and border included */
	struct rect title;		       /* its first row, from corner to corner */
	struct rect levels, bars, alloc, user; /* inside the frame; empty when left out */
	struct rect extras[LAYOUT_EXTRA_COUNT];
	bool boxed;
};

struct layout {
	bool too_small;
	struct rect header, tabs, body, footer;
	struct rect rest; /* empty: the panes leave no area free */
	int stage;	  /* 0 to 13 */
	int grid_cols;	  /* panes side by side */
	int grid_rows;	  /* rows of panes there are */
	int first_row;	  /* the first row of panes seen */
	int seen_rows;	  /* visible rows of panes */
	int seen;	  /* visible panes: pane[0..seen-1], in order */
	struct layout_pane pane[LAYOUT_PANES_MAX];
};

/* Return the rows of header and tabs (if there are any) for a screen size. */
int layout_top_rows(int rows, int cols, bool tabs);

/* Solve the request.  Numbers out of range are clamped. */
void layout_solve(const struct layout_request *request, struct layout *out);

/* ---- pages ---- */

/*
 * A page is a list of sections from top to bottom.  Sections of a tier get their least rows as far as there
 * is room, then grow to their wishes one row at a time; then the next tier follows.  A section may wait with
 * its wish for a later tier.  Rows that remain go to sections that can use them, up to their maximum.  So the
 * sections of the highest tier are left out first.
 */
#define LAYOUT_PAGE_TIERS 4
#define LAYOUT_SECTIONS_MAX 16

struct layout_section {
	int tier, grows;       /* tier, from 1 on; tier of its wish (0: its own) */
	int least, wish, most; /* rows; least 0: it has nothing to show */
	void (*draw)(void *page, struct canvas *canvas, struct rect area);
};

/* Draw the sections of a page that fit into a body. */
void layout_page(
    void *page, const struct layout_section *sections, int count, struct canvas *canvas, struct rect body);
