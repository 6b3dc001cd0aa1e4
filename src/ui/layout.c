/*
 * layout.c - the layout solver.
 *
 * The solver tries each number of columns with each stage, cheapest first, and places the panes of the
 * best fit.  All panes have the height of the most demanding one, so sections line up.
 */
#include "ui/layout.h"

#define STAGES 13
#define STAGE_FIT_LAST 7 /* last stage used to make all panes visible */
#define NARROW_COST 8	 /* cost of a narrow pane, in stages */
#define BOX_COLS_LEAST 30
#define BARS_FIRST 2 /* rows of bars that take precedence over alloc */
#define MANY LAYOUT_MOST
#define SIDE_PART 5 /* the side column takes 2/SIDE_PART of a wide pane */
#define TIERS 3

/* Limits on the wishes at each stage. */
static const struct stage {
	int bars, alloc, user, levels;
	bool boxed;
} stages[STAGES] = {
    {MANY, MANY, MANY, MANY, true},
    {MANY, MANY, 6, MANY, true},
    {4, MANY, 6, MANY, true},
    {4, MANY, 4, MANY, true},
    {3, MANY, 3, MANY, true},
    {3, MANY, 3, MANY, false},
    {2, MANY, 2, MANY, false},
    {1, 1, 2, MANY, false},
    {1, 0, 2, MANY, false},
    {1, 0, 1, MANY, false},
    {1, 0, 0, MANY, false},
    {1, 0, 0, 0, false},
    {0, 0, 0, 0, false},
};

/* The extras, from LAYOUT_EXTRAS. */
enum { MAIN, SIDE };

static const struct extra {
	int tier, place;
} extras[LAYOUT_EXTRA_COUNT] = {LAYOUT_EXTRAS(LIST_ROW)};

/* The heights granted to each pane. */
struct heights {
	int levels, bars, alloc, user, frame;
	int extras[LAYOUT_EXTRA_COUNT];
	bool wide; /* has a side column */
};

/* A candidate arrangement. */
struct plan {
	const struct layout_request *request;
	int stage, columns, pane_cols;
	int rows; /* rows of panes */
	bool boxed;
	struct heights heights;
};

static int least(int a, int b)
{
	return a < b ? a : b;
}

static int most(int a, int b)
{
	return a > b ? a : b;
}

/* Return a pane's wish, clamped. */
static struct layout_wish wish_of(const struct layout_request *request, int pane)
{
	struct layout_wish w = request->wishes[pane];
	w.levels = least(most(w.levels, 0), MANY);
	w.bars = least(most(w.bars, 0), MANY);
	w.alloc_least = least(most(w.alloc_least, 0), MANY);
	w.alloc_most = least(most(w.alloc_most, w.alloc_least), MANY);
	w.user = least(most(w.user, 0), MANY);
	for (int e = 0; e < LAYOUT_EXTRA_COUNT; e++) {
		struct layout_extra *extra = &w.extras[e];
		extra->least = least(most(extra->least, 0), MANY);
		extra->wish = extra->least == 0 ? 0 : least(most(extra->wish, extra->least), MANY);
		extra->most = extra->least == 0 ? 0 : least(most(extra->most, extra->wish), MANY);
	}
	return w;
}

/* Return the maximum of each wish over all panes. */
static struct layout_wish wish_of_all(const struct layout_request *request)
{
	struct layout_wish wish = {0};
	for (int pane = 0; pane < request->panes; pane++) {
		struct layout_wish w = wish_of(request, pane);
		wish.levels = most(wish.levels, w.levels);
		wish.bars = most(wish.bars, w.bars);
		wish.alloc_least = most(wish.alloc_least, w.alloc_least);
		wish.alloc_most = most(wish.alloc_most, w.alloc_most);
		wish.user = most(wish.user, w.user);
		for (int e = 0; e < LAYOUT_EXTRA_COUNT; e++) {
			wish.extras[e].least = most(wish.extras[e].least, w.extras[e].least);
			wish.extras[e].wish = most(wish.extras[e].wish, w.extras[e].wish);
			wish.extras[e].most = most(wish.extras[e].most, w.extras[e].most);
		}
	}
	return wish;
}

/* Return the rows of the sections above those with a side column. */
static int top_of(const struct heights *h)
{
	return h->extras[LAYOUT_FACTS] + h->extras[LAYOUT_FIBERS] + h->levels + h->bars +
	       h->extras[LAYOUT_TIMELINE];
}

/* Return all rows of a pane. */
static int height_of(const struct heights *h)
{
	int main = h->alloc + h->user, side = 0;

	for (int e = LAYOUT_TIMELINE + 1; e < LAYOUT_EXTRA_COUNT; e++)
		*(h->wide && extras[e].place == SIDE ? &side : &main) += h->extras[e];
	return h->frame + top_of(h) + most(main, side);
}

