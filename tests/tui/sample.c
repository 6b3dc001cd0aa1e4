/*
 * sample.c - the made-up screens.
 */
#include "sample.h"

#include <math.h>
#include <stdio.h>

#include "print/number.h"
#include "ui/actions.h"
#include "ui/widgets/icicle.h"
#include "ui/layout.h"
#include "ui/widgets/line.h"
#include "ui/widgets/plot.h"
#include "ui/widgets/table.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

static const struct icicle_span spans[] = {
    {"stw_leader", 610, RTEV_CLASS_STW, 0},
    {"minor", 520, RTEV_CLASS_MINOR, 1},
    {"minor_remembered_set", 170, RTEV_CLASS_MINOR, 2},
    {"minor_remembered_set_promote", 90, RTEV_CLASS_MINOR, 3},
    {"minor_local_roots", 150, RTEV_CLASS_MINOR, 2},
    {"minor_global_roots", 80, RTEV_CLASS_MINOR, 2},
    {"minor_finalized", 60, RTEV_CLASS_MINOR, 2},
    {"minor_memprof_roots", 4, RTEV_CLASS_MINOR, 2},
    {"minor_finalizers_admin", 3, RTEV_CLASS_MINOR, 2},
    {"stw_api_barrier", 70, RTEV_CLASS_STW, 1},
    {"major_slice", 300, RTEV_CLASS_MAJOR, 0},
    {"major_mark", 180, RTEV_CLASS_MARK, 1},
    {"major_sweep", 95, RTEV_CLASS_SWEEP, 1},
    {"stw_handler", 90, RTEV_CLASS_STW, 0},
    {"minor", 40, RTEV_CLASS_MINOR, 1},
};

static const struct plot_bucket buckets[] = {
    {"0", 0},
    {"1", 13000},
    {"2", 41000},
    {"3", 190000},
    {"4", 22000},
    {"5", 6100},
    {"6", 900},
    {"7", 0},
    {"8", 12},
    {"9", 0},
    {"10", 8000},
    {"20", 700},
    {"30", 0},
    {"40", 31},
    {"50", 0},
    {"60", 0},
    {"70", 5},
    {"80", 0},
    {"90", 1},
    {"99+", 2400},
};

static const double series[] = {
    3, 4, 5, 7, 9, 12, 14, 15, 13, 11, 10, 8, 7, 5, 4, 4, 5, NAN, 9, 13, 16, 12, 8, 5};

/* Draw the header lines. */
static void draw_header(struct canvas *canvas, struct rect area)
{
	struct line_item first[] = {
	    {.label = "rtevtop", .label_style = STYLE_TITLE, .value = "4242", .value_style = STYLE_VALUE},
	    {.value = "myserver", .value_style = STYLE_TITLE, .rank = 1},
	    {.value = "OCaml 5.3.0 (exe)", .value_style = STYLE_LABEL, .rank = 5},
	    line_labelled("up", "3h12m", 6),
	    {.value = "● LIVE", .value_style = STYLE_GOOD},
	    {.value = "184k/s", .value_style = STYLE_VALUE, .rank = 3},
	    line_labelled("lost", "0", 2),
	    line_labelled("ring", "7%", 4),
	    {.label = "18:31:04", .label_style = STYLE_LABEL, .rank = 7, .right = true},
	};
	struct line_item second[] = {
	    line_labelled("GC", "6.2%", 0),
	    line_labelled("minor", "412/s", 3),
	    line_labelled("major", "0.80/s", 4),
	    line_labelled("pause p50", "212µs", 1),
	    line_labelled("p99", "1.90ms", 1),
	    {.label = "max",
		.label_style = STYLE_LABEL,
		.value = "12.1ms",
		.value_style = STYLE_WARN,
		.rank = 1},
	    line_labelled("alloc", "1.20GB/s", 2),
	    line_labelled("promoted", "3.1%", 5),
	    line_labelled("heap", "1.90GB", 2),
	};
	line_draw(canvas, area.row, area.col, area.cols, 2, first, COUNT(first));
	if (area.rows > 1)
		line_draw(canvas, area.row + 1, area.col, area.cols, 2, second, COUNT(second));
}

/* Draw a frame with its title: a box with the items in its top edge or, not boxed, a rule with the items over
 * it, in the first row of the area. */
static void draw_frame(struct canvas *canvas, struct rect area, bool boxed, enum style style,
    const struct line_item *items, int count)
{
	if (boxed)
		canvas_box(canvas, area, style);
	else
		canvas_hline(canvas, area.row, area.col, area.rows > 0 ? area.cols : 0, style);
	/* Two columns on either side keep the corners and a blank. */
	struct rect old = canvas_clip(canvas, area);
	if (area.rows > 0)
		line_draw(canvas, area.row, area.col + 2, area.cols - 4, 2, items, count);
	canvas_unclip(canvas, old);
}

