/*
 * phases.c - view 3: the tree of phases of all domains with count, total, self and maximum.
 *
 * An opened path has its own page, which also stands below the tree for the selected one where there is room.
 * Below both are the causes of collections.  Unsorted, the table is a tree by cost; its small paths are folded
 * into a last line, which Enter unfolds.  Sorted by a column it is flat, and each entry names its parent phase.
 */
#include "core/order.h"
#include "print/number.h"
#include "ui/recent.h"
#include "ui/views/span_page.h"
#include "ui/views/tabular.h"

/* Return the meaning of a cause. */
static const char *meaning_of(rtev_counter counter)
{
	static const char *const meanings[RTEV_COUNTER_COUNT] = {
	    [RTEV_COUNTER_FORCE_MINOR_ALLOC_SMALL] = "a small block, and the minor heap was full",
	    [RTEV_COUNTER_FORCE_MINOR_MAKE_VECT] = "an array of a value in the minor heap",
	    [RTEV_COUNTER_FORCE_MINOR_SET_MINOR_HEAP_SIZE] = "the minor heap changed its size",
	    [RTEV_COUNTER_FORCE_MINOR_MEMPROF] = "a callback of Memprof",
	    [RTEV_COUNTER_REQUEST_MAJOR_ALLOC_SHR] = "allocation in the major heap asked for a slice",
	    [RTEV_COUNTER_REQUEST_MAJOR_ADJUST_GC_SPEED] = "memory outside the heap asked for a slice",
	    [RTEV_COUNTER_REQUEST_MINOR_REALLOC_REF_TABLE] = "the remembered set was full",
	    [RTEV_COUNTER_REQUEST_MINOR_REALLOC_EPHE_REF_TABLE] = "the table of ephemerons was full",
	    [RTEV_COUNTER_REQUEST_MINOR_REALLOC_CUSTOM_TABLE] = "the table of custom blocks was full",
	    [RTEV_COUNTER_REQUEST_MINOR_REALLOC_DEPENDENT_TABLE] = "the table of dependent memory was full",
	};

	return meanings[counter] != NULL ? meanings[counter] : "";
}

static int by_count(const void *a, const void *b)
{
	const struct model_counter *x = a, *y = b;

	return ORDER_BY(ORDER_FALLING(x, y, count), ORDER_RISING(x, y, counter));
}

/* Collect the causes that were counted.  Returns their number. */
static int collect(const struct subject *s, struct model_counter out[RTEV_COUNTER_COUNT])
{
	int count = 0;

	for (unsigned c = 0; c < RTEV_COUNTER_COUNT; c++) {
		if (rtev_counter_kind((rtev_counter)c) != RTEV_KIND_MARKER)
			continue;
		model_counter_total(watch_model(s->watch), (rtev_counter)c, &out[count]);
		out[count].counter = (rtev_counter)c;
		count += out[count].count != 0;
	}
	qsort(out, (size_t)count, sizeof(out[0]), by_count);
	return count;
}

/* The causes that were counted. */
struct causes {
	const struct subject *s;
	struct model_counter of[RTEV_COUNTER_COUNT];
	int count;
	bool meant; /* there is no room for names, too */
};

#define CAUSE_COLUMNS(X)                                                                                     \
	X(WHY, "why", 16, 16, LEFT, 0, NAMES, cause_cell(cause->counter, causes->meant))                     \
	X(TIMES, "count", 6, 8, RIGHT, 0, FIXED, cell_count(cause->count))                                   \
	X(RATE, "rate", 7, 9, RIGHT, 0, FIXED,                                                               \
	    cell_value(UNIT_RATE, figure_mean(m, FIGURE_VALUES, cause->counter, WATCH_STEP).sum))            \
	X(MEANING, "", 20, 44, LEFT, 1, GROWS,                                                               \
	    cell_styled(cell_text(meaning_of(cause->counter)), STYLE_MUTED))

