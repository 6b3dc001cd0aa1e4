/*
 * fibers_time.c - view f as a timeline: what the event loop of each domain ran, and the collector below it.
 *
 * A column of a loop has the letter and the colour of the path with most of its time: filled if that is at
 * least half, else the letter only, and a dot for little.  So a blocked loop is a long bar with its duration.
 * Below are the longest runs in that time; Enter opens the moment of one.
 */
#include "ui/views/fibers.h"

#include "figures/figures.h"
#include "core/sum.h"
#include "print/number.h"
#include "ui/layout.h"
#include "ui/views/why.h"
#include "ui/widgets/line.h"
#include "ui/widgets/plot.h"
#include "ui/widgets/track.h"

#define GUTTER 5
#define SPAN_LEAST 100000000u
#define SPAN_MOST 60000000000u
#define LITTLE 0.0625 /* share of a column */
#define LABEL_LEAST 8 /* least width of a bar with a label */
#define RUNS_LEAST 4  /* lines of the list of runs */
#define PATHS 64      /* paths with letters of their own */

enum { GROUPS = 4 };
static const struct {
	const char *letter;
	enum style fill, ink;
} looks[GROUPS + 1] = {{"a", STYLE_GROUP_1, STYLE_GROUP_INK_1}, {"b", STYLE_GROUP_2, STYLE_GROUP_INK_2},
    {"c", STYLE_GROUP_3, STYLE_GROUP_INK_3}, {"d", STYLE_GROUP_4, STYLE_GROUP_INK_4},
    {"+", STYLE_MERGED, STYLE_OWN}};

/* The drawn data: the columns of some domains, and the paths with most of their time, the largest first. */
struct scene {
	uint64_t t0, width, end;
	unsigned cols;
	struct path_time {
		struct fiber_path path;
		double ns;
	} paths[PATHS];
	int path_count;
};

static void scene_make(struct ui *ui, const struct subject *s, int cols, struct scene *out)
{
	struct fibers_place *p = fibers_own(ui);

	*out = (struct scene){.cols = (unsigned)(cols < 1 ? 1 : cols < 1024 ? cols : 1024)};
	if (p->span == 0)
		p->span =
		    ui->window < SPAN_LEAST ? SPAN_LEAST : (ui->window < SPAN_MOST ? ui->window : SPAN_MOST);
	p->back = ui->frozen && p->frozen_at == ui->frozen_range.end ? p->back : 0;
	p->frozen_at = ui->frozen_range.end;
	out->end = s->now > p->back ? s->now - p->back : 0;
	timeline_align(out->end, p->span, out->cols, &out->t0, &out->width);
}

/* ---- the loops ---- */

static int by_time(const void *left, const void *right)
{
	const struct path_time *a = left, *b = right;

	return a->ns != b->ns ? (a->ns < b->ns) - (a->ns > b->ns) : fiber_path_order(a->path, b->path);
}

/* Add the columns of a domain to the times of the paths. */
static void paths_add(struct scene *scene, const struct fiber_column *columns)
{
	for (unsigned c = 0; c < scene->cols; c++) {
		int i = 0;
		if (!columns[c].one)
			continue;
		while (i < scene->path_count && fiber_path_order(scene->paths[i].path, columns[c].path) != 0)
			i++;
		if (i == PATHS)
			continue;
		if (i == scene->path_count)
			scene->paths[scene->path_count++] = (struct path_time){columns[c].path, 0};
		scene->paths[i].ns += columns[c].run_ns;
	}
}

/* Return the look of a path. */
static int look_of(const struct scene *scene, struct fiber_path path)
{
	int i = 0;

	while (i < GROUPS && (i >= scene->path_count || fiber_path_order(scene->paths[i].path, path) != 0))
		i++;
	return i;
}

static void draw_cell(
    const struct scene *scene, const struct fiber_column *column, struct canvas *canvas, int row, int col)
{
	const double share = column->busy_ns / (double)scene->width;
	const int look = column->one ? look_of(scene, column->path) : GROUPS;

	if (share <= 0)
		return;
	if (share < LITTLE || column->run_ns <= 0)
		canvas_glyph(canvas, row, col, share < LITTLE ? looks[look].ink : STYLE_OWN, GLYPH_DOT);
	else
		canvas_char(canvas, row, col, share >= 0.5 ? looks[look].fill : looks[look].ink,
		    (uint32_t)looks[look].letter[0]);
}

