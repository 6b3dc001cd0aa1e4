/*
 * test_layout.c - the solver's promises over all sizes and numbers of domains.
 */
#include "support/test.h"

#include <limits.h>

#include "ui/layout.h"

enum { MOST_PANES = 128 };

static struct layout_wish wishes[MOST_PANES];
static struct layout layout;

/* Tell whether a rectangle lies in another; empty ones too, so that nobody draws outside by a wrong
 * corner. */
static bool inside(struct rect r, struct rect of)
{
	return r.rows >= 0 && r.cols >= 0 && r.row >= of.row && r.col >= of.col &&
	       r.row + r.rows <= of.row + of.rows && r.col + r.cols <= of.col + of.cols;
}

#define EXPECT(condition)                                                                                    \
	do {                                                                                                 \
		if (!(condition))                                                                            \
			TEST_FAIL("%dx%d, %d panes, first %d, keep %d, zoomed %d: %s", request->rows,        \
			    request->cols, request->panes, request->first, request->keep, request->zoomed,   \
			    #condition);                                                                     \
	} while (0)

/* Check one pane for itself. */
static void check_pane(const struct layout_request *request, const struct layout_pane *p)
{
	EXPECT(p->pane >= 0 && p->pane < request->panes);
	EXPECT(inside(p->frame, layout.body));
	EXPECT(!rect_empty(p->frame) && p->title.rows == 1 && p->title.cols == p->frame.cols);
	EXPECT(inside(p->title, p->frame) && inside(p->bars, p->frame));
	EXPECT(inside(p->alloc, p->frame) && inside(p->user, p->frame));
	EXPECT(p->title.row == p->frame.row);
	EXPECT(p->bars.row >= p->title.row + 1 && p->alloc.row >= p->bars.row + p->bars.rows);
	EXPECT(p->user.row >= p->alloc.row + p->alloc.rows);
	if (p->boxed) {
		EXPECT(p->user.row + p->user.rows < p->frame.row + p->frame.rows);
		EXPECT(
		    p->bars.col > p->frame.col && p->bars.col + p->bars.cols < p->frame.col + p->frame.cols);
	}
	for (int e = 0; e < LAYOUT_EXTRA_COUNT; e++)
		EXPECT(inside(p->extras[e], p->frame));
}

/* Take the cells of a rectangle: no other one may have them. */
static void take(const struct layout_request *request, struct rect r, unsigned char *taken)
{
	for (int row = r.row; row < r.row + r.rows; row++)
		for (int col = r.col; col < r.col + r.cols; col++)
			EXPECT(taken[row * 301 + col]++ == 0);
}

/* No cell belongs to two sections; where a section may grow without end, each row below the title has one. */
static void check_sections(const struct layout_request *request, const struct layout_pane *p)
{
	static unsigned char taken[100 * 301];
	bool endless = false;

	memset(taken, 0, sizeof(taken));
	take(request, p->title, taken);
	take(request, p->levels, taken);
	take(request, p->bars, taken);
	take(request, p->alloc, taken);
	take(request, p->user, taken);
	for (int e = 0; e < LAYOUT_EXTRA_COUNT; e++) {
		take(request, p->extras[e], taken);
		endless = endless ||
			  (request->wishes[p->pane].extras[e].most == LAYOUT_MOST && p->extras[e].rows > 0);
	}
	for (int row = p->frame.row; row < p->frame.row + p->frame.rows - p->boxed; row++) {
		bool any = false;
		for (int col = p->frame.col; col < p->frame.col + p->frame.cols; col++)
			any = any || taken[row * 301 + col] != 0;
		EXPECT(any || !endless);
	}
}

/* The rows of the body below the last pane. */
static int rows_left(void)
{
	int end = layout.body.row;

	for (int i = 0; i < layout.seen; i++) {
		struct rect f = layout.pane[i].frame;
		end = f.row + f.rows > end ? f.row + f.rows : end;
	}
	end = layout.rest.row >= end ? layout.rest.row + layout.rest.rows : end;
	return layout.body.row + layout.body.rows - end;
}

/* Check everything that layout.h promises of one solution. */
static void check(const struct layout_request *request)
{
	struct rect screen = rect_make(0, 0, request->rows, request->cols);
	static unsigned char taken[100 * 301];
	layout_solve(request, &layout);
	EXPECT(layout.too_small == (request->rows < LAYOUT_ROWS_LEAST || request->cols < LAYOUT_COLS_LEAST));
	EXPECT(inside(layout.header, screen) && inside(layout.body, screen) && inside(layout.footer, screen));
	if (layout.too_small) {
		EXPECT(layout.seen == 0);
		return;
	}
	EXPECT(inside(layout.tabs, screen));
	EXPECT(
	    layout.header.rows + layout.tabs.rows + layout.body.rows + layout.footer.rows == request->rows);
	EXPECT(
	    layout.tabs.row == layout.header.rows && layout.body.row == layout.tabs.row + layout.tabs.rows);
	EXPECT(layout.tabs.rows ==
	       (request->tabs && (request->rows >= 22 || (request->rows >= 16 && request->cols >= 100))));
	EXPECT(layout.header.rows >= 1 && layout.body.rows >= 3);
	EXPECT(layout.seen >= (request->panes > 0) && layout.seen <= request->panes);
	for (int i = 0; i < layout.seen; i++) {
		check_pane(request, &layout.pane[i]);
		check_sections(request, &layout.pane[i]);
		EXPECT(i == 0 || layout.pane[i].pane == layout.pane[i - 1].pane + 1);
	}
	/* No cell belongs to two panes, nor to one and the rest; all panes have one size. */
	EXPECT(rect_empty(layout.rest) || inside(layout.rest, layout.body));
	memset(taken, 0, sizeof(taken));
	take(request, layout.rest, taken);
	for (int i = 0; i < layout.seen; i++) {
		take(request, layout.pane[i].frame, taken);
		EXPECT(layout.pane[i].frame.cols == layout.pane[0].frame.cols &&
		       layout.pane[i].frame.rows == layout.pane[0].frame.rows);
	}
	/* Where the last row has fewer panes, the rest is beside them. */
	const struct layout_pane *last = layout.seen > 0 ? &layout.pane[layout.seen - 1] : NULL;
	if (last != NULL && last->pane == request->panes - 1 && request->panes % layout.grid_cols != 0 &&
	    layout.grid_cols > 1)
		EXPECT(layout.rest.row == last->frame.row && layout.rest.rows == last->frame.rows &&
		       layout.rest.col >= last->frame.col + last->frame.cols &&
		       layout.rest.cols >= last->frame.cols);
	/* What can grow takes all rows that are left for all panes, once any of it has its least height. */
	bool grows = false;
	for (int i = 0; i < layout.seen; i++)
		for (int e = 0; e < LAYOUT_EXTRA_COUNT; e++)
			grows =
			    grows || (request->wishes[layout.pane[i].pane].extras[e].most == LAYOUT_MOST &&
					 layout.pane[i].extras[e].rows > 0);
	EXPECT(!grows || rows_left() < layout.seen_rows);
	bool keeps = request->zoomed < 0 && request->keep >= 0 && request->keep < request->panes;
	if (keeps)
		EXPECT(layout.pane[0].pane <= request->keep &&
		       request->keep <= layout.pane[layout.seen - 1].pane);
	if (request->zoomed >= 0 && request->zoomed < request->panes)
		EXPECT(layout.seen == 1 && layout.pane[0].pane == request->zoomed);
}

/* Make wishes that differ from pane to pane. */
static void make_wishes(int kind)
{
	for (int i = 0; i < MOST_PANES; i++) {
		int alloc = kind == 0 ? 2 : (i + kind) % 4;
		wishes[i] = (struct layout_wish){.levels = kind == 1 ? 0 : 3,
		    .bars = kind == 0 ? 4 : (i * kind) % 7,
		    .alloc_least = alloc,
		    .alloc_most = alloc * 3,
		    .user = kind == 0 ? 3
			    : i == 0  ? 12
				      : (i * 5) % (kind + 1)};
		/* The first kind has all that there may be, two of them without end. */
		for (int e = 0; e < LAYOUT_EXTRA_COUNT; e++)
			if (kind == 0 || (i + e * kind) % 3 == 0)
				wishes[i].extras[e] = (struct layout_extra){2 + e % 3, 4 + e % 5, 7 + e % 7};
		if (kind == 0)
			wishes[i].extras[LAYOUT_PAUSES].most = wishes[i].extras[LAYOUT_DISTRIBUTION].most =
			    LAYOUT_MOST;
	}
}

/* Every size from 1x1 to 100 rows and 300 columns, with numbers of panes, scroll positions and zooms that
 * vary. */
TEST(test_all_sizes)
{
	static const int panes[] = {0, 1, 2, 3, 4, 7, 8, 16, 31, 64, 128};
	unsigned turn = 0;
	long solved = 0;
	for (int kind = 0; kind < 3; kind++) {
		make_wishes(kind);
		for (int rows = 1; rows <= 100; rows++) {
			for (int cols = 1; cols <= 300; cols++) {
				turn = turn * 1664525u + 1013904223u;
				int n = panes[(turn >> 24) % (sizeof(panes) / sizeof(panes[0]))];
				struct layout_request request = {.rows = rows,
				    .cols = cols,
				    .tabs = turn % 3 != 0,
				    .panes = n,
				    .wishes = wishes,
				    .first = (int)(turn >> 16 & 127),
				    .keep = (int)(turn >> 8 & 255) - 100,
				    .zoomed = turn % 5 == 0 ? (int)(turn >> 12 & 127) : -1,
				    .rest = {(int)(turn >> 20 & 7), 9, 9}};
				check(&request);
				solved++;
			}
		}
	}
	printf("%ld layouts\n", solved);
}

/* Every number of panes at some sizes that people have. */
TEST(test_all_numbers)
{
	static const int sizes[][2] = {
	    {5, 20}, {8, 40}, {16, 60}, {24, 80}, {40, 120}, {60, 200}, {100, 300}};
	for (int kind = 0; kind < 3; kind++) {
		make_wishes(kind);
		for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
			for (int n = 0; n <= MOST_PANES; n++) {
				struct layout_request request = {.rows = sizes[i][0],
				    .cols = sizes[i][1],
				    .panes = n,
				    .wishes = wishes,
				    .first = n / 2,
				    .keep = n - 1,
				    .zoomed = -1};
				check(&request);
				request.keep = -1;
				check(&request);
			}
		}
	}
}

