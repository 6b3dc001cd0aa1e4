/*
 * sample.c - see sample.h.
 */
#include "sample.h"

#include <math.h>

#include "print/number.h"
#include "ui/widgets/bars.h"
#include "ui/widgets/plot.h"
#include "ui/widgets/table.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

#define BAR(name, ns, row)                                                                                   \
	{                                                                                                    \
		.phase = RTEV_PHASE_##name, .depth = (row), .total = (ns)                                    \
	}

static const struct flame_bar bars[] = {
    BAR(STW_LEADER, 610, 0),
    BAR(MINOR, 520, 1),
    BAR(MINOR_REMEMBERED_SET, 170, 2),
    BAR(MINOR_REMEMBERED_SET_PROMOTE, 90, 3),
    BAR(MINOR_LOCAL_ROOTS, 150, 2),
    BAR(MINOR_GLOBAL_ROOTS, 80, 2),
    BAR(MINOR_FINALIZED, 60, 2),
    BAR(MINOR_MEMPROF_ROOTS, 4, 2),
    BAR(MINOR_FINALIZERS_ADMIN, 3, 2),
    BAR(STW_API_BARRIER, 70, 1),
    BAR(MAJOR_SLICE, 300, 0),
    BAR(MAJOR_MARK, 180, 1),
    BAR(MAJOR_SWEEP, 95, 1),
    BAR(STW_HANDLER, 90, 0),
    BAR(MINOR, 40, 1),
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
		canvas_put_fit(canvas, rect_make(row + i / 5, i % 5 * 18, 1, 17), ALIGN_LEFT, (enum style)i,
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
	const struct flame_view flame = {.bars = bars, .count = COUNT(bars), .to = 14000};
	bars_draw(canvas, rect_make(row, 0, 4, 90), &flame, true, NULL);
	bars_draw(canvas, rect_make(row + 5, 0, 4, 90), &flame, false, NULL);
	sheet_styles(canvas, row + 10);
}