/* Make the plan of a stage and a number of columns. */
static struct plan make_plan(
    const struct layout_request *request, const struct layout_wish *wish, int stage, int columns)
{
	struct plan plan = {.request = request, .stage = stage, .columns = columns};
	plan.pane_cols = request->cols / columns;
	plan.rows = (request->panes + columns - 1) / columns;
	plan.boxed = stages[stage].boxed && plan.pane_cols >= BOX_COLS_LEAST;
	plan.heights = (struct heights){
	    .levels = least(wish->levels, stages[stage].levels),
	    .bars = least(wish->bars, stages[stage].bars),
	    .alloc = least(wish->alloc_least, stages[stage].alloc),
	    .user = least(wish->user, stages[stage].user),
	    .frame = plan.boxed ? 2 : 1,
	};
	for (int e = 0; e < LAYOUT_EXTRA_COUNT; e++)
		if (extras[e].place == SIDE && wish->extras[e].least > 0 &&
		    plan.pane_cols - 2 >= LAYOUT_SIDE_FROM)
			plan.heights.wide = true;
	return plan;
}

/* Find the plan that shows all panes at the least cost.  Returns false if there is none up to the last stage
 * for that. */
static bool plan_for_all(const struct layout_request *request, const struct layout_wish *wish, int rows,
    int most_columns, struct plan *out)
{
	int best = MANY;
	for (int columns = 1; columns <= most_columns && request->panes <= LAYOUT_PANES_MAX; columns++) {
		for (int stage = 0; stage <= STAGE_FIT_LAST; stage++) {
			struct plan plan = make_plan(request, wish, stage, columns);
			bool narrow = columns > 1 && plan.pane_cols < LAYOUT_PANE_COLS_COMFORTABLE;
			int cost = stage + (narrow ? NARROW_COST : 0);
			if (cost > best || (cost == best && narrow))
				break;
			if (plan.rows * height_of(&plan.heights) <= rows) {
				best = cost;
				*out = plan;
				break;
			}
		}
	}
	return best < MANY;
}

/* Find the plan of a scrolling grid: the maximum number of columns, and the earliest stage that shows two
 * rows of panes, else one. */
static struct plan plan_to_scroll(
    const struct layout_request *request, const struct layout_wish *wish, int rows, int most_columns)
{
	for (int seen = 2; seen > 0; seen--)
		for (int stage = 0; stage <= (seen == 2 ? STAGE_FIT_LAST : STAGES - 2); stage++) {
			struct plan plan = make_plan(request, wish, stage, most_columns);
			if (least(seen, plan.rows) * height_of(&plan.heights) <= rows)
				return plan;
		}
	return make_plan(request, wish, STAGES - 1, most_columns);
}

/* Choose the first visible row of panes, of which `fit` fit: the user's scroll position, adjusted so that the
 * pane to keep is visible and no space is left after the end of the grid. */
static int choose_first(const struct plan *plan, int fit)
{
	const struct layout_request *request = plan->request;
	int first = least(most(request->first, 0), request->panes - 1) / plan->columns;
	if (request->keep >= 0 && request->keep < request->panes) {
		int keep = request->keep / plan->columns;
		first = most(least(first, keep), keep - fit + 1);
	}
	return most(least(first, plan->rows - fit), 0);
}

/* Grant one spare row to panes whose wishes are not met.  Returns false if all are met. */
static bool grow(struct heights *h, const struct layout_wish *wish)
{
	if (h->bars < wish->bars && (h->bars < BARS_FIRST || h->alloc >= wish->alloc_least))
		h->bars++;
	else if (h->alloc < wish->alloc_least)
		h->alloc++;
	else if (h->user < wish->user)
		h->user++;
	else if (h->alloc < wish->alloc_most)
		h->alloc++;
	else
		return false;
	return true;
}

/* Add rows to one part of the panes if they fit, and update *spare. */
static bool add_rows(struct heights *h, int *part, int rows, int *spare)
{
	int before = height_of(h);

	*part += rows;
	int taken = height_of(h) - before;
	if (taken > *spare) {
		*part -= rows;
		return false;
	}
	*spare -= taken;
	return true;
}

/* Let each extra of a tier (0: of all tiers) grow by one row, up to its wish or its maximum.  Returns false
 * if none grew. */
static bool grow_extras(struct heights *h, const struct layout_wish *wish, int tier, bool to_most, int *spare)
{
	bool grown = false;

	for (int e = 0; e < LAYOUT_EXTRA_COUNT; e++) {
		int to = to_most ? wish->extras[e].most : wish->extras[e].wish;
		if ((tier == 0 || extras[e].tier == tier) && h->extras[e] > 0 && h->extras[e] < to &&
		    add_rows(h, &h->extras[e], 1, spare))
			grown = true;
	}
	return grown;
}

