/*
 * fibers.c - view f: which fiber runs, which one blocks the loop, which ones wait, and for what.
 *
 * Above is the event loop of each domain.  Below are the living fibers, grouped by path, operation and
 * object.  Enter opens a group, then a fiber; what is open is kept by its identity while others come and go.
 * Other modes are the tree of contexts and the timeline of loops.
 */
#include "figures/figures.h"
#include "ui/recent.h"
#include "ui/views/fibers.h"

#define PREVIEW_LEAST 5 /* lines with the fibers of the group that is selected */

/* A group. */
struct fiber_place_group {
	const struct fiber_crowd *crowd;
	const struct fiber_group *path; /* totals of its path; NULL: none */
};

/* ---- the lists of a drawing or a key ---- */

static void lists_drop(struct ui *ui)
{
	struct fibers_place *p = fibers_own(ui);

	fiber_report_fini(&p->report);
	free(p->rows);
	free(p->crowds);
	free(p->groups);
	p->rows = NULL;
	p->crowds = NULL;
	p->groups = NULL;
	p->row_count = p->group_count = 0;
}

/* Return the identity of a group: the FNV-1a hash of what its fibers have in common. */
static int64_t group_identity(struct ui *ui, const struct subject *s, int item)
{
	const struct fiber_row *row = &fibers_own(ui)->groups[item].crowd->first;
	const struct fiber_text texts[] = {row->op, row->name};
	uint64_t hash = UINT64_C(0xcbf29ce484222325) ^ row->path.node;

	hash = (hash * 31 + (uint64_t)row->state) * 31 + (uint64_t)row->kind;
	for (size_t t = 0; t < 2; t++)
		for (size_t i = 0; i <= texts[t].len; i++)
			hash = (hash ^ (i < texts[t].len ? (uint8_t)texts[t].text[i] : 0xffu)) *
			       UINT64_C(0x100000001b3);
	return (int64_t)(hash & INT64_MAX);
}

static int by_path(const void *left, const void *right)
{
	const struct fiber_group *a = left, *b = right;

	return fiber_path_order(a->path, b->path);
}

/* The totals of a path are shown once: for the largest of its groups, which are adjacent. */
static void share_out(struct fibers_place *p)
{
	for (size_t i = 1, largest = 0; i < p->group_count; i++) {
		struct fiber_place_group *a = &p->groups[largest], *b = &p->groups[i];
		bool same = a->path != NULL && a->path == b->path;
		if (same && b->crowd->count <= a->crowd->count) {
			b->path = NULL;
			continue;
		}
		if (same)
			a->path = NULL;
		largest = i;
	}
}

/* Build the groups, each with the totals of its path. */
static void groups_make(struct ui *ui, const struct subject *s)
{
	struct fibers_place *p = fibers_own(ui);
	struct fiber_report *report = &p->report;

	if (report->group_count > 0)
		qsort(report->groups, report->group_count, sizeof(*report->groups), by_path);
	p->run_ns = 0;
	for (size_t i = 0; i < report->group_count; i++)
		p->run_ns += report->groups[i].run_ns;
	for (size_t i = 0; i < p->group_count; i++) {
		const struct fiber_group wanted = {.path = p->crowds[i].first.path};
		p->groups[i] = (struct fiber_place_group){.crowd = &p->crowds[i],
		    .path = report->group_count == 0 ? NULL
						     : bsearch(&wanted, report->groups, report->group_count,
							   sizeof(wanted), by_path)};
	}
	share_out(p);
	for (p->open = 0; p->open < p->group_count && group_identity(ui, s, (int)p->open) != p->group;)
		p->open++;
}

/* Read the lists.  They are empty when memory ran out. */
static void lists_read(struct ui *ui, const struct subject *s)
{
	struct fibers_place *p = fibers_own(ui);
	const uint64_t end = figure_end(watch_model(s->watch));
	bool ok = fibers_report_runs(s->fibers, end, &p->report);

	if (ok && p->level == FIBERS_ONE) {
		p->rows = fibers_about(s->fibers, end, p->fiber, &p->row_count);
		return;
	}
	p->crowds = ok ? fibers_crowds(s->fibers, end, &p->group_count) : NULL;
	p->groups = p->crowds != NULL ? malloc((p->group_count + 1) * sizeof(*p->groups)) : NULL;
	if (p->groups == NULL) {
		lists_drop(ui);
		return;
	}
	groups_make(ui, s);
	if (p->level == FIBERS_OF_GROUP && p->open < p->group_count)
		p->rows = fibers_crowd(s->fibers, end, &p->crowds[p->open], &p->row_count);
}

