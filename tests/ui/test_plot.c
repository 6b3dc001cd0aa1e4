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

/* The next number of a simple generator. */
static uint32_t next(uint32_t *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return *seed >> 8;
}

/* Shares are whole, add up, and are within one cell of the exact ones. */
static void test_shares(void)
{
	double values[40];
	int cells[40];
	uint32_t seed = 1;
	for (int turn = 0; turn < 20000; turn++) {
		int count = (int)(next(&seed) % 40) + 1, width = (int)(next(&seed) % 300);
		double sum = 0;
		for (int i = 0; i < count; i++) {
			values[i] =
			    next(&seed) % 3 == 0 ? 0 : pow(10, next(&seed) % 20) * (next(&seed) % 1000);
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
	int count = (int)(next(seed) % SPANS);
	for (int i = 0; i < count; i++) {
		unsigned deepest = i == 0 ? 0 : spans[i - 1].depth + 1;
		spans[i] = (struct icicle_span){labels[next(seed) % 6],
		    next(seed) % 1000 == 0 ? UINT64_MAX : next(seed) % 5000, next(seed) % (deepest + 1)};
	}
	for (int i = count - 1; i >= 0; i--) {
		uint64_t inside = 0;
		for (int j = i + 1; j < count && spans[j].depth > spans[i].depth; j++)
			if (spans[j].depth == spans[i].depth + 1)
				inside = inside > UINT64_MAX - spans[j].value ? UINT64_MAX
									      : inside + spans[j].value;
		if (spans[i].value < inside && next(seed) % 8 != 0)
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
static void test_icicle_adds_up(void)
{
	static struct icicle_segment segments[SEGMENTS];
	struct icicle_span spans[SPANS];
	uint32_t seed = 99;

	for (int turn = 0; turn < 20000; turn++) {
		int count = make_tree(spans, &seed);
		int cols = (int)(next(&seed) % COLS), rows = (int)(next(&seed) % 7);
		uint64_t total = next(&seed) % 2 == 0 ? 0 : next(&seed) * UINT64_C(100);
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
static void test_icicle_steady(void)
{
	static struct icicle_segment segments[SEGMENTS], again[SEGMENTS], exact[SEGMENTS];
	struct icicle_memory memory = {0};
	struct icicle_span spans[SPANS];
	uint32_t seed = 7;
	int moved = 0, moved_exact = 0;

	for (int turn = 0; turn < 3000; turn++) {
		int count = make_tree(spans, &seed), cols = (int)(next(&seed) % COLS);
		for (int step = 0; step < 8; step++) {
			int used = icicle_layout(spans, count, 0, &memory, 5, cols, segments, SEGMENTS);
			check_bars(segments, used, count, 5, cols, has_time(spans, count, 0));
			CHECK_INT(icicle_layout(spans, count, 0, &memory, 5, cols, again, SEGMENTS), used);
			for (int i = 0; i < used; i++)
				CHECK(same_segment(&again[i], &segments[i]));
			for (int i = 0; i < count; i++)
				if (spans[i].value < 1000000)
					spans[i].value += next(&seed) % 50;
		}
	}
	/* Two bars whose share sways about the middle. */
	struct icicle_span pair[] = {{"a", 0, 0}, {"b", 0, 0}};
	int at = 50, at_exact = 50;
	for (int step = 0; step < 1000; step++) {
		pair[0].value = 5000 + next(&seed) % 140;
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
static void test_icicle_deep(void)
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
static void test_icicle_ends(void)
{
	static const struct icicle_span spans[] = {{"minor", 100, 0}, {"minor_remembered_set", 60, 1}};
	struct icicle_segment segments[8];

	CHECK_INT(icicle_layout(spans, 2, 0, NULL, 3, 100, segments, 1), 1);
	CHECK_INT(icicle_layout(spans, 0, 0, NULL, 3, 100, segments, 8), 0);
	CHECK_INT(icicle_layout(spans, 0, 50, NULL, 3, 100, segments, 8), 1);
}

/* Everything draws at every size, and nothing outside its place. */
static void test_every_size(void)
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

static void test_small_plots(void)
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
static void test_surfaces(void)
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
static void test_strip_rows(void)
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
static void test_scale(void)
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
static void test_goldens(void)
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

/* Bars leave waits out unless they are of the wall clock, and are dim where there is next to
 * no collection. */
static void test_phase_bars(void)
{
	static const struct flame_bar bars[] = {
	    {.phase = RTEV_PHASE_MAJOR, .parent = FLAME_NONE, .total = 5000, .self = 5000},
	    {.phase = RTEV_PHASE_DOMAIN_CONDITION_WAIT,
		.parent = FLAME_NONE,
		.total = 990000,
		.self = 980000},
	    {.phase = RTEV_PHASE_STW_HANDLER, .parent = 1, .depth = 1, .total = 10000, .self = 10000}};
	const struct flame_view flame = {.bars = bars, .count = 3, .to = 1000000};
	struct canvas *c = canvas_create(3, 40);

	CHECK_NEAR(bars_idle(&flame), 0.99, 1e-9);
	bars_draw(c, canvas_bounds(c), &flame, false, NULL);
	char *text = canvas_dump(c);
	CHECK(strstr(text, " major 100% ─────") == text && strstr(text, "wait") == NULL);
	CHECK(strstr(text, "handler") == NULL);
	CHECK_INT(canvas_row(c, 0)[0].style, theme_class_ink(RTEV_CLASS_MAJOR));
	free(text);
	canvas_clear(c);
	bars_draw(c, canvas_bounds(c), &flame, true, NULL);
	text = canvas_dump(c);
	CHECK(strstr(text, "condition wait 99%") != NULL && strstr(text, "─") == NULL);
	free(text);
	canvas_destroy(c);
}

/* Whether a row of the screen has something to see: a character, or a colour behind it. */
static bool row_shows(const struct canvas *c, enum theme_id theme)
{
	for (int col = 0; col < canvas_cols(c); col++) {
		const struct canvas_cell *cell = &canvas_row(c, 0)[col];
		const struct theme_look look = theme_look(theme, cell->style);
		if (cell->text[0] != ' ' || look.background >= 0 || (look.attributes & THEME_REVERSE) != 0)
			return true;
	}
	return false;
}

/* The bars of a domain with time in phases are never blank, whatever the phases, the width and the colours. */
static void test_bars_are_never_blank(void)
{
	enum { BARS = 6 };
	static const rtev_phase phases[] = {RTEV_PHASE_DOMAIN_CONDITION_WAIT, RTEV_PHASE_MINOR,
	    RTEV_PHASE_MAJOR, RTEV_PHASE_MINOR_FINALIZERS_OLDIFY, RTEV_PHASE_STW_LEADER, 9999, PATH_OTHER};
	struct flame_bar bars[BARS];
	struct canvas *c = canvas_create(1, 1);
	uint32_t seed = 1;

	for (int round = 0; round < 4000; round++) {
		size_t count = 1 + next(&seed) % BARS;
		struct flame_view flame = {.bars = bars, .count = count, .to = 1000000};
		for (size_t i = 0; i < count; i++) {
			/* From next to nothing to a sixth of the time. */
			uint64_t total = 1 + next(&seed) % (round % 2 == 0 ? 100 : 1000000 / BARS);
			bars[i] = (struct flame_bar){.phase = phases[next(&seed) % 7],
			    .parent = FLAME_NONE,
			    .total = total,
			    .self = total};
		}
		if (round % 8 == 0)
			bars[0].phase = RTEV_PHASE_DOMAIN_CONDITION_WAIT, flame.count = 1;
		CHECK(canvas_resize(c, 1, 1 + round % 60));
		for (int level = 0; level < GLYPHS_COUNT; level++)
			for (int t = 0; t < THEME_COUNT; t++) {
				canvas_set_look(c, (enum glyph_level)level, t != THEME_MONO);
				canvas_clear(c);
				bars_draw(c, canvas_bounds(c), &flame, round % 3 == 0, NULL);
				if (!row_shows(c, (enum theme_id)t) && (round % 3 != 0 || canvas_cols(c) > 8))
					TEST_FAIL("blank: round %d, %d columns, theme %d", round,
					    canvas_cols(c), t);
			}
	}
	canvas_destroy(c);
}

enum { WIDE = 80 };

/* A stretch of five seconds with three phases side by side, and one inside the first. */
static void draw_three(struct canvas *c, struct bars_memory *memory, uint64_t to, const uint64_t time[4])
{
	static const rtev_phase phases[] = {
	    RTEV_PHASE_MINOR, RTEV_PHASE_MINOR_REMEMBERED_SET, RTEV_PHASE_MAJOR_SLICE, RTEV_PHASE_STW_LEADER};
	struct flame_bar bars[4];
	size_t count = 0;

	for (size_t i = 0; i < 4; i++)
		if (time[i] > 0)
			bars[count++] = (struct flame_bar){.phase = phases[i],
			    .parent = i == 1 ? 0 : FLAME_NONE,
			    .depth = i == 1,
			    .total = time[i],
			    .self = time[i]};
	const struct flame_view flame = {.bars = bars, .count = count, .from = to - 5000000000u, .to = to};
	canvas_clear(c);
	bars_draw(c, canvas_bounds(c), &flame, false, memory);
}

/* The columns of row 0 and 1 at which another box begins. */
static int edges(const struct canvas *c, int out[2 * WIDE])
{
	int count = 0;

	for (int row = 0; row < 2; row++)
		for (int col = 1; col < WIDE; col++)
			if (canvas_row(c, row)[col].style != canvas_row(c, row)[col - 1].style ||
			    canvas_row(c, row)[col].text[0] == theme_glyph(GLYPHS_BLOCKS, GLYPH_DIVIDER))
				out[count++] = row * WIDE + col;
	return count;
}

/* Of shares that sway for a minute, the edges move at six times at most, all of them at once or none. */
static void test_boxes_keep_their_places(void)
{
	struct canvas *c = canvas_create(2, WIDE);
	struct bars_memory memory = {0};
	int before[2 * WIDE], now[2 * WIDE], count = 0, moved = 0;
	uint32_t seed = 3;

	for (uint64_t step = 0; step < 120; step++) {
		const uint64_t sway[4] = {30000000 + next(&seed) % 8000000, 15000000 + next(&seed) % 4000000,
		    30000000 + next(&seed) % 8000000, 40000000 + next(&seed) % 8000000};
		draw_three(c, &memory, 100000000000 + step * 500000000, sway);
		int here = edges(c, now);
		moved +=
		    step > 0 && (here != count || memcmp(now, before, (size_t)count * sizeof(now[0])) != 0);
		count = here;
		memcpy(before, now, sizeof(now));
		/* The share in a box is that of now. */
		const struct formatted text = format_share(sway[2], sway[0] + sway[2] + sway[3]);
		char *shown = canvas_dump(c);
		CHECK(strstr(shown, text.s) != NULL);
		free(shown);
	}
	CHECK(count >= 3 && moved <= 6);
	canvas_destroy(c);
}

/* A jump is shown once it has lasted for 2 s, and at once where the time goes back or the width is another one; what is
 * drawn again at the same time is the same, whatever came. */
static void test_boxes_follow_a_jump(void)
{
	enum { TEN_MS = 10000000 };
	static const uint64_t even[4] = {30 * TEN_MS, 10 * TEN_MS, 30 * TEN_MS, 30 * TEN_MS},
			      jump[4] = {80 * TEN_MS, 10 * TEN_MS, 10 * TEN_MS, 10 * TEN_MS},
			      gone[4] = {30 * TEN_MS, 10 * TEN_MS, 30 * TEN_MS, 0},
			      more[4] = {0, 0, 30 * TEN_MS, 30 * TEN_MS};
	const uint64_t second = 1000000000, at = 100 * second;
	struct canvas *c = canvas_create(2, WIDE);
	struct bars_memory memory = {0};

	draw_three(c, &memory, at - 4 * second, even);
	CHECK_INT(memory.boxes[0].cols, 27);
	/* They stand for a while, however far off they are. */
	draw_three(c, &memory, at - 2 * second, jump);
	draw_three(c, &memory, at, jump);
	CHECK_INT(memory.boxes[0].cols, 27);
	draw_three(c, &memory, at - 9 * second, even);
	draw_three(c, &memory, at, even);
	CHECK_INT(memory.boxes[0].cols, 27);
	for (int i = 0; i < 5; i++)
		draw_three(c, &memory, at + second, jump);
	CHECK_INT(memory.boxes[0].cols, 27);
	draw_three(c, &memory, at + 2 * second, jump);
	CHECK_INT(memory.boxes[0].cols, 27);
	draw_three(c, &memory, at + 3 * second, jump);
	CHECK_INT(memory.boxes[0].cols, 64);
	draw_three(c, &memory, at, even);
	CHECK_INT(memory.boxes[0].cols, 27);
	/* One whose phase is gone keeps its cells, empty. */
	draw_three(c, &memory, at + second / 10, gone);
	CHECK_INT(memory.boxes[3].cols, 27);
	CHECK_INT(canvas_row(c, 0)[70].text[0], ' ');
	CHECK(canvas_row(c, 0)[53].text[0] == 0x258f && canvas_row(c, 0)[53].style == STYLE_BAR_REST);
	CHECK_INT(canvas_row(c, 0)[70].style, STYLE_TEXT);
	CHECK(canvas_resize(c, 2, WIDE / 2));
	draw_three(c, &memory, at + second / 5, gone);
	CHECK_INT(memory.boxes[0].cols, 20);
	/* A new one has cells from the next layout on. */
	CHECK(canvas_resize(c, 2, WIDE));
	draw_three(c, &memory, at + 20 * second, more);
	draw_three(c, &memory, at + 21 * second, even);
	CHECK(memory.boxes[0].phase == RTEV_PHASE_MINOR && memory.boxes[0].cols == 0);
	draw_three(c, &memory, at + 23 * second, even);
	CHECK_INT(memory.boxes[0].cols, 0);
	draw_three(c, &memory, at + 31 * second, even);
	CHECK_INT(memory.boxes[0].cols, 0);
	draw_three(c, &memory, at + 32 * second, even);
	CHECK_INT(memory.boxes[0].cols, 27);
	/* Where all are gone, they stand where they stood once they come back; what has no cells is laid out at once. */
	static const uint64_t none[4] = {0}, first[4] = {30 * TEN_MS, 10 * TEN_MS, 0, 0},
			      last[4] = {0, 0, 0, 30 * TEN_MS};
	draw_three(c, &memory, at + 33 * second, none);
	draw_three(c, &memory, at + 35 * second, even);
	CHECK_INT(memory.boxes[0].cols, 27);
	draw_three(c, &memory, at + 100 * second, first);
	draw_three(c, &memory, at + 103 * second, first);
	draw_three(c, &memory, at + 104 * second, none);
	draw_three(c, &memory, at + 113 * second, none);
	draw_three(c, &memory, at + 114 * second, last);
	CHECK_INT(memory.boxes[memory.count - 1].cols, WIDE);
	canvas_destroy(c);
}

/* A box of one cell has its divider while its phase has time and after; where the collector takes little, edges that follow
 * what few collections there are in the stretch move less often than elsewhere. */
static void test_faint_boxes_stand(void)
{
	static const uint64_t narrow[4] = {40000, 0, 1000, 40000}, gone[4] = {40000, 0, 0, 40000};
	const uint64_t second = 1000000000;
	struct canvas *c = canvas_create(2, WIDE);
	struct bars_memory memory = {0};
	uint64_t recent[10][4] = {{0}}, laid = 0;
	unsigned layouts = 0;
	uint32_t seed = 5;

	draw_three(c, &memory, 100 * second, narrow);
	CHECK(memory.boxes[1].cols == 1 && canvas_row(c, 0)[40].text[0] == 0x258f);
	draw_three(c, &memory, 101 * second, gone);
	CHECK(memory.boxes[1].cols == 1 && canvas_row(c, 0)[40].text[0] == 0x258f);
	memory = (struct bars_memory){0};
	for (uint64_t step = 0; step < 120; step++) {
		uint64_t sums[4] = {0};
		memset(recent[step % 10], 0, sizeof(recent[0]));
		if (step % 3 == 0)
			recent[step % 10][(uint64_t[]){0, 2, 3}[next(&seed) % 3]] =
			    1000 + next(&seed) % 900000;
		for (int i = 0; i < 40; i++)
			sums[i % 4] += recent[i / 4][i % 4];
		draw_three(c, &memory, 200 * second + step * second / 2, sums);
		CHECK(memory.dim);
		layouts += step >= 10 && memory.laid != laid;
		laid = memory.laid;
	}
	if (layouts > 3)
		TEST_FAIL("%u layouts", layouts);
	/* What takes more is laid out anew as soon as any. */
	static const uint64_t much[4] = {0, 0, 100000000, 0};
	for (uint64_t i = 0; i < 14; i++)
		draw_three(c, &memory, 260 * second + i * second, much);
	CHECK(!memory.dim);
	canvas_destroy(c);
}

/* What has less than a cell is one grey box at the end; words are whole ones, long to short, and never halves of two. */
static void test_words_of_boxes(void)
{
	enum { BARS = 7 };
	static const struct flame_bar bars[BARS] = {
	    {.phase = RTEV_PHASE_EXPLICIT_GC_STAT, .parent = FLAME_NONE, .total = 4},
	    {.phase = RTEV_PHASE_MAJOR_SLICE, .parent = FLAME_NONE, .total = 4},
	    {.phase = RTEV_PHASE_STW_HANDLER, .parent = FLAME_NONE, .total = 4},
	    {.phase = RTEV_PHASE_STW_LEADER, .parent = FLAME_NONE, .total = 988},
	    {.phase = RTEV_PHASE_MINOR, .parent = 3, .depth = 1, .total = 600},
	    {.phase = RTEV_PHASE_MINOR_REMEMBERED_SET, .parent = 4, .depth = 2, .total = 300},
	    {.phase = RTEV_PHASE_MINOR_REMEMBERED_SET_PROMOTE, .parent = 5, .depth = 3, .total = 100},
	};
	const struct flame_view flame = {.bars = bars, .count = BARS, .to = 10000};
	struct canvas *c = canvas_create(5, 150);
	struct bars_memory memory = {0};

	for (int cols = 1; cols <= 150; cols++) {
		CHECK(canvas_resize(c, 5, cols));
		bars_draw(c, canvas_bounds(c), &flame, false, &memory);
		bars_legend(c, rect_make(4, 0, 1, cols), &memory, 4);
		CHECK_INT(canvas_row(c, 0)[cols - 1].style, cols < 42 ? STYLE_PHASE_STW : STYLE_MERGED);
		char *text = canvas_dump(c);
		CHECK(strstr(text, "+") == NULL && strstr(text, "…") == NULL &&
		      strstr(text, "▏set promote") == NULL);
		/* A word that no box has room for stands below, where there is room. */
		if (cols == 60)
			CHECK(
			    strstr(text, "remembered 30%") != NULL && strstr(text, "■ promote 10%") != NULL);
		if (cols == 150)
			CHECK(strstr(text, "stop: leader 99%") != NULL && strstr(text, "minor 60%") != NULL &&
			      strstr(text, "remembered set 30%") != NULL &&
			      strstr(text, " promote 10%") != NULL && strstr(text, "set promote") == NULL &&
			      strstr(text, "of GC time") != NULL);
		free(text);
	}
	canvas_destroy(c);
}

/* Where time was lost the legend's shares have the base of the boxes': what was seen. */
static void test_legend_of_lost_time(void)
{
	static const struct flame_bar bars[] = {
	    {.phase = RTEV_PHASE_MAJOR_SLICE, .parent = FLAME_NONE, .total = 2000},
	    {.phase = RTEV_PHASE_MINOR, .parent = FLAME_NONE, .total = 100},
	};
	const struct flame_view flame = {.bars = bars, .count = 2, .to = 10000, .lost = 5000};
	struct canvas *c = canvas_create(2, 100);
	struct bars_memory memory = {0};

	bars_draw(c, rect_make(0, 0, 1, 100), &flame, true, &memory);
	bars_legend(c, rect_make(1, 0, 1, 100), &memory, 1);
	char *text = canvas_dump(c);
	if (strstr(text, "slice 40%") == NULL || strstr(text, "minor 2.0%") == NULL)
		TEST_FAIL("%s", text);
	free(text);
	canvas_destroy(c);
}

int main(void)
{
	RUN(test_legend_of_lost_time);
	RUN(test_boxes_keep_their_places);
	RUN(test_boxes_follow_a_jump);
	RUN(test_faint_boxes_stand);
	RUN(test_words_of_boxes);
	RUN(test_phase_bars);
	RUN(test_bars_are_never_blank);
	RUN(test_shares);
	RUN(test_icicle_adds_up);
	RUN(test_icicle_steady);
	RUN(test_icicle_deep);
	RUN(test_icicle_ends);
	RUN(test_every_size);
	RUN(test_small_plots);
	RUN(test_surfaces);
	RUN(test_strip_rows);
	RUN(test_scale);
	RUN(test_goldens);
	return 0;
}
