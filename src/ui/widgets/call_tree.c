/* call_tree.c - see call_tree.h. */
#include "ui/widgets/call_tree.h"

#include <ctype.h>

#include "print/number.h"
#include "ui/widgets/line.h"

/* Return a child of a bar, or of row 0; -1: there is none. */
static int find_child(const struct calls_bars *bars, int parent, uint32_t function)
{
	uint32_t of = parent < 0 ? CALLS_NONE : (uint32_t)parent;

	for (size_t i = parent < 0 ? 0 : (size_t)parent + 1; i < bars->count; i++)
		if (bars->bars[i].parent == of && bars->bars[i].function == function)
			return (int)i;
	return -1;
}

int call_tree_selected(struct call_tree *tree)
{
	int bar = -1;

	for (size_t i = 0; i < tree->cursor.depth; i++) {
		int child = find_child(&tree->bars, bar, tree->cursor.functions[i]);
		if (child < 0) {
			tree->cursor.depth = i;
			break;
		}
		bar = child;
	}
	return bar;
}

/* Select a bar, or the zoomed frame. */
static bool select_bar(struct call_tree *tree, int bar)
{
	size_t depth = bar < 0 ? 0 : tree->bars.bars[bar].depth + 1;

	if (depth > CALL_DEPTH_MAX)
		return false;
	tree->cursor.depth = depth;
	for (uint32_t i = (uint32_t)bar; depth-- > 0; i = tree->bars.bars[i].parent)
		tree->cursor.functions[depth] = tree->bars.bars[i].function;
	return true;
}

/* Return a sibling of a bar; itself if there is none. */
static int beside(const struct calls_bars *bars, int bar, int direction)
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
static int inside(const struct calls_bars *bars, int bar)
{
	size_t next = (size_t)(bar + 1);

	if (next < bars->count && (bar < 0 || bars->bars[next].parent == (uint32_t)bar))
		return (int)next;
	return bar;
}

int call_tree_outside(const struct calls_bars *bars, int bar)
{
	return bar < 0 || bars->bars[bar].parent == CALLS_NONE ? -1 : (int)bars->bars[bar].parent;
}

