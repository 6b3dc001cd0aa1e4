/*
 * test_plot.c - proportions that add up, plots at every size, and goldens of all of them.
 */
#include "support/test.h"

#include <math.h>

#include "tui/sample.h"
#include "ui/widgets/bars.h"
#include "ui/widgets/icicle.h"
#include "ui/widgets/plot.h"
#include "support/golden.h"

/* Shares are whole, add up, and are within one cell of the exact ones. */
TEST(test_shares)
{
	double values[40];
	int cells[40];
	uint32_t seed = 1;
	for (int turn = 0; turn < 20000; turn++) {
		int count = (int)(test_next(&seed) % 40) + 1, width = (int)(test_next(&seed) % 300);
		double sum = 0;
		for (int i = 0; i < count; i++) {
			values[i] = test_next(&seed) % 3 == 0
					? 0
					: pow(10, test_next(&seed) % 20) * (test_next(&seed) % 1000);
			sum += values[i];
		}
		share_cells(values, count, width, cells);
		int total = 0;
		for (int i = 0; i < count; i++) {
			total += cells[i];
			CHECK(cells[i] >= 0);
			if (sum > 0)
				CHECK_NEAR(cells[i], values[i] / sum * width, 1.0001);
			CHECK(values[i] > 0 || cells[i] == 0);
		}
		CHECK_INT(total, sum > 0 ? width : 0);
	}
	values[0] = values[1] = values[2] = 1;
	share_cells(values, 3, 10, cells);
	CHECK(cells[0] == 4 && cells[1] == 3 && cells[2] == 3);
	share_cells(values, 3, -4, cells);
	CHECK(cells[0] == 0 && cells[1] == 0 && cells[2] == 0);
}

enum { SPANS = 60 };

/* Make a random tree whose spans hold at least what is inside them. */
static int make_tree(struct icicle_span *spans, uint32_t *seed)
{
	static const char *const labels[] = {"minor", "minor_local_roots", "major", "major_mark", "", "日本"};
	int count = (int)(test_next(seed) % SPANS);
	for (int i = 0; i < count; i++) {
		unsigned deepest = i == 0 ? 0 : spans[i - 1].depth + 1;
		spans[i] = (struct icicle_span){labels[test_next(seed) % 6],
		    test_next(seed) % 1000 == 0 ? UINT64_MAX : test_next(seed) % 5000,
		    test_next(seed) % (deepest + 1)};
	}
	for (int i = count - 1; i >= 0; i--) {
		uint64_t inside = 0;
		for (int j = i + 1; j < count && spans[j].depth > spans[i].depth; j++)
			if (spans[j].depth == spans[i].depth + 1)
				inside = inside > UINT64_MAX - spans[j].value ? UINT64_MAX
									      : inside + spans[j].value;
		if (spans[i].value < inside && test_next(seed) % 8 != 0)
			spans[i].value = inside;
	}
	return count;
}

enum { SEGMENTS = 4000, COLS = 200 };

/* Check that bars fill row 0 exactly, lie inside their parents and never overlap. */
static void check_bars(
    const struct icicle_segment *segments, int used, int count, int rows, int cols, bool full)
{
	int above[COLS], here[COLS], first_row = 0;

	for (int row = 0; row < rows; row++) {
		memset(here, 0, sizeof(here));
		for (int i = 0; i < used; i++) {
			const struct icicle_segment *s = &segments[i];
			if (s->row != row)
				continue;
			CHECK(s->cols > 0 && s->col >= 0 && s->col + s->cols <= cols);
			CHECK(s->span >= -1 && s->span < count && s->merged != 1);
			for (int col = s->col; col < s->col + s->cols; col++) {
				CHECK_INT(here[col], 0);
				CHECK(row == 0 || above[col] == 1);
				here[col] = s->merged > 0 || s->span < 0 ? 2 : 1;
				first_row += row == 0;
			}
		}
		memcpy(above, here, sizeof(above));
	}
	if (full)
		CHECK_INT(first_row, cols);
}