/* Distribute the spare rows of `rows` rows of panes to the extras and, if `rest` is wanted, to it after the
 * first tier.  Returns the rows of the rest. */
static int place_extras(
    struct heights *h, const struct layout_wish *wish, int rows, int spare, const struct layout_extra *rest)
{
	int each = spare / rows, below = 0;

	for (int tier = 1; tier <= TIERS; tier++) {
		for (int e = 0; e < LAYOUT_EXTRA_COUNT; e++)
			if (extras[e].tier == tier && wish->extras[e].least > 0)
				add_rows(h, &h->extras[e], wish->extras[e].least, &each);
		while (grow_extras(h, wish, tier, false, &each))
			;
		const int left = each * rows + spare % rows;
		if (tier == 1 && rest != NULL && rest->least > 0 && left >= rest->least) {
			each = (left - least(left, rest->wish)) / rows;
			below = left - each * rows;
		}
	}
	while (grow_extras(h, wish, 0, true, &each))
		;
	if (h->extras[LAYOUT_TIMELINE] == 0)
		add_rows(
		    h, &h->extras[LAYOUT_TIMELINE], least(each, wish->extras[LAYOUT_TIMELINE].least), &each);
	return below;
}

/* Lay out the sections of one pane below its title. */
static struct layout_pane place_pane(int index, struct rect frame, const struct heights *h, bool boxed)
{
	struct layout_pane pane = {.pane = index, .frame = frame, .boxed = boxed};
	struct rect inside = frame;
	pane.title = rect_cut_top(&inside, 1);
	if (boxed) {
		rect_cut_bottom(&inside, 1);
		rect_cut_left(&inside, 1);
		inside.cols = most(inside.cols - 1, 0);
	}
	pane.extras[LAYOUT_FACTS] = rect_cut_top(&inside, h->extras[LAYOUT_FACTS]);
	pane.extras[LAYOUT_FIBERS] = rect_cut_top(&inside, h->extras[LAYOUT_FIBERS]);
	pane.levels = rect_cut_top(&inside, h->levels);
	pane.bars = rect_cut_top(&inside, h->bars);
	pane.extras[LAYOUT_TIMELINE] = rect_cut_top(&inside, h->extras[LAYOUT_TIMELINE]);
	struct rect side = inside;
	if (h->wide) {
		inside = rect_cut_left(&side, side.cols - side.cols * 2 / SIDE_PART);
		inside.cols = most(inside.cols - 2, 0);
	}
	pane.alloc = rect_cut_top(&inside, h->alloc);
	pane.user = rect_cut_top(&inside, h->user);
	for (int e = LAYOUT_TIMELINE + 1; e < LAYOUT_EXTRA_COUNT; e++)
		pane.extras[e] =
		    rect_cut_top(h->wide && extras[e].place == SIDE ? &side : &inside, h->extras[e]);
	return pane;
}

/* Place the visible panes, and the rest: beside them, or below if the rows are full. */
static void place_rows(const struct plan *plan, int below, struct layout *out)
{
	struct rect all = out->body;
	/* Without boxes a blank column separates neighbours. */
	const int gap = !plan->boxed && plan->columns > 1;

	for (int i = 0; i < out->seen_rows; i++) {
		struct rect line = rect_cut_top(&all, height_of(&plan->heights));
		int before = (out->first_row + i) * plan->columns;
		int columns = least(plan->columns, plan->request->panes - before);
		for (int column = 0; column < columns && out->seen < LAYOUT_PANES_MAX; column++) {
			struct rect frame = rect_cut_left(&line, plan->pane_cols);
			frame.cols -= gap;
			out->pane[out->seen++] =
			    place_pane(before + column, frame, &plan->heights, plan->boxed);
		}
		line.cols = (plan->columns - columns) * plan->pane_cols;
		if (line.cols > 0)
			out->rest = line;
	}
	if (below > 0)
		out->rest = rect_cut_top(&all, below);
}

/* Place the grid of a plan into the body. */
static void place_grid(struct plan *plan, const struct layout_wish *wish, struct layout *out)
{
	const int fit = most(out->body.rows / height_of(&plan->heights), 1);

	out->stage = plan->stage;
	out->grid_cols = plan->columns;
	out->grid_rows = plan->rows;
	out->first_row = choose_first(plan, fit);
	out->seen_rows = least(least(fit, plan->rows - out->first_row), LAYOUT_PANES_MAX / plan->columns);
	int spare = out->body.rows - out->seen_rows * height_of(&plan->heights);
	while (spare >= out->seen_rows && grow(&plan->heights, wish))
		spare -= out->seen_rows;
	const bool full = out->seen_rows == plan->rows && plan->request->panes % plan->columns == 0;
	const int below = place_extras(
	    &plan->heights, wish, out->seen_rows, most(spare, 0), full ? &plan->request->rest : NULL);
	place_rows(plan, below, out);
}