static unsigned move(struct call_tree *tree, enum ui_action action)
{
	const struct calls_bars *bars = &tree->bars;
	int from = call_tree_selected(tree), to = from;
	int page = tree->rows > 1 ? tree->rows / 2 : 1;

	/* In a flame graph, children are above. */
	if (tree->flame && (action == ACTION_UP || action == ACTION_DOWN))
		action = action == ACTION_UP ? ACTION_DOWN : ACTION_UP;
	if (tree->flame && (action == ACTION_PAGE_UP || action == ACTION_PAGE_DOWN))
		action = action == ACTION_PAGE_UP ? ACTION_PAGE_DOWN : ACTION_PAGE_UP;
	switch (action) {
	case ACTION_UP:
		to = call_tree_outside(bars, from);
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
			to = call_tree_outside(bars, to);
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
	return to != from && select_bar(tree, to) ? UI_DIRTY : UI_NOTHING;
}

static bool zoom_in(struct call_tree *tree)
{
	call_tree_selected(tree);
	if (tree->cursor.depth == 0 || tree->zoom.depth + tree->cursor.depth > CALL_DEPTH_MAX)
		return false;
	memcpy(tree->zoom.functions + tree->zoom.depth, tree->cursor.functions,
	    tree->cursor.depth * sizeof(tree->cursor.functions[0]));
	tree->zoom.depth += tree->cursor.depth;
	tree->cursor.depth = 0;
	return true;
}

bool call_tree_offers(bool tree, enum ui_action action)
{
	switch (action) {
	case ACTION_LEFT:
	case ACTION_RIGHT:
	case ACTION_INVERT:
	case ACTION_FLAME:
	case ACTION_WEIGHT:
	case ACTION_CODE_WEIGHT:
		return tree;
	case ACTION_COPY:
		return !tree;
	default:
		return !tree || action < ACTION_SORT_LEFT || action > ACTION_REVERSE;
	}
}

/* Zoom out by one frame.  Returns false if the tree is as it was opened. */
static bool zoom_out(struct call_tree *tree)
{
	if (tree->zoom.depth <= tree->opened_depth)
		return false;
	tree->zoom.depth--;
	tree->cursor.functions[0] = tree->zoom.functions[tree->zoom.depth];
	tree->cursor.depth = 1;
	return true;
}

void call_tree_reset(struct call_tree *tree)
{
	tree->zoom.depth = tree->cursor.depth = tree->opened_depth = 0;
}

bool call_tree_back(struct call_tree *tree, char *search, char *filter)
{
	if (zoom_out(tree))
		return true;
	const bool shut =
	    tree->opened_depth > 0 || (search[0] == '\0' && (filter == NULL || filter[0] == '\0'));
	if (shut)
		call_tree_reset(tree);
	else
		search[0] = '\0';
	if (!shut && filter != NULL)
		filter[0] = '\0';
	return !shut;
}

void call_tree_open(struct call_tree *tree, uint32_t function)
{
	call_tree_reset(tree);
	tree->invert = true;
	tree->zoom.functions[0] = function;
	tree->zoom.depth = tree->opened_depth = 1;
}

/* Select the next bar whose name contains a text, or the previous one (step -1).  Returns false if there is
 * none. */
static bool search(struct call_tree *tree, const struct call_names *names, const char *text, int step)
{
	int at = call_tree_selected(tree);
	size_t count = tree->bars.count, next = (size_t)(at + 1), before = (size_t)(at < 0 ? 0 : at) + count;
	char buf[CALL_NAME_SIZE];

	for (size_t i = 0; i < count; i++) {
		size_t bar = (step > 0 ? next + i : before - 1 - i) % count;
		if (strcasestr(names->name(names->ctx, tree->bars.bars[bar].function, buf), text) != NULL)
			return select_bar(tree, (int)bar);
	}
	return false;
}

unsigned call_tree_act(struct call_tree *tree, const struct call_names *names, const char *text,
    enum ui_action action, bool *missed)
{
	switch (action) {
	case ACTION_OPEN:
		return zoom_in(tree) ? UI_DIRTY : UI_NOTHING;
	case ACTION_INVERT:
		tree->invert = !tree->invert;
		call_tree_reset(tree);
		return UI_DIRTY;
	case ACTION_FLAME:
		tree->flame = !tree->flame;
		return UI_DIRTY;
	case ACTION_SEARCH_NEXT:
	case ACTION_SEARCH_BACK:
		if (text[0] == '\0')
			return UI_NOTHING;
		*missed = !search(tree, names, text, action == ACTION_SEARCH_NEXT ? 1 : -1);
		return UI_DIRTY;
	default:
		return move(tree, action);
	}
}

/* ---- what the bars are of ---- */

bool call_tree_current(const struct call_tree *tree)
{
	return tree->bars.bars != NULL && tree->bars_invert == tree->invert &&
	       tree->zoom.depth == tree->bars_zoom.depth &&
	       memcmp(tree->zoom.functions, tree->bars_zoom.functions,
		   tree->zoom.depth * sizeof(tree->zoom.functions[0])) == 0;
}

struct calls_bars_options call_tree_shape(const struct call_tree *tree)
{
	return (struct calls_bars_options){.invert = tree->invert,
	    .path = tree->zoom.functions,
	    .path_depth = tree->zoom.depth,
	    .most = CALL_BARS_MAX};
}

void call_tree_computed(struct call_tree *tree)
{
	tree->bars_zoom = tree->zoom;
	tree->bars_invert = tree->invert;
}

/* ---- the picture ---- */

/* Least width of a label. */
#define LABEL_LEAST 3

/* Least heights with a title, and with rows about the selected frame. */
#define TITLE_FROM 3
#define DETAILS_FROM 7

/* Maximum size of a name on any screen. */
#define LABEL_SIZE 512

/* Bars that fit on any screen. */
enum { SEGMENTS_MAX = 16384 };

/* The families, as a style and as a pattern for screens without colours. */
static const struct {
	enum style style;
	enum glyph pattern;
} families[] = {
    [CALL_PROGRAM] = {STYLE_FRAME, GLYPH_FILL_FRAME},
    [CALL_LIBRARY] = {STYLE_FRAME_LIBRARY, GLYPH_FILL_LIBRARY},
    [CALL_UNKNOWN] = {STYLE_FRAME_UNKNOWN, GLYPH_FILL_UNKNOWN},
};

enum call_family call_family_of_name(const char *name)
{
	if (name[0] == '$' || name[0] == '(')
		return CALL_UNKNOWN;
	if (strncasecmp(name, "stdlib", 6) == 0 || strncasecmp(name, "camlinternal", 12) == 0)
		return CALL_LIBRARY;
	return CALL_PROGRAM;
}

/* Context of a drawing. */
struct picture {
	struct call_tree *tree;
	const struct call_names *names;
	const char *search;
	struct canvas *canvas;
	struct rect area;
	size_t skipped; /* frames on the way to the zoom without a row */
	size_t outer;	/* frames on the way with a row */
	struct icicle_span *spans;
	int span_count;
	int selected; /* selected span; -1: none */
};

/* Return the function of a span. */
static uint32_t function_of(const struct picture *p, int span)
{
	size_t at = (size_t)span;

	return at < p->outer ? p->tree->zoom.functions[p->skipped + at]
			     : p->tree->bars.bars[at - p->outer].function;
}

/* Convert the frames on the way and the bars to spans. */
static bool make_spans(struct picture *p)
{
	const struct calls_bars *bars = &p->tree->bars;
	size_t count = p->outer + bars->count;

	p->spans = calloc(count + 1, sizeof(*p->spans));
	if (p->spans == NULL)
		return false;
	for (size_t i = 0; i < count; i++) {
		bool outer = i < p->outer;
		p->spans[i] =
		    (struct icicle_span){.label = p->names->label(p->names->ctx, function_of(p, (int)i)),
			.value = outer ? bars->total : bars->bars[i - p->outer].total,
			.depth = (unsigned)(outer ? i : bars->bars[i - p->outer].depth + p->outer)};
	}
	p->span_count = (int)count;
	return true;
}

/* Return the screen row of a tree row; negative: not visible. */
static int area_row(const struct picture *p, int row)
{
	int shown = row - p->tree->scroll;

	if (shown < 0 || shown >= p->area.rows)
		return -1;
	return p->area.row + (p->tree->flame ? p->area.rows - 1 - shown : shown);
}

/* Return a name without its first module, unless that is all of it. */
static const char *without_module(const char *name)
{
	for (const char *at = name; *at != '\0' && *at != '('; at++) {
		const char *rest = at[0] == '.' ? at + 1 : at + 2;
		/* The name of a function may contain two underscores, too. */
		bool ends = at[0] == '.' ? rest[0] != '_'
					 : at[0] == '_' && at[1] == '_' && isupper((unsigned char)rest[0]);
		if (ends && at > name && rest[0] != '\0' && rest[0] != '(')
			return rest;
	}
	return name;
}

/* Write the part of a name that fits: for a C function, suffixes of the compiler are dropped; for others,
 * modules, until only the function's own name is left, which is cut. */
static const char *shortened(
    const struct canvas *canvas, const char *name, bool c, int cols, char buf[LABEL_SIZE])
{
	while (!c && canvas_text_width(canvas, name) > cols && without_module(name) != name)
		name = without_module(name);
	/* "[libc.so.6] +0x1234" has no name. */
	const char *place =
	    name[0] == '[' && canvas_text_width(canvas, name) > cols ? strstr(name, "] ") : NULL;
	if (place != NULL)
		return place + 2;
	if (!c || name[0] == '[')
		return name;
	strlcpy(buf, name, LABEL_SIZE);
	for (char *at; canvas_text_width(canvas, buf) > cols && (at = strrchr(buf, '.')) > buf;)
		*at = '\0';
	return buf;
}

/* Draw a bar's text: as much of its name as fits, its share and, without colours, the pattern. */
static void draw_label(const struct picture *p, const struct icicle_segment *segment, const char *name,
    int row, int col, int cols, enum style style, enum call_family family)
{
	struct canvas *canvas = p->canvas;
	struct formatted share = format_share(segment->value, p->tree->bars.total);
	char buf[LABEL_SIZE];
	int at = col;

	if (cols >= LABEL_LEAST) {
		const char *label = shortened(canvas, name, family == CALL_UNKNOWN, cols, buf);
		int end = col + canvas_text_width(canvas, label);
		canvas_put_fit(canvas, rect_make(row, col, 1, cols), ALIGN_LEFT, style, label);
		if (end + 1 + canvas_text_width(canvas, share.s) <= col + cols)
			end = canvas_put(canvas, row, end + 1, style, share.s);
		at = end + 1;
	}
	for (; !canvas_colour(canvas) && at < col + cols; at++)
		canvas_glyph(canvas, row, at, style, families[family].pattern);
}

/* Draw one bar; a divider separates it from its left neighbour. */
static void draw_segment(const struct picture *p, const struct icicle_segment *segment, bool selected)
{
	struct canvas *canvas = p->canvas;
	int row = area_row(p, segment->row), col = p->area.col + segment->col, cols = segment->cols;
	bool merged = segment->merged > 0 || segment->span < 0; /* the rest of row 0 contains bars, too */
	char buf[CALL_NAME_SIZE];

	if (row < 0)
		return;
	uint32_t function = merged ? CALLS_NONE : function_of(p, segment->span);
	enum call_family family = merged ? CALL_PROGRAM : p->names->family(p->names->ctx, function);
	const char *name = merged ? "" : p->names->name(p->names->ctx, function, buf);
	enum style style = merged			      ? STYLE_MERGED
			   : (size_t)segment->span < p->outer ? STYLE_FRAME_OUTER
							      : families[family].style;
	if (!merged && p->search[0] != '\0' && strcasestr(name, p->search) != NULL)
		style = STYLE_MATCH;
	canvas_fill(canvas, rect_make(row, col, 1, cols), style, 0);
	int divider = segment->col > 0 && cols > 1;
	if (divider)
		canvas_glyph(canvas, row, col, style, GLYPH_DIVIDER);
	if (merged)
		canvas_glyph(canvas, row, col + divider + (cols - divider - 1) / 2, style, GLYPH_ELLIPSIS);
	else
		draw_label(p, segment, name, row, col + divider, cols - divider, style, family);
	if (selected)
		canvas_restyle(canvas, rect_make(row, col, 1, cols), STYLE_SELECTED);
}

/* Return the parent bar of a span, to identify siblings. */
static uint32_t parent_of(const struct picture *p, int span)
{
	return (size_t)span < p->outer ? (uint32_t)span : p->tree->bars.bars[(size_t)span - p->outer].parent;
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

/* Scroll until the selected frame is visible. */
static void scroll_to(struct call_tree *tree, int row, int rows)
{
	if (row >= tree->scroll + rows)
		tree->scroll = row - rows + 1;
	if (row < tree->scroll)
		tree->scroll = row;
	if (tree->scroll < 0)
		tree->scroll = 0;
}

static void draw_bars(struct picture *p)
{
	struct call_tree *tree = p->tree;
	struct icicle_segment *segments = reallocarray(NULL, SEGMENTS_MAX, sizeof(*segments));

	/* Frames on the way take at most a third of the rows. */
	size_t most = (size_t)(p->area.rows > 3 ? p->area.rows / 3 : 1);
	p->outer = tree->zoom.depth < most ? tree->zoom.depth : most;
	p->skipped = tree->zoom.depth - p->outer;
	int bar = call_tree_selected(tree);
	p->selected = bar + (int)p->outer; /* or the last frame on the way */
	if (segments != NULL && make_spans(p)) {
		int row = p->selected >= 0 ? (int)p->spans[p->selected].depth : 0;
		scroll_to(tree, row, p->area.rows);
		int count = icicle_layout(p->spans, p->span_count, tree->bars.total, &tree->memory,
		    tree->scroll + p->area.rows, p->area.cols, segments, SEGMENTS_MAX);
		struct rect old = canvas_clip(p->canvas, p->area);
		int selected = selected_segment(p, segments, count);
		for (int i = 0; i < count; i++)
			draw_segment(p, &segments[i], i == selected);
		canvas_unclip(p->canvas, old);
	}
	free(segments);
	free(p->spans);
}

/* Draw the line above the tree: what widths mean, and the names for the innermost functions and for CALL_UNKNOWN. */
static void draw_title(
    const struct call_tree *tree, const struct call_page *page, struct canvas *canvas, struct rect line)
{
	const struct line_item items[] = {line_labelled("width", page->width, 0),
	    line_said("rows", 1, "%s %s to %s", tree->invert ? page->innermost : "callers",
		tree->flame ? "up" : "down", tree->invert ? "callers" : page->innermost),
	    line_if(tree->zoom.depth > 0, line_said("zoomed", 2, "%zu deep", tree->zoom.depth)),
	    line_right(line_value(" program ", STYLE_FRAME, 3)),
	    line_right(line_value(" stdlib ", STYLE_FRAME_LIBRARY, 3)),
	    line_right(line_value(page->unknown, STYLE_FRAME_UNKNOWN, 3))};

	line_draw(canvas, line, 2, items, canvas_colour(canvas) ? 6 : 3);
}

uint32_t call_tree_function(const struct call_tree *tree, int bar)
{
	return bar >= 0		      ? tree->bars.bars[bar].function
	       : tree->zoom.depth > 0 ? tree->zoom.functions[tree->zoom.depth - 1]
				      : CALLS_NONE;
}

struct rect call_tree_draw(struct call_tree *tree, const struct call_names *names,
    const struct call_page *page, const char *search, struct canvas *canvas, struct rect area)
{
	const bool tall = area.rows >= DETAILS_FROM;

	if (area.rows >= TITLE_FROM)
		draw_title(tree, page, canvas, rect_cut_top(&area, 1));
	const struct rect details = rect_cut_bottom(&area, tall ? CALL_DETAILS : 0);
	struct picture picture = {
	    .tree = tree, .names = names, .search = search, .canvas = canvas, .area = area, .selected = -1};
	tree->rows = area.rows;
	if (tree->bars.total > 0) {
		draw_bars(&picture);
		return details;
	}
	char text[96];
	snprintf(text, sizeof(text), "%s: %s", page->nothing, page->weight);
	canvas_put_fit(canvas, area, ALIGN_LEFT, STYLE_MUTED, text);
	return (struct rect){0};
}
