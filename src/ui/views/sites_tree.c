/*
 * sites_tree.c - the call tree of the memtrace view: its keys, and its picture as an icicle or a flame graph.
 *
 * A bar is an index into the bars of the sites' state; -1 is the zoomed frame.  Row 0 holds the outermost
 * callers or, inverted, the allocating functions.  A bar's width is its share of the measured total.  Frames
 * on the way to the zoomed frame stand before it, over the full width.
 */
#include "ui/views/sites_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "print/number.h"
#include "ui/widgets/line.h"

/* What a bar's width means. */
#define WEIGHTS (SITES_WEIGHT_GROWTH + 1)
static const struct {
	const char *name;
	bool needs_mark;
} weights[WEIGHTS] = {
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
static int selected_bar(struct sites_state *state)
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
static int outside(const struct sites_bars *bars, int bar)
{
	return bar < 0 || bars->bars[bar].parent == SITES_NONE ? -1 : (int)bars->bars[bar].parent;
}

/* Move the selection; UI_NOTHING when it stays. */
static unsigned go(struct sites_state *state, enum ui_action action)
{
	const struct sites_bars *bars = &state->bars;
	int from = selected_bar(state), to = from;
	int page = state->tree_rows > 1 ? state->tree_rows / 2 : 1;

	/* In a flame graph, children are above. */
	if (state->flame && (action == ACTION_UP || action == ACTION_DOWN))
		action = action == ACTION_UP ? ACTION_DOWN : ACTION_UP;
	if (state->flame && (action == ACTION_PAGE_UP || action == ACTION_PAGE_DOWN))
		action = action == ACTION_PAGE_UP ? ACTION_PAGE_DOWN : ACTION_PAGE_UP;
	switch (action) {
	case ACTION_UP:
		to = outside(bars, from);
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
			to = outside(bars, to);
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
	selected_bar(state);
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
	static const enum sites_weight order[WEIGHTS] = {SITES_WEIGHT_LIVE, SITES_WEIGHT_SAMPLES,
	    SITES_WEIGHT_PROMOTED, SITES_WEIGHT_GROWTH, SITES_WEIGHT_NEW};
	unsigned at = 0;

	while (at < WEIGHTS - 1 && order[at] != state->weight)
		at++;
	do
		at = (at + 1) % WEIGHTS;
	while (weights[order[at]].needs_mark && !state->totals.marked);
	state->weight = order[at];
	return UI_DIRTY;
}

/* The name of a bar's function. */
static const char *name_of(const struct subject *s, uint32_t function, char buf[SITES_NAME_SIZE])
{
	const struct sites_names *names = sites_names(s->trace->sites);

	return function < names->function_count ? sites_function_name(&names->functions[function], buf) : "";
}

/* Go to the next bar whose name has the searched text, or to the one before. */
static unsigned search_next(struct ui *ui, const struct subject *s, int step)
{
	struct sites_state *state = ui->sites;
	const struct view_place *place = &ui->places[VIEW_SITES];
	int at = selected_bar(state);
	size_t count = state->bars.count, next = (size_t)(at + 1), before = (size_t)(at < 0 ? 0 : at) + count;
	char buf[SITES_NAME_SIZE];

	for (size_t i = 0; place->search[0] != '\0' && i < count; i++) {
		size_t bar = (step > 0 ? next + i : before - 1 - i) % count;
		if (strcasestr(name_of(s, state->bars.bars[bar].function, buf), place->search) != NULL)
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
	case ACTION_SEARCH_BACK:
		return search_next(ui, subject, action == ACTION_SEARCH_NEXT ? 1 : -1);
	default:
		return go(state, action);
	}
}

/* ---- the picture ---- */

/* Rows below the tree about the selected frame, and the least height that has them. */
#define DETAILS 2
#define DETAILS_FROM 7

/* Least width of a label. */
#define LABEL_LEAST 3

/* Bars that fit on any screen. */
enum { SEGMENTS_MAX = 16384 };

/* The origin of a frame, as a style and as a pattern for screens without colours. */
struct family {
	enum style style;
	enum glyph pattern;
};

/* Tell the family of a function. */
static struct family family_of(const char *name)
{
	if (name[0] == '$' || name[0] == '(')
		return (struct family){STYLE_FRAME_UNKNOWN, GLYPH_FILL_UNKNOWN};
	if (strncasecmp(name, "stdlib", 6) == 0 || strncasecmp(name, "camlinternal", 12) == 0)
		return (struct family){STYLE_FRAME_LIBRARY, GLYPH_FILL_LIBRARY};
	return (struct family){STYLE_FRAME, GLYPH_FILL_FRAME};
}

/* Context of a drawing. */
struct picture {
	const struct subject *subject;
	struct sites_state *state;
	const char *search;
	struct canvas *canvas;
	struct rect area;
	size_t skipped; /* frames on the way to the zoom that have no row */
	size_t outer;	/* frames on the way that have one */
	struct icicle_span *spans;
	int span_count;
	int selected; /* span, -1: none */
};

/* The function of a span. */
static uint32_t function_of(const struct picture *p, int span)
{
	size_t at = (size_t)span;

	return at < p->outer ? p->state->zoom.functions[p->skipped + at]
			     : p->state->bars.bars[at - p->outer].function;
}

/* Return a bar's name in a memory of pictures. */
static const char *known_as(const struct picture *p, uint32_t function)
{
	const struct sites_names *names = sites_names(p->subject->trace->sites);
	const char *name = function < names->function_count ? names->functions[function].name : NULL;

	return name != NULL ? name : "";
}

/* Convert the frames on the way and the bars to spans. */
static bool make_spans(struct picture *p)
{
	const struct sites_bars *bars = &p->state->bars;
	size_t count = p->outer + bars->count;

	p->spans = calloc(count + 1, sizeof(*p->spans));
	if (p->spans == NULL)
		return false;
	for (size_t i = 0; i < count; i++) {
		bool outer = i < p->outer;
		p->spans[i] = (struct icicle_span){.label = known_as(p, function_of(p, (int)i)),
		    .value = outer ? bars->total : bars->bars[i - p->outer].total,
		    .depth = (unsigned)(outer ? i : bars->bars[i - p->outer].depth + p->outer)};
	}
	p->span_count = (int)count;
	return true;
}

/* Return the screen row of a tree row; negative: not visible. */
static int area_row(const struct picture *p, int row)
{
	int shown = row - p->state->scroll;

	if (shown < 0 || shown >= p->area.rows)
		return -1;
	return p->area.row + (p->state->flame ? p->area.rows - 1 - shown : shown);
}

/* Return a name without its first module, unless that is all of it. */
static const char *without_module(const char *name)
{
	for (const char *at = name; *at != '\0' && *at != '('; at++) {
		const char *rest = at[0] == '.' ? at + 1 : at[0] == '_' && at[1] == '_' ? at + 2 : NULL;
		if (rest != NULL && at > name && rest[0] != '\0' && rest[0] != '(' && rest[0] != '_')
			return rest;
	}
	return name;
}

/* Return the part of a name that fits: modules are dropped before the last part is cut. */
static const char *shortened(const struct canvas *canvas, const char *name, int cols)
{
	while (canvas_text_width(canvas, name) > cols && without_module(name) != name)
		name = without_module(name);
	return name;
}

/* Draw a bar's text: as much of its name as fits, its share and, without colours, the pattern. */
static void draw_label(const struct picture *p, const struct icicle_segment *segment, const char *name,
    int row, int col, int cols, enum style style)
{
	struct canvas *canvas = p->canvas;
	struct formatted share = format_share(segment->value, p->state->bars.total);
	int at = col;

	if (cols >= LABEL_LEAST) {
		const char *label = shortened(canvas, name, cols);
		int end = col + canvas_text_width(canvas, label);
		canvas_put_fit(canvas, row, col, cols, ALIGN_LEFT, style, label);
		if (end + 1 + canvas_text_width(canvas, share.s) <= col + cols)
			end = canvas_put(canvas, row, end + 1, style, share.s);
		at = end + 1;
	}
	for (; !canvas_colour(canvas) && at < col + cols; at++)
		canvas_glyph(canvas, row, at, style, family_of(name).pattern);
}

/* Draw one bar; a divider sets it off from its left neighbour. */
static void draw_segment(const struct picture *p, const struct icicle_segment *segment, bool selected)
{
	struct canvas *canvas = p->canvas;
	int row = area_row(p, segment->row), col = p->area.col + segment->col, cols = segment->cols;
	bool merged = segment->merged > 0 || segment->span < 0; /* the rest of row 0 is bars too */
	char buf[SITES_NAME_SIZE];

	if (row < 0)
		return;
	const char *name = merged ? "" : name_of(p->subject, function_of(p, segment->span), buf);
	enum style style = merged			      ? STYLE_MERGED
			   : (size_t)segment->span < p->outer ? STYLE_FRAME_OUTER
							      : family_of(name).style;
	if (!merged && p->search[0] != '\0' && strcasestr(name, p->search) != NULL)
		style = STYLE_MATCH;
	canvas_fill(canvas, rect_make(row, col, 1, cols), style, 0);
	int divider = segment->col > 0 && cols > 1;
	if (divider)
		canvas_glyph(canvas, row, col, style, GLYPH_DIVIDER);
	if (merged)
		canvas_glyph(canvas, row, col + divider + (cols - divider - 1) / 2, style, GLYPH_ELLIPSIS);
	else
		draw_label(p, segment, name, row, col + divider, cols - divider, style);
	if (selected)
		canvas_restyle(canvas, rect_make(row, col, 1, cols), STYLE_SELECTED);
}

/* Return the parent bar of a span, to identify siblings. */
static uint32_t parent_of(const struct picture *p, int span)
{
	return (size_t)span < p->outer ? (uint32_t)span : p->state->bars.bars[(size_t)span - p->outer].parent;
}

/* Return the segment of the selected frame: its own or the merged one; -1: none. */
static int selected_segment(const struct picture *p, const struct icicle_segment *segments, int count)
{
	int best = -1;

	for (int i = 0; p->selected >= 0 && i < count; i++) {
		const struct icicle_segment *s = &segments[i];
		if (s->merged == 0 && s->span == p->selected)
			return i;
		bool among = s->span < 0
				 ? p->spans[p->selected].depth == 0
				 : s->merged > 0 && s->span <= p->selected && (size_t)s->span >= p->outer &&
				       parent_of(p, s->span) == parent_of(p, p->selected);
		if (among && best < 0)
			best = i;
	}
	return best;
}

/* Scroll until the selected frame is in sight. */
static void scroll_to(struct sites_state *state, int row, int rows)
{
	if (row >= state->scroll + rows)
		state->scroll = row - rows + 1;
	if (row < state->scroll)
		state->scroll = row;
	if (state->scroll < 0)
		state->scroll = 0;
}

static void draw_bars(struct picture *p)
{
	struct sites_state *state = p->state;
	struct icicle_segment *segments = reallocarray(NULL, SEGMENTS_MAX, sizeof(*segments));

	/* Frames on the way take at most a third of the rows. */
	size_t most = (size_t)(p->area.rows > 3 ? p->area.rows / 3 : 1);
	p->outer = state->zoom.depth < most ? state->zoom.depth : most;
	p->skipped = state->zoom.depth - p->outer;
	int bar = selected_bar(state);
	p->selected = bar + (int)p->outer; /* without one, the last frame on the way */
	if (segments != NULL && make_spans(p)) {
		int row = p->selected >= 0 ? (int)p->spans[p->selected].depth : 0;
		scroll_to(state, row, p->area.rows);
		int count = icicle_layout(p->spans, p->span_count, state->bars.total, &state->memory,
		    state->scroll + p->area.rows, p->area.cols, segments, SEGMENTS_MAX);
		struct rect old = canvas_clip(p->canvas, p->area);
		int selected = selected_segment(p, segments, count);
		for (int i = 0; i < count; i++)
			draw_segment(p, &segments[i], i == selected);
		canvas_unclip(p->canvas, old);
	}
	free(segments);
	free(p->spans);
}

/* Draw the caption. */
static void draw_title(const struct sites_state *state, struct canvas *canvas, struct rect line)
{
	const struct sites_text text =
	    sites_text_words(state, sites_words(state->bars.total, state->totals.rate));
	char width[96], rows[64], depth[32] = "";

	snprintf(width, sizeof(width), "%s %s", weights[state->weight].name,
	    state->weight == SITES_WEIGHT_GROWTH
		? sites_words_alone(state, (double)state->bars.total / state->totals.rate).s
		: sites_text_tight(text).s);
	snprintf(rows, sizeof(rows), "%s %s to %s", state->invert ? "sites" : "callers",
	    state->flame ? "up" : "down", state->invert ? "callers" : "sites");
	if (state->zoom.depth > 0)
		snprintf(depth, sizeof(depth), "%zu deep", state->zoom.depth);
	const struct line_item items[] = {line_labelled("width", width, 0), line_labelled("rows", rows, 1),
	    line_labelled(depth[0] != '\0' ? "zoomed" : NULL, depth, 2),
	    {.value = " program ", .value_style = STYLE_FRAME, .rank = 3, .right = true},
	    {.value = " stdlib ", .value_style = STYLE_FRAME_LIBRARY, .rank = 3, .right = true},
	    {.value = " unknown ", .value_style = STYLE_FRAME_UNKNOWN, .rank = 3, .right = true}};
	line_draw(canvas, line.row, line.col, line.cols, 2, items, canvas_colour(canvas) ? 6 : 3);
}

/* Describe the selected frame. */
static void draw_details(
    const struct subject *s, struct sites_state *state, struct canvas *canvas, struct rect area)
{
	const struct sites_bars *bars = &state->bars;
	const struct sites_names *names = sites_names(s->trace->sites);
	int bar = selected_bar(state);
	/* Growth excludes sites that shrank, so there is no total to relate to. */
	bool estimated = state->weight != SITES_WEIGHT_GROWTH;
	uint64_t all = estimated ? sites_weigh(&state->counts, state->weight) : 0;
	uint64_t total = bar < 0 ? bars->total : bars->bars[bar].total;
	uint64_t own = bar < 0 ? 0 : bars->bars[bar].self;
	int outer = outside(bars, bar);
	uint32_t function = bar >= 0		    ? bars->bars[bar].function
			    : state->zoom.depth > 0 ? state->zoom.functions[state->zoom.depth - 1]
						    : SITES_NONE;
	char buf[SITES_NAME_SIZE];
	struct rect line = rect_cut_top(&area, 1);

	const struct line_item what[] = {
	    line_value(function == SITES_NONE ? "all frames" : name_of(s, function, buf), STYLE_TITLE, 0),
	    line_value(
		function < names->function_count ? names->functions[function].file : "", STYLE_MUTED, 1)};
	line_draw(canvas, line.row, line.col, line.cols, 2, what, 2);
	const struct sites_text size =
	    sites_text_tight(sites_text_words(state, sites_words(total, state->totals.rate)));
	const struct sites_text self =
	    sites_text_tight(sites_text_words(state, sites_words(own, state->totals.rate)));
	const struct formatted share = format_share(total, all),
			       of_outer =
				   format_share(total, outer < 0 ? bars->total : bars->bars[outer].total);
	const struct formatted plain = state->totals.rate > 0
					   ? sites_words_alone(state, (double)total / state->totals.rate)
					   : format_unknown();
	const struct line_item items[] = {line_value(estimated ? size.s : plain.s, STYLE_VALUE, 0),
	    {.label = all != total && all != 0 ? share.s : NULL,
		.value = all != total && all != 0 ? "of all" : NULL,
		.label_style = STYLE_VALUE,
		.value_style = STYLE_LABEL,
		.rank = 1},
	    {.label = bar >= 0 ? of_outer.s : NULL,
		.value = bar >= 0 ? "of the frame it is in" : NULL,
		.label_style = STYLE_VALUE,
		.value_style = STYLE_LABEL,
		.rank = 2},
	    line_labelled(bar >= 0 && estimated && own > 0 ? "itself" : NULL,
		bar >= 0 && estimated && own > 0 ? self.s : NULL, 3)};
	line = rect_cut_top(&area, 1);
	line_draw(canvas, line.row, line.col, line.cols, 2, items, 4);
}

void sites_tree_draw(struct ui *ui, const struct subject *subject, struct canvas *canvas, struct rect area)
{
	struct sites_state *state = ui->sites;

	if (weights[state->weight].needs_mark && !state->totals.marked)
		state->weight = SITES_WEIGHT_LIVE;
	sites_state_rows(ui, subject);
	sites_state_bars(ui, subject);
	struct rect details = {0};
	if (area.rows > 2)
		draw_title(state, canvas, rect_cut_top(&area, 1));
	if (area.rows >= DETAILS_FROM)
		details = rect_cut_bottom(&area, DETAILS);
	state->tree_rows = area.rows;
	if (state->bars.total == 0) {
		char text[96];
		snprintf(
		    text, sizeof(text), "nothing to show by this width: %s", weights[state->weight].name);
		canvas_put_fit(canvas, area.row, area.col, area.cols, ALIGN_LEFT, STYLE_MUTED, text);
		return;
	}
	struct picture picture = {.subject = subject,
	    .state = state,
	    .search = ui->places[VIEW_SITES].search,
	    .canvas = canvas,
	    .area = area,
	    .selected = -1};
	draw_bars(&picture);
	if (details.rows > 0)
		draw_details(subject, state, canvas, details);
}
