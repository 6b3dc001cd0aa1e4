/*
 * sites_tree.c - navigate the call tree.
 */
#include "ui/views/sites_tree.h"

#include <string.h>

/* What a bar's width means. */
const struct sites_tree_weight sites_tree_weights[SITES_TREE_WEIGHTS] = {
    [SITES_WEIGHT_SAMPLES] = {"allocated", false},
    [SITES_WEIGHT_LIVE] = {"live", false},
    [SITES_WEIGHT_PROMOTED] = {"promoted", false},
    [SITES_WEIGHT_NEW] = {"allocated since the mark", true},
    [SITES_WEIGHT_GROWTH] = {"growth of what is live since the mark", true},
};

/* Find a child of a bar, or of row 0; -1 when there is none. */
static int find_child(const struct sites_bars *bars, int parent, uint32_t function)
{
	uint32_t of = parent < 0 ? SITES_NONE : (uint32_t)parent;

	for (size_t i = parent < 0 ? 0 : (size_t)parent + 1; i < bars->count; i++)
		if (bars->bars[i].parent == of && bars->bars[i].function == function)
			return (int)i;
	return -1;
}

/* Return the selected bar, -1: the zoomed frame.  If it no longer exists, return its nearest existing
 * parent. */
int sites_tree_selected(struct sites_state *state)
{
	int bar = -1;

	for (size_t i = 0; i < state->cursor.depth; i++) {
		int child = find_child(&state->bars, bar, state->cursor.functions[i]);
		if (child < 0) {
			state->cursor.depth = i;
			break;
		}
		bar = child;
	}
	return bar;
}

/* Select a bar, or the frame zoomed into. */
static bool select_bar(struct sites_state *state, int bar)
{
	size_t depth = bar < 0 ? 0 : state->bars.bars[bar].depth + 1;

	if (depth > SITES_DEPTH_MAX)
		return false;
	state->cursor.depth = depth;
	for (uint32_t i = (uint32_t)bar; depth-- > 0; i = state->bars.bars[i].parent)
		state->cursor.functions[depth] = state->bars.bars[i].function;
	return true;
}

/* Return a sibling of a bar; itself if there is none. */
static int beside(const struct sites_bars *bars, int bar, int direction)
{
	for (int i = bar + direction; bar >= 0 && i >= 0 && (size_t)i < bars->count; i += direction) {
		if (bars->bars[i].parent == bars->bars[bar].parent)
			return i;
		if (bars->bars[i].depth < bars->bars[bar].depth)
			break;
	}
	return bar;
}

/* Return the widest child of a bar, or of row 0; the bar itself if it has none. */
static int inside(const struct sites_bars *bars, int bar)
{
	size_t next = (size_t)(bar + 1);

	if (next < bars->count && (bar < 0 || bars->bars[next].parent == (uint32_t)bar))
		return (int)next;
	return bar;
}

/* Return the parent of a bar, -1: the zoomed frame. */
int sites_tree_outside(const struct sites_bars *bars, int bar)
{
	return bar < 0 || bars->bars[bar].parent == SITES_NONE ? -1 : (int)bars->bars[bar].parent;
}

/* Move the selection; UI_NOTHING when it stays. */
static unsigned go(struct sites_state *state, enum ui_action action)
{
	const struct sites_bars *bars = &state->bars;
	int from = sites_tree_selected(state), to = from;
	int page = state->tree_rows > 1 ? state->tree_rows / 2 : 1;

	/* In a flame graph, children are above. */
	if (state->flame && (action == ACTION_UP || action == ACTION_DOWN))
		action = action == ACTION_UP ? ACTION_DOWN : ACTION_UP;
	if (state->flame && (action == ACTION_PAGE_UP || action == ACTION_PAGE_DOWN))
		action = action == ACTION_PAGE_UP ? ACTION_PAGE_DOWN : ACTION_PAGE_UP;
	switch (action) {
	case ACTION_UP:
		to = sites_tree_outside(bars, from);
		break;
	case ACTION_DOWN:
		to = inside(bars, from);
		break;
	case ACTION_LEFT:
		to = beside(bars, from, -1);
		break;
	case ACTION_RIGHT:
		to = from < 0 ? inside(bars, from) : beside(bars, from, 1);
		break;
	case ACTION_PAGE_UP:
		for (int i = 0; i < page; i++)
			to = sites_tree_outside(bars, to);
		break;
	case ACTION_PAGE_DOWN:
		for (int i = 0; i < page; i++)
			to = inside(bars, to);
		break;
	case ACTION_HOME:
		to = -1;
		break;
	case ACTION_END:
		for (int next = inside(bars, to); next != to; next = inside(bars, to))
			to = next;
		break;
	default:
		break;
	}
	return to != from && select_bar(state, to) ? UI_DIRTY : UI_NOTHING;
}