/* Whether a tree has anything to show in row 0.  It may begin below depth 0 only if it is malformed; then it
 * still fits. */
static bool has_time(const struct icicle_span *spans, int count, uint64_t total)
{
	bool some = total > 0;

	for (int i = 0; i < count; i++)
		some = some || (spans[i].depth == 0 && spans[i].value > 0);
	return some && count > 0;
}

/* Bars add up, whatever the tree. */
TEST(test_icicle_adds_up)
{
	static struct icicle_segment segments[SEGMENTS];
	struct icicle_span spans[SPANS];
	uint32_t seed = 99;

	for (int turn = 0; turn < 20000; turn++) {
		int count = make_tree(spans, &seed);
		int cols = (int)(test_next(&seed) % COLS), rows = (int)(test_next(&seed) % 7);
		uint64_t total = test_next(&seed) % 2 == 0 ? 0 : test_next(&seed) * UINT64_C(100);
		int used = icicle_layout(spans, count, total, NULL, rows, cols, segments, SEGMENTS);
		check_bars(segments, used, count, rows, cols, rows > 0 && has_time(spans, count, total));
	}
}

static bool same_segment(const struct icicle_segment *a, const struct icicle_segment *b)
{
	return a->row == b->row && a->col == b->col && a->cols == b->cols && a->span == b->span &&
	       a->merged == b->merged && a->value == b->value;
}

/* With a memory, bars add up as well, whatever was drawn before; the same tree gives the same picture; and
 * with bars that change little, few ends move. */
TEST(test_icicle_steady)
{
	static struct icicle_segment segments[SEGMENTS], again[SEGMENTS], exact[SEGMENTS];
	struct icicle_memory memory = {0};
	struct icicle_span spans[SPANS];
	uint32_t seed = 7;
	int moved = 0, moved_exact = 0;

	for (int turn = 0; turn < 3000; turn++) {
		int count = make_tree(spans, &seed), cols = (int)(test_next(&seed) % COLS);
		for (int step = 0; step < 8; step++) {
			int used = icicle_layout(spans, count, 0, &memory, 5, cols, segments, SEGMENTS);
			check_bars(segments, used, count, 5, cols, has_time(spans, count, 0));
			CHECK_INT(icicle_layout(spans, count, 0, &memory, 5, cols, again, SEGMENTS), used);
			for (int i = 0; i < used; i++)
				CHECK(same_segment(&again[i], &segments[i]));
			for (int i = 0; i < count; i++)
				if (spans[i].value < 1000000)
					spans[i].value += test_next(&seed) % 50;
		}
	}
	/* Two bars whose share sways about the middle. */
	struct icicle_span pair[] = {{"a", 0, 0}, {"b", 0, 0}};
	int at = 50, at_exact = 50;
	for (int step = 0; step < 1000; step++) {
		pair[0].value = 5000 + test_next(&seed) % 140;
		pair[1].value = 10000 - pair[0].value;
		CHECK_INT(icicle_layout(pair, 2, 0, &memory, 1, 100, segments, SEGMENTS), 2);
		CHECK_INT(icicle_layout(pair, 2, 0, NULL, 1, 100, exact, SEGMENTS), 2);
		moved += segments[1].col != at;
		moved_exact += exact[1].col != at_exact;
		at = segments[1].col;
		at_exact = exact[1].col;
		CHECK(abs(at - at_exact) <= 1);
	}
	CHECK(moved <= 2);
	CHECK(moved_exact > 200);
	/* An end that is off by more than a cell is put right. */
	pair[0].value = 5300;
	pair[1].value = 4700;
	CHECK_INT(icicle_layout(pair, 2, 0, &memory, 1, 100, segments, SEGMENTS), 2);
	CHECK_INT(segments[1].col, 53);
}