/* ---- groups ---- */

#define GROUP_COLUMNS(X)                                                                                     \
	X(PATH, "path", 12, 36, LEFT, 0, NAMES, fibers_cell_path(row->path))                                 \
	X(FIBERS, "fibers", 7, 7, RIGHT, 0, FIXED, cell_count(group->crowd->count))                          \
	X(DOES, "in", 8, 26, LEFT, 0, NAMES, fibers_cell_doing(row))                                         \
	X(OBJECT, "waits for", 9, 24, LEFT, 1, NAMES, fibers_cell_object(row, group->crowd->one_object))     \
	X(LONGEST, "longest", 7, 8, RIGHT, 0, FIXED,                                                         \
	    cell_if(row->since_ns > 0, cell_duration(row->since_ns)))                                        \
	X(RUNS, "runs", 6, 8, RIGHT, 5, FIXED, cell_if(ran, cell_count(path->runs)))                         \
	X(SHARE, "of runs", 7, 7, RIGHT, 2, FIXED,                                                           \
	    cell_if(ran, cell_share(path->run_ns, fibers_own(ui)->run_ns)))                                  \
	X(RUN, "run max", 7, 8, RIGHT, 3, FIXED, cell_if(ran, fibers_cell_run(path->run_max_ns)))            \
	X(SPAN, "span of it", 10, 16, LEFT, 6, NAMES, fibers_cell_text(path->run_max_span))                  \
	X(GC, "GC in it", 8, 8, RIGHT, 4, FIXED, cell_if(ran, cell_duration(path->run_max_gc_ns)))

TABLE_LIST(GROUP_COLUMNS, columns, COLUMNS);

struct tabular_cell fibers_cell_text(struct fiber_text text)
{
	return text.text != NULL ? cell_said("%.*s", (int)text.len, text.text) : cell_empty();
}

struct tabular_cell fibers_cell_doing(const struct fiber_row *row)
{
	return row->state == FIBER_BLOCKED   ? fibers_cell_text(row->op)
	       : row->state == FIBER_RUNNING ? cell_styled(cell_text("runs"), STYLE_GOOD)
					     : cell_text("ready");
}

struct tabular_cell fibers_cell_object(const struct fiber_row *row, bool one)
{
	struct tabular_cell cell = cell_empty();

	if (row->kind != FIBER_KIND_NONE)
		fiber_object_text(row->kind, one, row->object, row->name, cell.text, sizeof(cell.text));
	return cell;
}

static int group_items(struct ui *ui, const struct subject *s)
{
	return (int)fibers_own(ui)->group_count;
}

struct tabular_cell fibers_cell_run(uint64_t ns)
{
	return cell_styled(cell_duration(ns), ns >= FIBERS_LATE_NS ? STYLE_WARN : STYLE_TEXT);
}

struct tabular_cell fibers_cell_path(struct fiber_path path)
{
	char text[FIBER_PATH_SIZE];

	return cell_text(fiber_path_text(path, text, sizeof(text)));
}

/* Figures about the runs of a path are since the attach or the last reset. */
static struct tabular_cell group_cell(struct ui *ui, const struct subject *s, int item, int column)
{
	static const struct fiber_group none;
	const struct fiber_place_group *group = &fibers_own(ui)->groups[item];
	const struct fiber_row *row = &group->crowd->first;
	const struct fiber_group *path = group->path != NULL ? group->path : &none;
	const bool ran = path->runs > 0;

	TABLE_RETURN(GROUP_COLUMNS);
}

static const struct tabular groups = {TABULAR_COLUMNS(columns), .sort = COLUMN_FIBERS, .sparse = true,
    .item_name = "group", .empty = "no fiber is alive, as far as is known", .items = group_items,
    .cell = group_cell, .identity = group_identity};

/* ---- the fibers of a group ---- */

#define FIBER_COLUMNS(X)                                                                                     \
	X(ID, "fiber", 8, 10, RIGHT, 0, FIXED, cell_number(row->id))                                         \
	X(ON, "on", 4, 4, LEFT, 3, FIXED, cell_domain(row->domain))                                          \
	X(DOING, "in", 8, 26, LEFT, 0, NAMES, fibers_cell_doing(row))                                        \
	X(SINCE, "for", 7, 8, RIGHT, 0, FIXED, cell_if(row->since_ns > 0, cell_duration(row->since_ns)))     \
	X(WHAT, "waits for", 9, 28, LEFT, 1, NAMES, fibers_cell_object(row, row->wants))                     \
	X(HOLDER, "held by", 8, 28, LEFT, 2, NAMES, holder_cell(row))                                        \
	X(INSIDE, "span", 8, 20, LEFT, 4, NAMES, fibers_cell_text(row->span))