/* Write the duration and the path of a run into its bar. */
static void draw_label(
    const struct scene *scene, const struct fiber_run *run, struct canvas *canvas, struct rect line)
{
	char path[FIBER_PATH_SIZE], text[160];
	const uint64_t until = sum_saturating(run->ts, run->duration);

	if (run->ts >= scene->end || until <= scene->t0)
		return;
	uint64_t from = run->ts > scene->t0 ? (run->ts - scene->t0 + scene->width - 1) / scene->width : 0;
	uint64_t to = (until - scene->t0) / scene->width;
	to = to < scene->cols ? to : scene->cols;
	if (to < from + LABEL_LEAST)
		return;
	const int room = (int)(to - from) - 2;
	snprintf(text, sizeof(text), "%s %s", format_duration(run->duration).s,
	    fiber_path_text(run->path, path, sizeof(path)));
	if (canvas_text_width(canvas, text) > room)
		snprintf(text, sizeof(text), "%s", format_duration(run->duration).s);
	if (canvas_text_width(canvas, text) <= room)
		canvas_printf(canvas, line.row, line.col + (int)from, looks[look_of(scene, run->path)].fill,
		    " %s ", text);
}

/* Draw the loop of a domain and, with two rows, the collector's activity. */
static void draw_strip(struct ui *ui, const struct subject *s, const struct scene *scene, unsigned domain,
    const struct fiber_column *columns, const char *name, struct canvas *canvas, struct rect area)
{
	struct track track = {.domain = domain,
	    .t0 = scene->t0,
	    .width = scene->width,
	    .end = scene->end,
	    .columns = scene->cols};

	canvas_put_fit(canvas, rect_make(area.row, area.col, 1, GUTTER - 1), ALIGN_LEFT, STYLE_TITLE, name);
	if (area.rows > 1)
		canvas_put_fit(
		    canvas, rect_make(area.row + 1, area.col, 1, GUTTER - 1), ALIGN_LEFT, STYLE_LABEL, "GC");
	rect_cut_left(&area, GUTTER);
	struct rect old = canvas_clip(canvas, area);
	bool ran = false;
	for (unsigned c = 0; c < scene->cols; c++) {
		draw_cell(scene, &columns[c], canvas, area.row, area.col + (int)c);
		ran |= columns[c].busy_ns > 0;
	}
	/* An empty line would be taken for time that was not seen. */
	if (!ran)
		canvas_put_fit(canvas, area, ALIGN_LEFT, STYLE_MUTED, "none known in this time");
	for (size_t i = fibers_own(ui)->runs_listed; i-- > 0;)
		if (fibers_own(ui)->runs[i].domain == domain)
			draw_label(scene, &fibers_own(ui)->runs[i], canvas, area);
	rect_cut_top(&area, 1);
	if (area.rows > 0 && track_read(ui, s, &track))
		track_draw(canvas, rect_cut_top(&area, 1), &track);
	canvas_unclip(canvas, old);
}

/* Draw the meaning of the letters. */
static void draw_legend(const struct scene *scene, struct canvas *canvas, struct rect line)
{
	struct line_item items[GROUPS + 1];
	int count = 0;

	for (; count < GROUPS && count < scene->path_count; count++) {
		char buf[FIBER_PATH_SIZE];
		const char *path = fiber_path_text(scene->paths[count].path, buf, sizeof(buf));
		items[count] = line_styles(
		    line_said(looks[count].letter, count, "%.*s", utf8_fit(path, strlen(path), 80), path),
		    looks[count].fill, STYLE_TEXT);
	}
	items[count] = line_styles(line_labelled("+", "others, several", count), STYLE_MERGED, STYLE_LABEL);
	line_draw(canvas, rect_margins(line, GUTTER, 0), 2, items, count + 1);
}

/* Draw as many domains as fit into two thirds of the body, and cut their rows off the body. */
static void draw_loops(
    struct ui *ui, const struct subject *s, struct scene *scene, struct canvas *canvas, struct rect *body)
{
	const struct model *m = watch_model(s->watch);
	unsigned domains[MODEL_DOMAINS_MAX];
	int count = 0, room = body->rows - RUNS_LEAST - 3, rows;
	struct fiber_loop loop;