TABLE_LIST(CAUSE_COLUMNS, cause_columns, CAUSE_COLUMN_COUNT);

/* Name a cause, or say what it means. */
static struct tabular_cell cause_cell(rtev_counter counter, bool meant)
{
	char name[RTEV_NAME_SIZE];

	return cell_text(
	    meant && meaning_of(counter)[0] != '\0' ? meaning_of(counter) : rtev_counter_name(counter, name));
}

/* Counts are since the attach or the last reset; rates are over that time without pauses of the target. */
static struct tabular_cell cell_of_cause(const void *of, int row, int column)
{
	const struct causes *causes = of;
	const struct model_counter *cause = &causes->of[row];
	const struct model *m = watch_model(causes->s->watch);

	TABLE_RETURN(CAUSE_COLUMNS);
}

/* Draw the causes of collections, the most frequent first. */
static void causes_draw(struct causes *causes, struct canvas *canvas, struct rect area)
{
	enum { FIGURES_COLS = 2 + 8 + 2 + 9 + 2 };
	int names = 0, meanings = 0;

	for (int i = 0; i < causes->count; i++) {
		const int named = canvas_text_width(canvas, cause_cell(causes->of[i].counter, false).text),
			  meaning = canvas_text_width(canvas, meaning_of(causes->of[i].counter));
		names = named > names ? named : names;
		meanings = meaning > meanings ? meaning : meanings;
	}
	causes->meant = names + FIGURES_COLS + meanings > area.cols;
	tabular_rows(cause_columns, causes->meant ? COLUMN_MEANING : CAUSE_COLUMN_COUNT, causes->count,
	    cell_of_cause, causes, canvas, area);
}

/* ---- phases ---- */

/* Least height that shows the causes. */
#define CAUSES_FROM 14
#define PREVIEW_LEAST 5 /* rows of the selected path's page below the table */

/* Size of a page's title, the path from the phase outwards; truncated. */
#define PAGE_NAME 256

#define PHASE_COLUMNS(X)                                                                                     \
	X(PHASE, "phase", 20, 44, LEFT, 0, PHASES, name_cell(paths, item, ui_place(ui)->sort < 0))           \
	X(COUNT, "count", 6, 8, RIGHT, 1, FIXED, cell_count(p->count))                                       \
	X(TOTAL, "total", 7, 8, RIGHT, 0, FIXED, cell_duration(p->total))                                    \
	X(SHARE, "of GC", 5, 6, RIGHT, 3, FIXED, cell_value(UNIT_SHARE, p->of_gc))                           \
	X(SELF, "self", 7, 8, RIGHT, 1, FIXED, cell_duration(p->self))                                       \
	X(MEAN, "mean", 7, 8, RIGHT, 4, FIXED, cell_duration(p->count != 0 ? p->total / p->count : 0))       \
	X(MAX, "max", 7, 8, RIGHT, 2, FIXED, cell_duration(p->max))

TABLE_LIST(PHASE_COLUMNS, columns, COLUMNS);

/* Return whether small paths are folded: unless the table is searched or sorted. */
static bool folds(struct ui *ui)
{
	const struct view_place *place = ui_place(ui);

	return !span_page_of(ui)->all && place->sort < 0 && place->search[0] == '\0' &&
	       place->filter[0] == '\0';
}

/* Return the index of an item's path; -1: it is the line of the *folded paths. */
static int path_of(struct ui *ui, const struct path *paths, size_t count, int item, int *folded)
{
	bool fold = folds(ui);
	int shown = 0, at = -1;

	*folded = 0;
	for (size_t i = 0; i < count; i++) {
		if (fold && paths[i].small)
			++*folded;
		else if (shown++ == item)
			at = (int)i;
	}
	return at;
}

static int items(struct ui *ui, const struct subject *s)
{
	size_t count;
	int folded;
	const struct path *paths = paths_list(watch_paths(s->watch), &count);

	path_of(ui, paths, count, -1, &folded);
	return (int)count - folded + (folded > 0);
}