/* A stack as deep as memtrace files have them has a bar in each row. */
TEST(test_icicle_deep)
{
	enum { DEPTH = 700, ROWS = 730 };
	static struct icicle_segment segments[DEPTH + 1];
	static struct icicle_span spans[DEPTH];

	for (unsigned i = 0; i < DEPTH; i++)
		spans[i] = (struct icicle_span){"f", 10, i};
	CHECK_INT(icicle_layout(spans, DEPTH, 0, NULL, ROWS, 80, segments, DEPTH + 1), DEPTH);
	for (int i = 0; i < DEPTH; i++)
		CHECK(segments[i].row == i && segments[i].cols == 80);
}

/* A buffer that is too small gets what fits, and nothing gets nothing. */
TEST(test_icicle_ends)
{
	static const struct icicle_span spans[] = {{"minor", 100, 0}, {"minor_remembered_set", 60, 1}};
	struct icicle_segment segments[8];

	CHECK_INT(icicle_layout(spans, 2, 0, NULL, 3, 100, segments, 1), 1);
	CHECK_INT(icicle_layout(spans, 0, 0, NULL, 3, 100, segments, 8), 0);
	CHECK_INT(icicle_layout(spans, 0, 50, NULL, 3, 100, segments, 8), 1);
}

/* Everything draws at every size, and nothing outside its place. */
TEST(test_every_size)
{
	static const double values[] = {1, NAN, -3, INFINITY, 0, 1e308, 2};
	static const struct plot_bucket buckets[] = {
	    {"a", 0}, {"bb", UINT64_MAX}, {"ccc", 7}, {"日", UINT64_MAX}, {"", 1}};
	static const struct flame_bar bars[] = {
	    {.phase = RTEV_PHASE_STW_LEADER, .parent = FLAME_NONE, .total = 90, .self = 20},
	    {.phase = RTEV_PHASE_MINOR, .parent = 0, .depth = 1, .total = 60, .self = 60},
	    {.phase = PATH_OTHER, .parent = 0, .depth = 1, .total = 10, .self = 10},
	    {.phase = 9999, .parent = FLAME_NONE, .total = 2, .self = 2}};
	const struct flame_view flame = {.bars = bars, .count = 4, .to = 200, .paused = 20, .lost = 10};
	struct plot_moment moments[] = {
	    {9, 99, 99}, {PLOT_PHASE, 200, 0}, {PLOT_PHASE, 1, 255}, {PLOT_LOST, 0, 0}};
	for (int level = 0; level < GLYPHS_COUNT; level++) {
		struct canvas *c = canvas_create(12, 60);
		canvas_set_look(c, (enum glyph_level)level, level != GLYPHS_ASCII);
		for (int rows = 0; rows < 7; rows++) {
			for (int cols = 0; cols < 40; cols++) {
				struct rect area = rect_make(2, 3, rows, cols);
				canvas_clear(c);
				canvas_fill(c, canvas_bounds(c), STYLE_TEXT, '~');
				plot_histogram(c, area, buckets, 5, cols % 2 == 0, STYLE_BAR);
				bars_draw(c, area, &flame, rows % 2 == 0, NULL);
				if (rows == 1) {
					plot_bar(c, 2, 3, cols, 0.3, STYLE_BAR);
					plot_spark(c, 2, 3, cols, values, 7, NAN, NAN, STYLE_SPARK);
					plot_time_axis(c, 2, 3, cols, -7000, cols * 3000 + 1);
				}
				for (int row = 0; row < 12; row++)
					for (int col = 0; col < 60; col++)
						if (row < 2 || row >= 2 + rows || col < 3 || col >= 3 + cols)
							CHECK_INT(canvas_row(c, row)[col].text[0], '~');
			}
		}
		plot_strip(c, 0, 58, moments, 4);
		plot_bar(c, 0, 0, -5, NAN, STYLE_BAR);
		plot_bar(c, 0, 0, 5, INFINITY, STYLE_BAR);
		plot_time_axis(c, 0, 0, 60, INT64_MIN, INT64_MAX);
		plot_time_axis(c, 0, 0, 60, INT64_MAX - 5, INT64_MAX);
		plot_time_axis(c, 0, 0, 60, 5, 5);
		plot_time_axis(c, 0, 0, 60, 0, 1);
		canvas_destroy(c);
	}
}