	for (unsigned i = 0; i < model_domains(m); i++)
		if (figure_loop(s->fibers, m, i, &loop) && loop.lap_ns == 0)
			domains[count++] = i;
	if (count == 0) {
		const struct rect line = rect_cut_top(body, 1);
		canvas_put_fit(
		    canvas, line, ALIGN_LEFT, STYLE_MUTED, "this scheduler does not tell what its loops run");
	}
	room = room < 1 ? 1 : room;
	rows = count == 0 || 2 * count > room ? 1 : 4 * count <= room ? 4 : 3 * count <= room ? 3 : 2;
	const int shown = count < room / rows ? count : room / rows;
	struct fiber_column *columns = calloc((size_t)shown * scene->cols + 1, sizeof(*columns));
	for (int i = 0; i < shown && columns != NULL; i++) {
		figure_columns(s->fibers, m, domains[i], scene->t0, scene->width, scene->cols,
		    columns + (size_t)i * scene->cols);
		paths_add(scene, columns + (size_t)i * scene->cols);
	}
	qsort(scene->paths, (size_t)scene->path_count, sizeof(scene->paths[0]), by_time);
	for (int i = 0; i < shown && columns != NULL; i++) {
		struct rect area = rect_cut_top(body, rows);
		const bool figures =
		    rows > 2 && fibers_draw_loop(s, domains[i], canvas, rect_cut_top(&area, 1), false);
		area.rows = area.rows < 2 ? area.rows : 2;
		draw_strip(ui, s, scene, domains[i], columns + (size_t)i * scene->cols,
		    figures ? "runs" : format_said("D%u", domains[i]).s, canvas, area);
	}
	free(columns);
	if (shown < count)
		canvas_printf(canvas, body->row, body->col, STYLE_MUTED, "+%d", count - shown);
}

/* ---- the longest runs ---- */

#define RUN_COLUMNS(X)                                                                                       \
	X(RUN, "run", 7, 8, RIGHT, 0, FIXED, fibers_cell_run(run->duration))                                 \
	X(BEFORE, "before now", 10, 10, RIGHT, 2, FIXED,                                                     \
	    s->now >= run->ts ? cell_since(s, run->ts) : cell_unknown())                                     \
	X(ON, "on", 4, 4, LEFT, 0, FIXED, cell_domain(run->domain))                                          \
	X(FIBER, "fiber", 8, 10, RIGHT, 0, FIXED, cell_number(run->fiber))                                   \
	X(PATH, "path", 12, 36, LEFT, 0, NAMES, fibers_cell_path(run->path))                                 \
	X(SPAN, "span", 8, 20, LEFT, 1, NAMES, fibers_cell_text(run->span))                                  \
	X(GC, "GC in it", 8, 8, RIGHT, 3, FIXED, cell_duration(run->gc_ns))

TABLE_LIST(RUN_COLUMNS, run_columns, COLUMNS);

static int run_items(struct ui *ui, const struct subject *s)
{
	return (int)fibers_own(ui)->runs_listed;
}

static int64_t run_identity(struct ui *ui, const struct subject *s, int item)
{
	const struct fiber_run *run = &fibers_own(ui)->runs[item];

	return (int64_t)((run->ts ^ run->fiber << 40) & INT64_MAX);
}

static struct tabular_cell run_cell(struct ui *ui, const struct subject *s, int item, int column)
{
	const struct fiber_run *run = &fibers_own(ui)->runs[item];

	TABLE_RETURN(RUN_COLUMNS);
}

static const struct tabular runs = {TABULAR_COLUMNS(run_columns), .sort = COLUMN_RUN, .item_name = "run",
    .empty = "no run has ended in this time, as far as is known", .items = run_items, .cell = run_cell,
    .identity = run_identity};

static void runs_read(struct ui *ui, const struct subject *s, uint64_t from, uint64_t to)
{
	fibers_own(ui)->runs_listed = figure_longest_runs(
	    s->fibers, watch_model(s->watch), from, to, fibers_own(ui)->runs, FIBERS_RUNS);
}

void fibers_time_longest(struct ui *ui, const struct subject *s, struct canvas *canvas, struct rect area)
{
	runs_read(ui, s, 0, s->now);
	canvas_put_fit(canvas, rect_cut_top(&area, 1), ALIGN_LEFT, STYLE_TITLE, "longest runs known");
	tabular_preview(ui, s, &runs, canvas, area);
}