/* The selection stays with its path; the line of folded paths is the last. */
static int64_t identity(struct ui *ui, const struct subject *s, int item)
{
	size_t count;
	int folded;
	const struct path *paths = paths_list(watch_paths(s->watch), &count);
	int at = path_of(ui, paths, count, item, &folded);

	return at >= 0 ? (int64_t)paths[at].node : -1;
}

/* Name a path: in the tree by its depth, else with its parent phase. */
static struct tabular_cell name_cell(const struct path *paths, int item, bool tree)
{
	const struct path *p = paths + item;
	char name[RTEV_NAME_SIZE], outer[RTEV_NAME_SIZE];
	int parent = item;

	while (parent > 0 && paths[parent].depth >= p->depth)
		parent--;
	return cell_styled(!tree && p->depth > 0 ? cell_said("%s in %s", rtev_phase_name(p->phase, name),
						       rtev_phase_name(paths[parent].phase, outer))
						 : cell_said("%*s%s", tree ? 2 * p->depth : 0, "",
						       rtev_phase_name(p->phase, name)),
	    theme_class(rtev_phase_class(p->phase))->ink);
}

static struct tabular_cell cell(struct ui *ui, const struct subject *s, int item, int column)
{
	size_t count;
	int folded;
	const struct path *paths = paths_list(watch_paths(s->watch), &count), *p;

	item = path_of(ui, paths, count, item, &folded);
	if (item < 0 && column == COLUMN_PHASE)
		return cell_styled(
		    cell_said("and %d below %.0f%% of GC: Enter", folded, 100 * PATHS_SMALL), STYLE_MUTED);
	if (item < 0)
		return cell_empty();
	p = paths + item;
	TABLE_RETURN(PHASE_COLUMNS);
}

static const struct tabular phases = {TABULAR_COLUMNS(columns), .sort = -1, .empty = "no phase has ended yet",
    .items = items, .cell = cell, .identity = identity};

/* Return the index of the page's path; -1: none of its spans has ended yet. */
static int page_item(const struct span_page *page, const struct path *paths, size_t count)
{
	unsigned same = 0; /* length of the common prefix with the page's path */

	for (size_t i = 0; i < count; i++) {
		if (paths[i].depth < same)
			same = paths[i].depth;
		if (paths[i].depth != same || same > page->depth || paths[i].phase != page->path[same])
			continue;
		if (same == page->depth)
			return (int)i;
		same++;
	}
	return -1;
}

/* Gather the data of the page; `name` gets its title, `times` the durations of its spans. */
static struct span_page_facts page_facts(
    const struct span_page *page, const struct subject *s, char *name, size_t size, struct path_times *times)
{
	size_t count;
	const struct path *paths = paths_list(watch_paths(s->watch), &count);
	int item = page_item(page, paths, count);
	char inner[RTEV_NAME_SIZE], outer[RTEV_NAME_SIZE];
	struct span_page_facts facts = {
	    .name = name,
	    .style = theme_class(rtev_phase_class(page->path[page->depth]))->ink,
	    .empty = "none of these spans has ended yet",
	};

	snprintf(name, size, "%s", rtev_phase_name(page->path[page->depth], inner));
	for (unsigned at = page->depth; at-- > 0;) {
		size_t used = strlen(name);
		snprintf(name + used, size - used, " in %s", rtev_phase_name(page->path[at], outer));
	}
	if (item < 0)
		return facts;
	if (paths_times(watch_paths(s->watch), &paths[item], times))
		facts.spans = &times->hist;
	facts.count = paths[item].count;
	facts.total = paths[item].total;
	facts.self = paths[item].self;
	facts.longest = paths[item].longest;
	return facts;
}