/* Draw one row on a fresh canvas by a function of the width and compare. */
#define ROW(width, call, expected)                                                                           \
	do {                                                                                                 \
		struct canvas *c = canvas_create(1, width);                                                  \
		canvas_set_graph(c, blocks ? GRAPH_BLOCKS : GRAPH_BRAILLE);                                  \
		call;                                                                                        \
		char *text = canvas_dump(c);                                                                 \
		CHECK_STR(text, expected "\n");                                                              \
		free(text);                                                                                  \
		canvas_destroy(c);                                                                           \
	} while (0)

TEST(test_small_plots)
{
	bool blocks = false;
	static const double rising[] = {0, 1, 2, 3, 4, 5, 6, 7}, gap[] = {7, NAN, 0};
	static const double negative[] = {-8, -7, -6, -5, -4, -3, -2, -1}, same[] = {-3, -3, -3};
	static const double far[] = {1e6, 1e6 + 1, 1e6 + 2, 1e6 + 3, 1e6 + 4, 1e6 + 5, 1e6 + 6, 1e6 + 7};
	static const double wide[] = {-9223372036854775808.0, 0, 9223372036854775807.0};
	ROW(8, plot_bar(c, 0, 0, 8, 0.5, STYLE_BAR), "████────");
	ROW(8, plot_bar(c, 0, 0, 8, 1e-9, STYLE_BAR), "▏───────");
	ROW(8, plot_bar(c, 0, 0, 8, 7, STYLE_BAR), "████████");
	ROW(8, plot_bar(c, 0, 0, 8, -1, STYLE_BAR), "────────");
	/* Braille has two samples a cell; an odd one stands at the left of it. */
	ROW(8, plot_spark(c, 0, 0, 8, rising, 8, 0, NAN, STYLE_SPARK), "    ⣠⣤⣶⣿");
	ROW(2, plot_spark(c, 0, 0, 2, rising, 8, 4, NAN, STYLE_SPARK), "⣠⣾");
	ROW(3, plot_spark(c, 0, 0, 3, rising, 3, 0, 2, STYLE_SPARK), " ⢀⣾");
	ROW(3, plot_spark(c, 0, 0, 3, gap, 3, 0, NAN, STYLE_SPARK), " ⢸⢀");
	blocks = true;
	ROW(8, plot_spark(c, 0, 0, 8, rising, 8, 0, NAN, STYLE_SPARK), "▁▂▃▄▅▆▇█");
	ROW(8, plot_spark(c, 0, 0, 4, rising, 8, 0, NAN, STYLE_SPARK), "▅▆▇█");
	ROW(8, plot_spark(c, 0, 0, 8, rising, 2, 0, 7, STYLE_SPARK), "      ▁▂");
	ROW(8, plot_spark(c, 0, 0, 3, gap, 3, 0, NAN, STYLE_SPARK), "█ ▁");
	/* What is below zero, and what is far above it, shows how it goes. */
	ROW(8, plot_spark(c, 0, 0, 8, negative, 8, NAN, NAN, STYLE_SPARK), "▁▂▃▄▅▆▇█");
	ROW(8, plot_spark(c, 0, 0, 8, far, 8, NAN, NAN, STYLE_SPARK), "▁▂▃▄▅▆▇█");
	ROW(8, plot_spark(c, 0, 0, 8, wide, 3, NAN, NAN, STYLE_SPARK), "     ▁▅█");
	ROW(8, plot_spark(c, 0, 0, 8, same, 3, NAN, NAN, STYLE_SPARK), "     ▄▄▄");
	ROW(8, plot_spark(c, 0, 0, 8, gap + 1, 2, NAN, NAN, STYLE_SPARK), "       ▁");
}

/* Whether a cell of the canvas is blank. */
static bool is_blank(const struct canvas *c, int row, int col)
{
	return canvas_row(c, row)[col].text[0] == ' ';
}