/* Explain the time of the selected run. */
static struct why selected_why(struct ui *ui, const struct subject *s)
{
	const int item = tabular_item(ui, s, &runs);

	if (item < 0 || (size_t)item >= fibers_own(ui)->runs_listed)
		return (struct why){0};
	const struct fiber_run *run = &fibers_own(ui)->runs[item];
	return why_read_pause(
	    ui, s, run->domain, run->ts, sum_saturating(run->ts, run->duration), MODEL_NO_USER);
}

void fibers_time_draw(struct ui *ui, const struct subject *s, struct canvas *canvas, struct rect body)
{
	struct scene scene;

	if (rect_empty(body))
		return;
	scene_make(ui, s, body.cols - GUTTER, &scene);
	runs_read(ui, s, scene.t0, scene.end);
	ui_spot(ui, (struct spot){.kind = SPOT_TIME,
			.area = rect_make(body.row, body.col + GUTTER, body.rows / 2, (int)scene.cols),
			.t0 = scene.t0,
			.width = scene.width});
	draw_loops(ui, s, &scene, canvas, &body);
	struct rect axis = rect_cut_top(&body, 1), legend = rect_cut_top(&body, 1);
	rect_cut_left(&axis, GUTTER);
	if (!rect_empty(axis))
		plot_time_axis(canvas, axis.row, axis.col, (int)scene.cols,
		    -(int64_t)(fibers_own(ui)->span + fibers_own(ui)->back), -(int64_t)fibers_own(ui)->back);
	if (!rect_empty(legend))
		draw_legend(&scene, canvas, legend);
	rect_cut_top(&body, body.rows > RUNS_LEAST ? 1 : 0);
	struct page page = {selected_why(ui, s), ui, s, &runs, NULL};
	const struct layout_section sections[] = {
	    {.tier = 1,
		.least = RUNS_LEAST,
		.wish = RUNS_LEAST,
		.most = LAYOUT_MOST,
		.draw = page_table_draw},
	    WHY_SECTION(2, page.why, body.cols),
	};
	layout_page(&page, sections, sizeof(sections) / sizeof(sections[0]), canvas, body);
}

/* Open the moment of the selected run. */
static unsigned open_run(struct ui *ui, const struct subject *s)
{
	const int item = tabular_item(ui, s, &runs);
	const struct fiber_run *run = item >= 0 ? &fibers_own(ui)->runs[item] : NULL;

	if (run == NULL)
		return UI_NOTHING;
	struct moment_mark mark = {
	    .domain = run->domain, .from = run->ts, .to = sum_saturating(run->ts, run->duration)};
	snprintf(mark.text, sizeof(mark.text), "run of fiber %" PRIu64 " %s", run->fiber,
	    format_duration(run->duration).s);
	return moment_open_kept(ui, s, &mark, VIEW_FIBERS);
}

unsigned fibers_time_act(struct ui *ui, const struct subject *s, enum ui_action action)
{
	struct fibers_place *p = fibers_own(ui);
	const uint64_t span = p->span, back = p->back, step = p->span / 8;
	struct scene scene;

	switch (action) {
	case ACTION_LOOPS_SHORTER:
	case ACTION_LOOPS_LONGER:
		p->span = moment_span_next(span, action == ACTION_LOOPS_LONGER ? 1 : -1);
		p->span = p->span < SPAN_LEAST ? SPAN_LEAST : p->span > SPAN_MOST ? SPAN_MOST : p->span;
		return p->span != span ? UI_DIRTY : UI_NOTHING;
	case ACTION_LEFT:
		p->back = back < SPAN_MOST ? back + step : back;
		return p->back != back ? UI_DIRTY : UI_NOTHING;
	case ACTION_RIGHT:
		p->back = back > step ? back - step : 0;
		return p->back != back ? UI_DIRTY : UI_NOTHING;
	default:
		break;
	}
	scene_make(ui, s, (int)ui->body.cols - GUTTER, &scene);
	runs_read(ui, s, scene.t0, scene.end);
	return action == ACTION_OPEN ? open_run(ui, s) : tabular_act(ui, s, &runs, action);
}