/* Numbers that make no sense are cut, not believed. */
TEST(test_nonsense)
{
	make_wishes(0);
	wishes[0] = (struct layout_wish){.bars = -5,
	    .alloc_least = INT_MAX,
	    .alloc_most = -3,
	    .user = INT_MAX,
	    .extras = {[LAYOUT_FACTS] = {INT_MAX, -1, -1}, [LAYOUT_WORST] = {-7, INT_MAX, INT_MAX}}};
	struct layout_request request = {.rows = INT_MAX,
	    .cols = INT_MAX,
	    .panes = MOST_PANES,
	    .wishes = wishes,
	    .first = INT_MAX,
	    .keep = INT_MIN,
	    .zoomed = INT_MAX};
	layout_solve(&request, &layout);
	CHECK(layout.seen > 0);
	request.rows = request.cols = INT_MIN;
	layout_solve(&request, &layout);
	CHECK(layout.too_small);
	request = (struct layout_request){
	    .rows = 24, .cols = 80, .panes = 5, .wishes = NULL, .keep = -1, .zoomed = -1};
	layout_solve(&request, &layout);
	CHECK_INT(layout.seen, 0);
	request = (struct layout_request){
	    .rows = 24, .cols = 80, .panes = -5, .wishes = wishes, .keep = -1, .zoomed = -1};
	layout_solve(&request, &layout);
	CHECK_INT(layout.seen, 0);
}