/* Set the path of a page: that of an item, from its outermost phase inwards. */
static void page_of(struct span_page *page, const struct path *paths, int item)
{
	page->depth = paths[item].depth;
	for (int i = item, depth = paths[item].depth; i >= 0 && depth >= 0; i--)
		if (paths[i].depth == depth)
			page->path[depth--] = paths[i].phase;
}

/* Draw the page of the selected path below the table. */
static void draw_preview(struct ui *ui, const struct subject *s, struct canvas *canvas, struct rect area)
{
	size_t count;
	const struct path *paths = paths_list(watch_paths(s->watch), &count);
	int folded, item = path_of(ui, paths, count, tabular_selected(ui), &folded);
	struct span_page page = {0};
	struct path_times times;
	char name[PAGE_NAME];

	if (item < 0)
		return;
	page_of(&page, paths, item);
	const struct span_page_facts facts = page_facts(&page, s, name, sizeof(name), &times);
	span_page_draw(ui, s, span_page_of(ui), &facts, false, canvas, area);
}

static void draw(struct ui *ui, const struct subject *s, struct canvas *canvas, struct rect body)
{
	const int table = items(ui, s) + 1;
	struct causes causes = {.s = s};
	struct rect below = {0};
	struct path_times times;
	char name[PAGE_NAME];

	if (span_page_of(ui)->on) {
		const struct span_page_facts facts =
		    page_facts(span_page_of(ui), s, name, sizeof(name), &times);
		span_page_draw(ui, s, span_page_of(ui), &facts, true, canvas, body);
		return;
	}
	causes.count = collect(s, causes.of);
	if (causes.count > 0 && body.rows >= CAUSES_FROM) {
		const int rows = causes.count < body.rows / 3 ? causes.count + 1 : body.rows / 3;
		causes_draw(&causes, canvas, rect_cut_bottom(&body, rows));
		rect_cut_bottom(&body, 1);
	}
	if (table > 1 && body.rows >= table + 1 + PREVIEW_LEAST) {
		below = body;
		body = rect_cut_top(&below, table);
		rect_cut_top(&below, 1);
	}
	tabular_draw(ui, s, &phases, canvas, body);
	if (!rect_empty(below))
		draw_preview(ui, s, canvas, below);
}

/* Open the selected path. */
static unsigned open_path(struct ui *ui, const struct subject *s)
{
	struct span_page *page = span_page_of(ui);
	size_t count;
	const struct path *paths = paths_list(watch_paths(s->watch), &count);
	int folded, item = tabular_item(ui, s, &phases);

	if (item < 0)
		return UI_NOTHING;
	item = path_of(ui, paths, count, item, &folded);
	if (item < 0) {
		span_page_of(ui)->all = true;
		return UI_DIRTY;
	}
	page_of(page, paths, item);
	span_page_open(ui, page);
	return UI_DIRTY | UI_RELAYOUT;
}

/* Enter opens a path, Esc returns to the tree. */
static unsigned act(struct ui *ui, const struct subject *s, enum ui_action action)
{
	struct path_times times;
	char name[PAGE_NAME];

	if (span_page_of(ui)->on) {
		const struct span_page_facts facts =
		    page_facts(span_page_of(ui), s, name, sizeof(name), &times);
		return span_page_act(ui, s, span_page_of(ui), &facts, action);
	}
	if (action == ACTION_OPEN)
		return open_path(ui, s);
	unsigned reactions = tabular_act(ui, s, &phases, action);
	if (action == ACTION_BACK && reactions == UI_NOTHING && ui_place(ui)->sort >= 0) {
		ui_place(ui)->sort = -1;
		return UI_DIRTY;
	}
	if (action == ACTION_BACK && reactions == UI_NOTHING && span_page_of(ui)->all) {
		span_page_of(ui)->all = false;
		return UI_DIRTY;
	}
	return reactions;
}

const struct view_ops view_phases = {
    .table = &phases, .size = sizeof(struct span_page), .there = span_page_there, .draw = draw, .act = act};