TABLE_LIST(FIBER_COLUMNS, fiber_columns, FIBER_COLUMN_COUNT);

static int fiber_items(struct ui *ui, const struct subject *s)
{
	return (int)(fibers_own(ui)->row_count < TABULAR_ITEMS_MAX ? fibers_own(ui)->row_count
								   : TABULAR_ITEMS_MAX);
}

static const struct fiber_row *fiber_of(const struct ui *ui, int item)
{
	return &fibers_own(ui)->rows[item];
}

static int64_t fiber_identity(struct ui *ui, const struct subject *s, int item)
{
	return (int64_t)(fiber_of(ui, item)->id & INT64_MAX);
}

static struct tabular_cell holder_cell(const struct fiber_row *row)
{
	char path[FIBER_PATH_SIZE];

	return row->held ? cell_said("%" PRIu64 " %s", row->holder,
			       fiber_path_text(row->holder_path, path, sizeof(path)))
			 : cell_empty();
}

static struct tabular_cell fiber_cell(struct ui *ui, const struct subject *s, int item, int column)
{
	const struct fiber_row *row = fiber_of(ui, item);

	TABLE_RETURN(FIBER_COLUMNS);
}

static const struct tabular fibers_of_group = {TABULAR_COLUMNS(fiber_columns), .sort = -1, .sparse = true,
    .item_name = "fiber", .empty = "none of them is left", .items = fiber_items, .cell = fiber_cell,
    .identity = fiber_identity};

void fibers_draw_rows(struct ui *ui, const struct subject *s, struct canvas *canvas, struct rect area)
{
	tabular_preview(ui, s, &fibers_of_group, canvas, area);
}

/* ---- loops ---- */

bool fibers_draw_loop(
    const struct subject *s, unsigned domain, struct canvas *canvas, struct rect line, bool pane)
{
	const struct model *m = watch_model(s->watch);
	uint64_t alive, blocked;
	struct fiber_loop loop;
	struct fiber_run run = {0};

	if (line.rows == 0 || !figure_loop(s->fibers, m, domain, &loop))
		return false;
	fibers_count(s->fibers, domain, &alive, &blocked);
	const bool known = fibers_totals(s->fibers).alive_known;
	const uint64_t seen_ns = loop.seen_ns + loop.lap_ns;
	if (seen_ns == 0 && alive == 0)
		return false;
	const double p99 = hist_figure(loop.lengths, 99, 100), most = hist_figure(loop.lengths, 1, 1);
	const bool rated = loop.counted && seen_ns >= 1000000000;
	const bool runs = pane && fibers_running(s->fibers, domain, figure_end(m), &run);
	const struct formatted busy =
	    format_percent(figure_share((double)loop.busy_ns, (double)loop.seen_ns));
	const struct formatted rate = format_if(rated, format_rate(figure_rate((double)loop.turns, seen_ns)));
	struct line_item items[] = {line_styled(line_said("", 0, "D%u", domain), STYLE_TITLE),
	    line_figure("loop busy", busy, 0), line_figure("turns", rate, 5),
	    line_figure("turn p50", format_figure(UNIT_NS, hist_figure(loop.lengths, 50, 100)), 4),
	    line_figure("p99", format_figure(UNIT_NS, p99), 1),
	    line_figure("max", format_figure(UNIT_NS, most), 0),
	    line_figure("fibers", format_if(known, format_count(alive)), 2),
	    line_figure("ready", format_if(known, format_count(alive - blocked)), 6),
	    line_figure("blocked", format_if(known, format_count(blocked)), 3),
	    line_if(runs, line_said("runs", 7, "fiber %" PRIu64, run.fiber))};

	if (loop.lap_ns > 0) {
		const struct line_item lap_items[] = {items[0], line_figure("laps", rate, 0),
		    line_said("paused", 1, "%" PRId64, loop.paused),
		    line_said("jobs", 1, "%" PRId64, loop.jobs)};
		line_draw(canvas, line, 2, lap_items + pane, 4 - pane);
		return true;
	}
	items[4].value_style = p99 >= FIBERS_LATE_NS ? STYLE_WARN : items[4].value_style;
	items[5].value_style = most >= FIBERS_LATE_NS ? STYLE_WARN : items[5].value_style;
	line_draw(canvas, line, 2, items + pane, (int)(sizeof(items) / sizeof(items[0])) - pane);
	return true;
}