/* Place one pane over the whole body. */
static void place_zoomed(const struct layout_request *request, struct layout *out)
{
	struct layout_request alone = *request;
	struct layout_wish wish = wish_of(request, request->zoomed);
	alone.panes = 1;
	alone.wishes = &wish;
	alone.first = 0;
	alone.keep = -1;
	alone.rest.least = 0;
	struct plan plan;
	if (!plan_for_all(&alone, &wish, out->body.rows, 1, &plan))
		plan = plan_to_scroll(&alone, &wish, out->body.rows, 1);
	place_grid(&plan, &wish, out);
	if (out->seen == 0)
		return;
	struct layout_pane *pane = &out->pane[0];
	pane->pane = request->zoomed;
	pane->frame.rows = out->body.rows;
}

/* Return the rows of the header for a screen height. */
static int header_rows(int rows)
{
	return rows >= 20 ? 4 : rows >= 14 ? 3 : rows >= 9 ? 2 : 1;
}

int layout_top_rows(int rows, int cols, bool tabs)
{
	return header_rows(rows) + (tabs && (rows >= 22 || (rows >= 16 && cols >= 100)));
}

/* Cut header, tabs and footer off the screen. */
static struct rect place_lines(const struct layout_request *request, struct layout *out)
{
	struct rect screen = rect_make(0, 0, request->rows, request->cols);
	out->header = rect_cut_top(&screen, header_rows(request->rows));
	out->tabs = rect_cut_top(
	    &screen, layout_top_rows(request->rows, request->cols, request->tabs) - out->header.rows);
	out->footer = rect_cut_bottom(&screen, request->rows >= 8 ? 1 : 0);
	return screen;
}

void layout_solve(const struct layout_request *request, struct layout *out)
{
	struct layout_request r = *request;
	/* Entries of pane up to `seen` are valid. */
	memset(out, 0, offsetof(struct layout, pane));
	r.rows = least(most(r.rows, 0), 1 << 15);
	r.cols = least(most(r.cols, 0), 1 << 15);
	r.panes = r.wishes == NULL ? 0 : least(most(r.panes, 0), 1 << 15);
	out->too_small = r.rows < LAYOUT_ROWS_LEAST || r.cols < LAYOUT_COLS_LEAST;
	if (out->too_small) {
		out->body = rect_make(0, 0, r.rows, r.cols);
		return;
	}
	out->body = place_lines(&r, out);
	if (r.panes == 0)
		return;
	if (r.zoomed >= 0 && r.zoomed < r.panes) {
		place_zoomed(&r, out);
		return;
	}
	int most_columns = most(least(r.cols / LAYOUT_PANE_COLS_LEAST, least(r.panes, LAYOUT_PANES_MAX)), 1);
	const struct layout_wish wish = wish_of_all(&r);
	struct plan plan;
	if (!plan_for_all(&r, &wish, out->body.rows, most_columns, &plan))
		plan = plan_to_scroll(&r, &wish, out->body.rows, most_columns);
	place_grid(&plan, &wish, out);
}

/* ---- pages ---- */

/* Let each section of a tier (0: of all) grow by a row, up to its wish or its maximum.  Returns false if none
 * grew. */
static bool grow_sections(const struct layout_section *sections, int count, int tier, int *rows, int *spare)
{
	bool grown = false;

	for (int i = 0; i<count && * spare> 0; i++) {
		int to = tier == 0 ? sections[i].most : sections[i].wish;
		int grows = sections[i].grows != 0 ? sections[i].grows : sections[i].tier;
		if ((tier != 0 && grows != tier) || rows[i] == 0 || rows[i] >= to)
			continue;
		rows[i]++;
		--*spare;
		grown = true;
	}
	return grown;
}

void layout_page(
    void *page, const struct layout_section *sections, int count, struct canvas *canvas, struct rect body)
{
	int rows[LAYOUT_SECTIONS_MAX] = {0}, spare = body.rows;

	for (int tier = 1; tier <= LAYOUT_PAGE_TIERS; tier++) {
		for (int i = 0; i < count; i++) {
			/* Sections of the first tier are shown even if they must be cut. */
			int need = tier == 1 ? least(sections[i].least, spare) : sections[i].least;
			if (sections[i].tier != tier || need > spare)
				continue;
			rows[i] = need;
			spare -= need;
		}
		while (grow_sections(sections, count, tier, rows, &spare))
			;
	}
	while (grow_sections(sections, count, 0, rows, &spare))
		;
	for (int i = 0; i < count; i++)
		if (rows[i] > 0)
			sections[i].draw(page, canvas, rect_cut_top(&body, rows[i]));
}