/* A surface is higher where a sample is, in each form and size; the newest sample is at the right edge. */
TEST(test_surfaces)
{
	static const double values[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
	for (int turn = 0; turn < GRAPH_COUNT * 12; turn++) {
		int rows = turn / GRAPH_COUNT + 1, cols = 12;
		struct canvas *c = canvas_create(rows, cols);
		canvas_set_graph(c, (enum theme_graph)(turn % GRAPH_COUNT));
		int fits = cols, count = plot_samples(c, &fits, 12);
		CHECK_INT(count, 12);
		CHECK_INT(fits, turn % GRAPH_COUNT == GRAPH_BRAILLE ? 6 : 12);
		plot_surface(c, rect_make(0, 0, rows, cols), values, count, 12, STYLE_SPARK);
		CHECK(!is_blank(c, 0, cols - 1) && !is_blank(c, rows - 1, cols - fits));
		for (int col = 0; col < cols - fits; col++)
			CHECK(is_blank(c, rows - 1, col));
		for (int row = 0; row < rows; row++)
			for (int col = 1; col < cols; col++)
				CHECK(is_blank(c, row, col - 1) || !is_blank(c, row, col));
		canvas_destroy(c);
	}
}

/* Strips share all rows; those that are level take two, unless no strip has more. */
TEST(test_strip_rows)
{
	for (int rows = 3; rows < 60; rows++)
		for (int set = 0; set < 8; set++) {
			int left = rows, levels = (set & 1) + (set >> 1 & 1) + (set >> 2 & 1);
			for (int i = 0; i < 3; i++) {
				bool level = (set >> i & 1) != 0;
				int got = plot_rows(left, 3 - i, levels, level);
				CHECK(got >= 1 && got <= left && (!level || got <= 2));
				CHECK(level || rows < 6 || got >= 2);
				left -= got;
				levels -= level;
			}
			CHECK(left == 0 || (set == 7 && left == rows - 6));
		}
}

/* A scale tells its three ticks and the extremes; samples that are all but equal take two rows. */
TEST(test_scale)
{
	static const double values[] = {3, 9, 6}, same[] = {50, NAN, 50, 49.9}, other[] = {50, 48};
	const struct plot_graph graphs[] = {{"rate, max", values, 3, 9, UNIT_RATE},
	    {"same", same, 4, 50, UNIT_RATE}, {"other", other, 2, 50, UNIT_RATE},
	    {"unknown", same, 4, NAN, UNIT_RATE}, {"none", same, 4, 0, UNIT_RATE}};
	struct canvas *c = canvas_create(10, 23);
	plot_strips(c, rect_make(0, 0, 5, 23), 20, graphs, 1, 3000000000);
	char *text = canvas_dump_area(c, rect_make(0, 0, 4, 18));
	CHECK_STR(text, "rate, max   9.00/s\n\n            4.50/s\nmin 3.00/s       0\n");
	free(text);
	for (int i = 1; i < 5; i++) {
		const struct plot_graph pair[] = {graphs[i], graphs[0]};
		canvas_clear(c);
		plot_strips(c, canvas_bounds(c), 20, pair, 2, 3000000000);
		text = canvas_dump_area(c, rect_make(i == 1 ? 2 : 5, 0, 1, 9));
		CHECK_STR(text, "rate, max\n");
		free(text);
	}
	canvas_destroy(c);
}

/* The sheet at each level of glyphs. */
TEST(test_goldens)
{
	static const char *const sheets[] = {"sheet_ascii", "sheet_lines", "sheet_blocks"};
	for (int level = 0; level < GLYPHS_COUNT; level++) {
		struct canvas *c = canvas_create(50, 92);
		canvas_set_look(c, (enum glyph_level)level, level == GLYPHS_BLOCKS);
		sample_sheet(c);
		if (level == GLYPHS_BLOCKS)
			golden_check_styles(c, sheets[level]);
		else
			golden_check(c, sheets[level]);
		canvas_destroy(c);
	}
}