/* Draw the title line of a pane. */
static void draw_title(struct canvas *canvas, const struct layout_pane *pane)
{
	char name[16], state[32];
	snprintf(name, sizeof(name), "D%d", pane->pane);
	bool idle = pane->pane % 3 == 2;
	snprintf(state, sizeof(state), "%s", idle ? "○ running" : "● minor");
	struct line_item items[] = {
	    {.label = name,
		.value = state,
		.label_style = STYLE_TITLE,
		.value_style = idle ? STYLE_LABEL : theme_class_ink(RTEV_CLASS_MINOR)},
	    {.label = "GC",
		.value = "7.1%",
		.label_style = STYLE_LABEL,
		.value_style = STYLE_VALUE,
		.rank = 1,
		.right = true},
	    {.label = "lag",
		.value = "0",
		.label_style = STYLE_LABEL,
		.value_style = STYLE_VALUE,
		.rank = 2,
		.right = true},
	};
	draw_frame(canvas, pane->frame, pane->boxed, STYLE_BORDER, items, COUNT(items));
}

/* Draw the user events of a pane. */
static void draw_user(struct canvas *canvas, struct rect area)
{
	static const struct table_column columns[] = {
	    {"event", 12, 24, ALIGN_LEFT, 0, TABLE_FIXED},
	    {"kind", 4, 4, ALIGN_LEFT, 4, TABLE_FIXED},
	    {"rate", 7, 7, ALIGN_RIGHT, 1, TABLE_FIXED},
	    {"p50", 6, 6, ALIGN_RIGHT, 2, TABLE_FIXED},
	    {"p99", 6, 6, ALIGN_RIGHT, 3, TABLE_FIXED},
	    {"", 8, 24, ALIGN_LEFT, 5, TABLE_GROWS},
	};
	static const struct table_cell rows[][6] = {
	    {{"http.request", STYLE_TEXT}, {"span", STYLE_USER_SPAN}, {"1.20k/s", STYLE_VALUE},
		{"310µs", STYLE_VALUE}, {"4.00ms", STYLE_VALUE}, {"3 open", STYLE_LABEL}},
	    {{"queue.depth", STYLE_TEXT}, {"int", STYLE_USER_INT}, {"37", STYLE_VALUE}, {NULL, STYLE_TEXT},
		{NULL, STYLE_TEXT}, {NULL, STYLE_TEXT}},
	    {{"cache.evict", STYLE_TEXT}, {"unit", STYLE_USER_UNIT}, {"19.0/s", STYLE_VALUE},
		{NULL, STYLE_TEXT}, {NULL, STYLE_TEXT}, {NULL, STYLE_TEXT}},
	};
	struct table table;
	table_layout(&table, columns, COUNT(columns), area.cols, 1);
	for (int i = 0; i < area.rows && i < COUNT(rows); i++) {
		table_row(canvas, &table, area.row + i, area.col, rows[i]);
		struct rect last = table_cell_rect(&table, area.row + i, area.col, 5);
		if (i == 1)
			plot_spark(canvas, last.row, last.col, last.cols < 12 ? last.cols : 12, series,
			    COUNT(series), 0, NAN, STYLE_SPARK);
	}
}

/* Draw one pane. */
static void draw_pane(struct canvas *canvas, const struct layout_pane *pane)
{
	draw_title(canvas, pane);
	icicle_draw(canvas, pane->bars, spans, COUNT(spans), 0, NULL, NULL);
	struct rect alloc = pane->alloc;
	canvas_put(canvas, alloc.row, alloc.col, STYLE_LABEL, alloc.rows > 0 ? "alloc" : "");
	if (alloc.rows > 1)
		canvas_put(canvas, alloc.row + alloc.rows - 1, alloc.col, STYLE_AXIS, "log");
	rect_cut_left(&alloc, 6);
	plot_histogram(canvas, alloc, buckets, COUNT(buckets), true, STYLE_SPARK);
	draw_user(canvas, pane->user);
}