/* Zoom into the selected frame. */
static unsigned zoom_in(struct sites_state *state)
{
	sites_tree_selected(state);
	if (state->cursor.depth == 0 || state->zoom.depth + state->cursor.depth > SITES_DEPTH_MAX)
		return UI_NOTHING;
	memcpy(state->zoom.functions + state->zoom.depth, state->cursor.functions,
	    state->cursor.depth * sizeof(state->cursor.functions[0]));
	state->zoom.depth += state->cursor.depth;
	state->cursor.depth = 0;
	return UI_DIRTY;
}

/* Go back: zoom out, then drop search and filter, then return to the table. */
static unsigned go_back(struct sites_state *state, struct view_place *place)
{
	if (state->zoom.depth > state->opened_depth) {
		state->zoom.depth--;
		state->cursor.functions[0] = state->zoom.functions[state->zoom.depth];
		state->cursor.depth = 1;
		return UI_DIRTY;
	}
	if (!state->opened && (place->search[0] != '\0' || place->filter[0] != '\0')) {
		place->search[0] = place->filter[0] = '\0';
		return UI_DIRTY;
	}
	state->tree = state->opened = false;
	state->zoom.depth = state->cursor.depth = state->opened_depth = 0;
	return UI_DIRTY;
}

/* Reset zoom and selection. */
static void go_to_all(struct sites_state *state)
{
	state->zoom.depth = state->cursor.depth = state->opened_depth = 0;
	state->opened = false;
}

/* Show the callers of one site. */
void sites_tree_open(struct ui *ui, uint32_t site)
{
	struct sites_state *state = ui->sites;

	go_to_all(state);
	state->tree = state->opened = state->invert = true;
	state->zoom.functions[0] = site;
	state->zoom.depth = state->opened_depth = 1;
}

/* Choose the next thing to measure. */
static unsigned next_weight(struct sites_state *state)
{
	/* In the order of the usual questions: what is live, where it comes from, what stays. */
	static const enum sites_weight order[SITES_TREE_WEIGHTS] = {SITES_WEIGHT_LIVE, SITES_WEIGHT_SAMPLES,
	    SITES_WEIGHT_PROMOTED, SITES_WEIGHT_GROWTH, SITES_WEIGHT_NEW};
	unsigned at = 0;

	while (at < SITES_TREE_WEIGHTS - 1 && order[at] != state->weight)
		at++;
	do
		at = (at + 1) % SITES_TREE_WEIGHTS;
	while (sites_tree_weights[order[at]].needs_mark && !state->totals.marked);
	state->weight = order[at];
	return UI_DIRTY;
}

/* The name of a bar's function. */
const char *sites_tree_name(const struct subject *s, uint32_t function, char buf[SITES_NAME_SIZE])
{
	const struct sites_names *names = sites_names(s->trace->sites);

	return function < names->function_count ? sites_function_name(&names->functions[function], buf) : "";
}

/* Go to the next bar whose name has the searched text. */
static unsigned search_next(struct ui *ui, const struct subject *s)
{
	struct sites_state *state = ui->sites;
	const struct view_place *place = &ui->places[VIEW_SITES];
	size_t count = state->bars.count, from = (size_t)(sites_tree_selected(state) + 1);
	char buf[SITES_NAME_SIZE];

	for (size_t i = 0; place->search[0] != '\0' && i < count; i++) {
		size_t bar = (from + i) % count;
		if (strcasestr(sites_tree_name(s, state->bars.bars[bar].function, buf), place->search) !=
		    NULL)
			return select_bar(state, (int)bar) ? UI_DIRTY : UI_NOTHING;
	}
	ui->missed = place->search[0] != '\0';
	return ui->missed ? UI_DIRTY : UI_NOTHING;
}

unsigned sites_tree_act(struct ui *ui, const struct subject *subject, enum ui_action action)
{
	struct sites_state *state = ui->sites;

	sites_state_bars(ui, subject);
	switch (action) {
	case ACTION_OPEN:
		return zoom_in(state);
	case ACTION_BACK:
		return go_back(state, &ui->places[VIEW_SITES]);
	case ACTION_INVERT:
		state->invert = !state->invert;
		go_to_all(state);
		return UI_DIRTY;
	case ACTION_FLAME:
		state->flame = !state->flame;
		return UI_DIRTY;
	case ACTION_WEIGHT:
		return next_weight(state);
	case ACTION_SEARCH_NEXT:
		return search_next(ui, subject);
	default:
		return go(state, action);
	}
}