/* Solve for `panes` domains with the usual wishes. */
static void solve(int rows, int cols, int panes, int first)
{
	make_wishes(0);
	struct layout_request request = {.rows = rows,
	    .cols = cols,
	    .panes = panes,
	    .wishes = wishes,
	    .first = first,
	    .keep = -1,
	    .zoomed = -1,
	    .rest = {5, 9, 9}};
	check(&request);
}

/* On a screen of 24 lines the first domain has its title, bars and user events, however many there are. */
TEST(test_first_screen)
{
	for (int panes = 1; panes <= MOST_PANES; panes++) {
		solve(24, 80, panes, 0);
		CHECK_INT(layout.pane[0].pane, 0);
		CHECK(layout.pane[0].bars.rows >= 2);
		CHECK(layout.pane[0].user.rows >= 1);
		CHECK_INT(layout.header.rows, 4);
		CHECK_INT(layout.footer.rows, 1);
	}
	/* The smallest screen still shows bars of something. */
	solve(5, 20, 4, 0);
	CHECK(layout.seen >= 1 && layout.pane[0].bars.rows >= 1);
}

/* Common cases look as they are meant to. */
TEST(test_choices)
{
	solve(24, 80, 1, 0);
	CHECK(layout.grid_cols == 1 && layout.stage == 0 && layout.pane[0].boxed);
	solve(24, 80, 2, 0);
	CHECK(layout.grid_cols == 1 && layout.seen == 2);
	solve(24, 80, 4, 0);
	CHECK(layout.grid_cols == 2 && layout.seen == 4);
	solve(40, 120, 4, 0);
	CHECK(layout.grid_cols == 2 && layout.stage == 0 && layout.seen == 4);
	solve(40, 120, 8, 0);
	CHECK_INT(layout.seen, 8);
	/* Of three panes one leaves room beside it, two leave it below them. */
	solve(40, 120, 3, 0);
	CHECK(layout.grid_cols == 2 && layout.rest.col == 60 && layout.rest.cols == 60);
	solve(52, 120, 2, 0);
	CHECK(layout.grid_cols == 2 && layout.rest.rows == 9 && layout.rest.cols == 120);
	solve(24, 80, 128, 0);
	CHECK(layout.seen >= 4 && layout.seen < 128);
	CHECK(layout.grid_rows == 64 && layout.seen_rows == 2);
	/* A pane that fits without a row to spare keeps its frame. */
	static const struct layout_wish plain = {
	    .levels = 3, .bars = 4, .alloc_least = 2, .alloc_most = 5, .user = 3};
	wishes[0] = wishes[1] = plain;
	struct layout_request request = {
	    .rows = 17, .cols = 40, .panes = 2, .wishes = wishes, .keep = -1, .zoomed = -1};
	check(&request);
	CHECK(layout.seen == 1 && layout.pane[0].boxed && layout.pane[0].bars.rows == 3);
}

/* Scrolling reaches every pane, keeps the asked one in sight and leaves no room unused at the end. */
TEST(test_scrolling)
{
	for (int first = 0; first < MOST_PANES; first++) {
		solve(24, 80, MOST_PANES, first);
		int page = layout.seen_rows;
		CHECK(layout.first_row <= first / layout.grid_cols);
		CHECK(layout.first_row == first / layout.grid_cols ||
		      layout.first_row + page == layout.grid_rows);
	}
	CHECK_INT(layout.pane[layout.seen - 1].pane, MOST_PANES - 1);
	for (int keep = 0; keep < MOST_PANES; keep++) {
		make_wishes(2);
		struct layout_request request = {.rows = 30,
		    .cols = 100,
		    .panes = MOST_PANES,
		    .wishes = wishes,
		    .keep = keep,
		    .zoomed = -1};
		check(&request);
	}
}