void sample_screen(struct canvas *canvas, int domains, int zoomed)
{
	enum { MOST = 128 };
	struct layout_wish wishes[MOST];
	struct layout layout;
	struct action_set set = {{false}};
	/* The sample is of a target that lives. */
	for (int i = 0; i < ACTION_COUNT; i++)
		set.there[i] = !action_is_replay((enum ui_action)i);
	domains = domains < MOST ? domains : MOST;
	for (int i = 0; i < domains; i++)
		wishes[i] = (struct layout_wish){.bars = 4, .alloc_least = 2, .alloc_most = 5, .user = 3};
	struct layout_request request = {.rows = canvas_rows(canvas),
	    .cols = canvas_cols(canvas),
	    .panes = domains,
	    .wishes = wishes,
	    .keep = -1,
	    .zoomed = zoomed};
	layout_solve(&request, &layout);
	if (layout.too_small) {
		canvas_put(canvas, 0, 0, STYLE_TEXT, "terminal too small");
		return;
	}
	draw_header(canvas, layout.header);
	for (int i = 0; i < layout.seen; i++)
		draw_pane(canvas, &layout.pane[i]);
	help_footer(canvas, layout.footer, &set, VIEW_PANES, "0.5s");
}

/* Draw bars, sparklines and strips, one below the other. */
static int sheet_lines(struct canvas *canvas, int row)
{
	static const double shares[] = {0, 0.001, 0.07, 0.5, 0.93, 1};
	for (int i = 0; i < COUNT(shares); i++) {
		plot_bar(canvas, row, 0, 20, shares[i], STYLE_BAR);
		canvas_put(canvas, row++, 21, STYLE_VALUE, format_percent(shares[i]).s);
	}
	plot_spark(canvas, row++, 0, 30, series, COUNT(series), 0, NAN, STYLE_SPARK);
	struct plot_moment moments[60];
	for (int i = 0; i < COUNT(moments); i++)
		moments[i] = (struct plot_moment){.kind = i < 4	   ? PLOT_UNSEEN
							  : i < 30 ? PLOT_PHASE
							  : i < 40 ? PLOT_RUNNING
							  : i < 48 ? PLOT_LOST
								   : PLOT_PAUSED,
		    .class = (uint8_t)((i - 4) / 3),
		    .eighths = (uint8_t)(i % 3 == 0   ? 8
					 : i % 3 == 1 ? 4
						      : 1)};
	plot_strip(canvas, row++, 0, moments, COUNT(moments));
	plot_time_axis(canvas, row++, 0, 60, -5000000000, 0);
	plot_time_axis(canvas, row++, 0, 60, 1200, 391200);
	return row;
}

/* Draw a sorted table. */
static int sheet_table(struct canvas *canvas, int row)
{
	static const struct table_column columns[] = {
	    {"phase", 8, 20, ALIGN_LEFT, 0, TABLE_GROWS},
	    {"count", 7, 7, ALIGN_RIGHT, 2, TABLE_FIXED},
	    {"total", 7, 7, ALIGN_RIGHT, 1, TABLE_FIXED},
	    {"max", 7, 7, ALIGN_RIGHT, 3, TABLE_FIXED},
	};
	static const struct table_cell rows[][4] = {
	    {{"minor", STYLE_INK_MINOR}, {"4.12k", STYLE_VALUE}, {"1.20s", STYLE_VALUE},
		{"2.10ms", STYLE_VALUE}},
	    {{"a name that is far too long", STYLE_INK_MARK}, {"8", STYLE_VALUE}, {"90.1ms", STYLE_VALUE},
		{"12.1ms", STYLE_WARN}},
	};
	struct table table;
	table_layout(&table, columns, COUNT(columns), 44, 2);
	table_header(canvas, &table, row++, 0, 2, false);
	for (int i = 0; i < COUNT(rows); i++)
		table_row(canvas, &table, row++, 0, rows[i]);
	canvas_restyle(canvas, rect_make(row - 1, 0, 1, 44), STYLE_SELECTED);
	return row;
}

/* Draw every style's name in its style, in columns. */
static void sheet_styles(struct canvas *canvas, int row)
{
	for (int i = 0; i < STYLE_COUNT; i++)
		canvas_put_fit(canvas, row + i / 5, i % 5 * 18, 17, ALIGN_LEFT, (enum style)i,
		    theme_style_name((enum style)i));
}

void sample_sheet(struct canvas *canvas)
{
	int row = sheet_lines(canvas, 0) + 1;
	plot_histogram(canvas, rect_make(row, 0, 4, 66), buckets, COUNT(buckets), true, STYLE_SPARK);
	row += 5;
	plot_histogram(canvas, rect_make(row, 0, 4, 20), buckets, COUNT(buckets), false, STYLE_SPARK);
	plot_histogram(canvas, rect_make(row, 24, 4, 11), buckets, COUNT(buckets), true, STYLE_SPARK);
	row = sheet_table(canvas, row + 5) + 1;
	icicle_draw(canvas, rect_make(row, 0, 4, 90), spans, COUNT(spans), 14000, "program", NULL);
	icicle_draw(canvas, rect_make(row + 5, 0, 4, 90), spans, COUNT(spans), 0, NULL, NULL);
	sheet_styles(canvas, row + 10);
}