/* Draw the loops, in a third of the body at most. */
static void draw_loops(const struct subject *s, struct canvas *canvas, struct rect *body)
{
	const int room = body->rows / 3;
	int drawn = 0;

	for (unsigned i = 0; i < model_domains(watch_model(s->watch)) && drawn < room; i++)
		if (fibers_draw_loop(s, i, canvas, rect_make(body->row, body->col, 1, body->cols), false)) {
			rect_cut_top(body, 1);
			drawn++;
		}
	if (drawn > 0)
		rect_cut_top(body, 1);
}

static void draw_totals(const struct subject *s, struct canvas *canvas, struct rect line)
{
	const struct fiber_totals t = fibers_totals(s->fibers);

	const bool told = (t.tells & FIBERS_TELL_FIBERS) != 0,
		   failures = (t.tells & FIBERS_TELL_CONTEXTS) != 0;
	if (!told) {
		canvas_put_fit(canvas, line, ALIGN_LEFT, STYLE_TEXT, FIBERS_LAPS_ONLY);
		return;
	}
	const struct line_item errors = line_figure("errors", format_if(failures, format_count(t.errors)), 1);
	const struct line_item items[] = {line_labelled("fibers of", s->scheduler, 0),
	    line_figure("alive", format_if(t.alive_known, format_count(t.alive)), 0),
	    line_figure("created", format_count(t.created), 2),
	    line_figure("ended", format_count(t.finished), 3),
	    line_styled(errors, t.errors > 0 ? STYLE_BAD : STYLE_VALUE),
	    line_if(t.cancelled > 0, line_figure("cancelled", format_count(t.cancelled), 5)),
	    line_if(t.timeouts > 0, line_figure("by a time limit", format_count(t.timeouts), 6)),
	    line_if(
		t.forgotten > 0, line_figure("blocked too long to be kept", format_count(t.forgotten), 4))};

	line_draw(canvas, line, 3, items, (int)(sizeof(items) / sizeof(items[0])));
}

/* Draw the groups and, where they leave room, the fibers of the one that is selected, and the longest runs. */
static void draw_groups(struct ui *ui, const struct subject *s, struct canvas *canvas, struct rect body)
{
	struct fibers_place *p = fibers_own(ui);
	struct rect below = body, table = body;

	if (p->group_count > 0 && p->group_count + 2 + PREVIEW_LEAST <= (size_t)body.rows) {
		table = rect_cut_top(&below, (int)p->group_count + 1);
		rect_cut_top(&below, 1);
	}
	tabular_draw(ui, s, &groups, canvas, table);
	const int item = tabular_selected(ui);
	if (table.rows == body.rows || item < 0 || (size_t)item >= p->group_count)
		return;
	p->rows =
	    fibers_crowd(s->fibers, figure_end(watch_model(s->watch)), p->groups[item].crowd, &p->row_count);
	const int rows =
	    p->row_count + 2 + PREVIEW_LEAST <= (size_t)below.rows ? (int)p->row_count + 2 : below.rows;
	if (p->rows != NULL)
		fibers_draw_rows(ui, s, canvas, rect_cut_top(&below, rows));
	if (!rect_empty(below))
		fibers_time_longest(ui, s, canvas, below);
}

/* Whether the current mode uses the lists of all fibers. */
static bool of_lists(const struct ui *ui)
{
	return fibers_own(ui)->mode == FIBERS_TABLE || fibers_own(ui)->level == FIBERS_ONE;
}

static void draw(struct ui *ui, const struct subject *s, struct canvas *canvas, struct rect body)
{
	struct fibers_place *p = fibers_own(ui);
	const bool told = (fibers_totals(s->fibers).tells & FIBERS_TELL_FIBERS) != 0;

	if (of_lists(ui))
		lists_read(ui, s);
	draw_totals(s, canvas, rect_cut_top(&body, 1));
	if (p->level == FIBERS_ONE) {
		fibers_draw_one(ui, s, canvas, body);
	} else if (p->mode == FIBERS_TREE && told) {
		fibers_tree_draw(ui, s, canvas, body);
	} else if (p->mode == FIBERS_TIMELINE) {
		fibers_time_draw(ui, s, canvas, body);
	} else if (p->level == FIBERS_OF_GROUP) {
		tabular_draw(ui, s, &fibers_of_group, canvas, body);
	} else {
		draw_loops(s, canvas, &body);
		if (told)
			draw_groups(ui, s, canvas, body);
	}
	lists_drop(ui);
}

/* ---- keys ---- */

/* Open the selected group. */
static unsigned open_selected_group(struct ui *ui, const struct subject *s)
{
	int item = tabular_item(ui, s, &groups);

	if (item < 0)
		return UI_NOTHING;
	fibers_own(ui)->level = FIBERS_OF_GROUP;
	fibers_own(ui)->group = group_identity(ui, s, item);
	fibers_own(ui)->outer = *ui_place(ui);
	*ui_place(ui) = (struct view_place){.item = -1, .sort = -1};
	return UI_DIRTY;
}

static unsigned open_selected_fiber(struct ui *ui, const struct subject *s)
{
	int item = tabular_item(ui, s, &fibers_of_group);

	if (item < 0)
		return UI_NOTHING;
	fibers_own(ui)->level = FIBERS_ONE;
	fibers_own(ui)->fiber = fiber_of(ui, item)->id;
	return UI_DIRTY;
}

static unsigned act_on_groups(struct ui *ui, const struct subject *s, enum ui_action action)
{
	if (fibers_own(ui)->level == FIBERS_GROUPS)
		return action == ACTION_OPEN ? open_selected_group(ui, s)
					     : tabular_act(ui, s, &groups, action);
	if (action == ACTION_OPEN)
		return open_selected_fiber(ui, s);
	unsigned reactions = tabular_act(ui, s, &fibers_of_group, action);
	if (action != ACTION_BACK || reactions != UI_NOTHING)
		return reactions;
	fibers_own(ui)->level = FIBERS_GROUPS;
	*ui_place(ui) = fibers_own(ui)->outer;
	return UI_DIRTY;
}

/* Show the next mode, at the user's position in it. */
static unsigned next_mode(struct ui *ui)
{
	struct fibers_place *p = fibers_own(ui);

	if (p->mode == FIBERS_TABLE && p->level != FIBERS_GROUPS)
		*ui_place(ui) = p->outer;
	p->level = FIBERS_GROUPS;
	p->kept[p->mode] = *ui_place(ui);
	p->been[p->mode] = true;
	p->mode = (p->mode + 1) % FIBERS_MODES;
	*ui_place(ui) = p->been[p->mode] ? p->kept[p->mode] : (struct view_place){.item = -1, .sort = -1};
	return UI_DIRTY | UI_RELAYOUT;
}

/* Open the fiber that the open one waits for. */
static unsigned open_holder(struct ui *ui, const struct subject *s)
{
	struct fibers_place *p = fibers_own(ui);

	lists_read(ui, s);
	/* The fiber itself comes first, then the one that it waits for. */
	const bool known = p->row_count > 1 && p->rows[0].held && p->rows[1].id == p->rows[0].holder;
	p->fiber = known ? p->rows[1].id : p->fiber;
	lists_drop(ui);
	return known ? UI_DIRTY : UI_NOTHING;
}

static unsigned act(struct ui *ui, const struct subject *s, enum ui_action action)
{
	struct fibers_place *p = fibers_own(ui);
	unsigned reactions = UI_NOTHING;

	if (action == ACTION_FIBERS_MODE)
		return next_mode(ui);
	if (p->level == FIBERS_ONE) {
		if (action == ACTION_OPEN)
			return open_holder(ui, s);
		if (action != ACTION_BACK)
			return UI_NOTHING;
		p->level = p->mode == FIBERS_TABLE ? FIBERS_OF_GROUP : FIBERS_GROUPS;
		return UI_DIRTY;
	}
	if (p->mode == FIBERS_TREE)
		return fibers_tree_act(ui, s, action);
	if (p->mode == FIBERS_TIMELINE)
		return fibers_time_act(ui, s, action);
	lists_read(ui, s);
	reactions = act_on_groups(ui, s, action);
	lists_drop(ui);
	return reactions;
}

static bool there(const struct ui *ui, const struct subject *s, enum ui_action action)
{
	const struct fibers_place *p = fibers_own(ui);
	const bool loops = p->mode == FIBERS_TIMELINE;

	switch (action) {
	case ACTION_LOOPS_SHORTER:
	case ACTION_LOOPS_LONGER:
		return loops;
	case ACTION_LEFT:
	case ACTION_RIGHT:
		return loops && ui->frozen;
	case ACTION_SORT_LEFT:
	case ACTION_SORT_RIGHT:
	case ACTION_SORT_MENU:
	case ACTION_REVERSE:
		return p->mode != FIBERS_TREE;
	default:
		return true;
	}
}

const struct view_ops view_fibers = {
    .table = &groups, .size = sizeof(struct fibers_place), .there = there, .draw = draw, .act = act};
